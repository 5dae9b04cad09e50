// Runs a session of the browser's engine and records every spike; for Node and for a page alike.
// `modules`: where the engine's modules are; `read`: the bytes of a built file.

export async function record(modules, read, request) {
  const { Engine } = await import(`${modules}memory.js`);
  const { Session } = await import(`${modules}session.js`);
  const text = async (name) => JSON.parse(new TextDecoder().decode(await read(name)));
  const manifest = await text("engine.json");
  const engine = await Engine.create(await read("engine.wasm"), manifest);
  const scene = await text(`scenes/${request.scene}.json`);
  const data = await read(`scenes/${request.scene}.bin`);
  request.spoil?.(scene);
  const { seed, settings, actions, ticks, look_every: every = 40, back } = request;
  const session = new Session(engine, scene, data, seed, settings, actions);
  const want = new Set(request.want ?? ["spikes"]);
  const found = { events: [], spikes: {}, frames: 0, began: performance.now() };
  const take = () => {
    const { arrays, values } = session.look({ want, pointer: null });
    for (const name of ["", "twin."]) {
      if (!arrays[`${name}spike_time`]) continue;
      const kept = (found.spikes[`${name}network`] ??= { time: [], neuron: [] });
      for (const v of arrays[`${name}spike_time`]) kept.time.push(v);
      for (const v of arrays[`${name}spike_neuron`]) kept.neuron.push(v);
    }
    if (values.dropped) throw new Error("spikes were dropped; look more often");
    found.frames += 1;
    found.last = { values, arrays };
  };
  while (session.tick < ticks) {
    session.advance(Math.min(every, ticks - session.tick));
    take();
  }
  if (back !== undefined) {
    session.goto(back);
    found.spikes = {};
    while (session.tick < ticks) {
      session.advance(Math.min(every, ticks - session.tick));
      take();
    }
  }
  found.seconds = (performance.now() - found.began) / 1000;
  found.events = session.events;
  found.log = session.log;
  found.theta = session.both((model) => model.theta());
  found.weights = session.both((model) => model.weights());
  found.megabytes = engine.memory.buffer.byteLength / 2 ** 20;
  return found;
}

/** Typed arrays as base64, so that JSON keeps every bit. */
export function plain(value) {
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    let text = "";
    for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode(...bytes.subarray(i, i + 4096));
    return { dtype: value.constructor.name, shape: value.shape ?? [value.length], data: btoa(text) };
  }
  if (Array.isArray(value)) {
    const numbers = value.length > 100 && value.every((v) => typeof v === "number");
    return numbers ? plain(Float64Array.from(value)) : value.map(plain);
  }
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)]));
  }
  return value;
}
