// Ways to reach an engine, with one interface: `send(message)`, `onmessage`, `onclose`, `close()`.
//
// Messages to an engine are JSON. Those it sends have arrays as well: in `arrays`, by name, as typed
// arrays with a `shape`. docs/reference/lab-protocol.md describes the messages and their bytes.

const TYPES = {
  "<f8": Float64Array, float64: Float64Array, f8: Float64Array,
  "<f4": Float32Array, float32: Float32Array, f4: Float32Array,
  "<i4": Int32Array, int32: Int32Array, i4: Int32Array,
  "<u4": Uint32Array, uint32: Uint32Array, u4: Uint32Array,
  "<i2": Int16Array, int16: Int16Array, i2: Int16Array,
  "<u2": Uint16Array, uint16: Uint16Array, u2: Uint16Array,
  "|u1": Uint8Array, uint8: Uint8Array, u1: Uint8Array, "|b1": Uint8Array, bool: Uint8Array,
  "|i1": Int8Array, int8: Int8Array, i1: Int8Array,
};

const aligned = (bytes) => (bytes + 7) & ~7;

/** A message from bytes: length of the JSON, JSON, then each array on a multiple of eight. */
export function decode(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const message = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let at = aligned(4 + length);
  const arrays = {};
  for (const { name, dtype, shape } of message.arrays ?? []) {
    arrays[name] = typed(buffer, at, dtype, shape);
    at = aligned(at + arrays[name].byteLength);
  }
  return { ...message, arrays };
}

function typed(buffer, at, dtype, shape) {
  const Type = TYPES[dtype];
  if (!Type) throw new Error(`unknown type of numbers: ${String(dtype).slice(0, 20)}`);
  const size = shape.reduce((a, b) => a * b, 1);
  const copied = at % Type.BYTES_PER_ELEMENT ? buffer.slice(at, at + size * Type.BYTES_PER_ELEMENT) : null;
  const array = copied ? new Type(copied) : new Type(buffer, at, size);
  array.shape = shape;
  return array;
}

const nothing = () => {};

/** An engine in a Web Worker of this page. */
export function overWorker(worker) {
  const transport = {
    onmessage: nothing,
    onclose: nothing,
    send: (message) => worker.postMessage(message),
    close: () => worker.terminate(),
  };
  worker.onmessage = ({ data }) => {
    for (const [name, array] of Object.entries(data.arrays ?? {})) array.shape ??= data.shapes?.[name] ?? [array.length];
    transport.onmessage({ arrays: {}, ...data });
  };
  worker.onerror = (event) => {
    event.preventDefault?.();
    transport.onclose(`The engine stopped: ${event.message || "its file could not be loaded"}.`);
  };
  return transport;
}

/** An engine behind a WebSocket. */
export function overSocket(url) {
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  const waiting = [];
  const transport = {
    onmessage: nothing,
    onclose: nothing,
    send: (message) => (socket.readyState === WebSocket.OPEN ? socket.send(JSON.stringify(message)) : waiting.push(message)),
    close: () => {
      socket.onclose = null;
      socket.close();
    },
  };
  socket.onopen = () => waiting.splice(0).forEach(transport.send);
  socket.onmessage = ({ data }) => {
    try {
      transport.onmessage(typeof data === "string" ? { arrays: {}, ...JSON.parse(data) } : decode(data));
    } catch (error) {
      transport.onmessage({ type: "error", message: `A message could not be read: ${error.message}`, fatal: false, arrays: {} });
    }
  };
  socket.onclose = (event) =>
    transport.onclose(event.reason || "The connection to the local server ended. Start it again with: synsamp lab");
  return transport;
}

/** An engine in the kernel of a notebook, reached through an anywidget. */
export function overModel(model) {
  const transport = {
    onmessage: nothing,
    onclose: nothing,
    send: (message) => model.send(message),
    close: () => model.off("msg:custom", receive),
  };
  function receive(message, buffers) {
    const arrays = {};
    (message.arrays ?? []).forEach(({ name, dtype, shape }, k) => {
      const { buffer, byteOffset } = buffers[k];
      arrays[name] = typed(buffer, byteOffset, dtype, shape);
    });
    transport.onmessage({ ...message, arrays });
  }
  model.on("msg:custom", receive);
  return transport;
}
