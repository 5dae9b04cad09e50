/* The compiled engine in linear memory: functions, records and arrays.
 *
 * A record of the kernel (`KernelArrays`) is a table of 64-bit words: address and shape of each
 * array. Arrays start on cache lines. Views of memory become invalid when memory grows, so they are
 * made when they are asked for and kept only while the buffer is the same.
 */

const LINE = 64;
const PAGE = 65536;
const onLine = (n) => Math.ceil(n / LINE) * LINE;

const TYPES = {
  float64: Float64Array,
  float32: Float32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  int32: Int32Array,
  uint32: Uint32Array,
  uint16: Uint16Array,
  uint8: Uint8Array,
  bool: Uint8Array,
};

export const bytesOf = (dtype) => TYPES[dtype].BYTES_PER_ELEMENT;
export const typeOf = (dtype) => TYPES[dtype];

/** ln Γ(x) for x > 0.5 (Lanczos); the kernel wants it for counts above 511. */
function lgamma(x) {
  const c = [
    676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406,
    12.507343278686905, -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
  ];
  x -= 1;
  let sum = 0.9999999999998099;
  for (let i = 0; i < 8; i++) sum += c[i] / (x + i + 1);
  const t = x + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (x + 0.5) * Math.log(t) - t + Math.log(sum);
}

/** A range of memory that is handed out line by line and given back as a whole. */
export class Room {
  constructor(engine, address, bytes) {
    Object.assign(this, { engine, address, bytes, used: 0 });
  }

  take(bytes) {
    const at = this.address + this.used;
    this.used += onLine(Math.max(bytes, 1));
    if (this.used > this.bytes) throw new Error("the engine's memory was laid out too small");
    return at;
  }

  /** A copy of the bytes in use. */
  save() {
    return this.engine.bytes.slice(this.address, this.address + this.used);
  }

  restore(saved) {
    this.engine.bytes.set(saved, this.address);
  }

  free() {
    this.engine.release(this.address, this.bytes);
  }
}

/** One array in memory. */
export class Place {
  constructor(engine, address, dtype, shape) {
    Object.assign(this, { engine, address, dtype, shape });
    this.size = shape.reduce((a, b) => a * b, 1);
  }

  /** The array as a typed array over memory. */
  get view() {
    const buffer = this.engine.memory.buffer;
    if (!this.kept || this.kept.buffer !== buffer) {
      this.kept = new TYPES[this.dtype](buffer, this.address, this.size);
    }
    return this.kept;
  }
}

/** Arrays behind one pointer, as the kernel takes them. */
export class Record {
  constructor(engine, kind, table, places) {
    Object.assign(this, { engine, kind, address: table });
    for (const [name, place] of Object.entries(places)) this[name] = place;
  }

  /** Give the table back; the arrays belong to their room. */
  free() {
    const words = this.engine.manifest.records[this.kind].reduce((sum, [, , n]) => sum + 1 + n, 0);
    this.engine.release(this.address, 8 * words);
  }

  /** Let an array of one axis be ``length`` numbers elsewhere. */
  point(name, address, length) {
    let at = this.address;
    for (const [field, , axes] of this.engine.manifest.records[this.kind]) {
      if (field === name) break;
      at += 8 * (1 + axes);
    }
    new BigInt64Array(this.engine.memory.buffer, at, 2).set([BigInt(address), BigInt(length)]);
  }
}

export class Engine {
  /** ``manifest`` describes the functions and records of the compiled ``module``. */
  static async create(bytes, manifest) {
    const memory = new WebAssembly.Memory({ initial: 64, maximum: 16384 });
    const stop = (name) => () => {
      throw new Error(`the compiled engine called ${name}: please report this bug`);
    };
    const module = await WebAssembly.compile(bytes);
    const { exp, expm1, log, log1p, pow, cos, sin, tanh } = Math;
    const env = { memory, lgamma, exp, expm1, log, log1p, pow, cos, sin, tanh };
    for (const { name, kind } of WebAssembly.Module.imports(module)) {
      if (kind === "function" && !(name in env)) env[name] = stop(name);
    }
    const engine = new Engine();
    Object.assign(engine, { memory, manifest, free: new Map() });
    Object.assign(env, engine.allocator(), { __multi3: engine.product() });
    const { exports } = await WebAssembly.instantiate(module, { env });
    engine.functions = exports;
    engine.top = onLine(Number(exports.__heap_base.value));
    engine.result = engine.take(LINE);
    engine.failure = engine.take(LINE);
    engine.indices = new Map();
    return engine;
  }

  /** Arrays that compiled code creates for a moment (Numba's runtime): a header, then data. */
  allocator() {
    const header = LINE;
    const sizes = new Map();
    return {
      NRT_MemInfo_alloc_aligned: (size, align) => {
        const bytes = onLine(Number(size)) + header;
        const at = this.take(bytes);
        const view = new DataView(this.memory.buffer, at);
        sizes.set(at, bytes);
        view.setBigInt64(0, 1n, true); // references
        // Numba's optimiser has written offsets of 64-bit pointers into some loads.
        view.setInt32(16, at + header, true);
        view.setInt32(24, at + header, true);
        return at;
      },
      NRT_MemInfo_call_dtor: (at) => {
        this.release(at, sizes.get(at));
        sizes.delete(at);
      },
    };
  }

  /** A product of 128 bits, which WebAssembly does not have. */
  product() {
    const whole = (low, high) => BigInt.asUintN(64, low) | (high << 64n);
    return (at, ...halves) => {
      const value = whole(halves[0], halves[1]) * whole(halves[2], halves[3]);
      const out = new BigInt64Array(this.memory.buffer, at, 2);
      out[0] = BigInt.asIntN(64, value);
      out[1] = BigInt.asIntN(64, value >> 64n);
    };
  }

  get bytes() {
    return new Uint8Array(this.memory.buffer);
  }

  /** ``bytes`` of memory, all zero. */
  take(bytes) {
    bytes = onLine(Math.max(bytes, 1));
    const spare = this.free.get(bytes);
    if (spare?.length) {
      const at = spare.pop();
      this.bytes.fill(0, at, at + bytes);
      return at;
    }
    const at = this.top;
    this.top += bytes;
    const missing = this.top - this.memory.buffer.byteLength;
    if (missing > 0) {
      try {
        this.memory.grow(Math.ceil(missing / PAGE) + 16);
      } catch {
        throw new Error(
          `the engine needs ${Math.ceil(this.top / 2 ** 20)} MB of memory, the browser gives ` +
            "less; close other tabs or choose a smaller scene",
        );
      }
    }
    return at;
  }

  release(address, bytes) {
    bytes = onLine(Math.max(bytes, 1));
    if (!this.free.has(bytes)) this.free.set(bytes, []);
    this.free.get(bytes).push(address);
  }

  room(bytes) {
    bytes = onLine(bytes);
    return new Room(this, this.take(bytes), bytes);
  }

  /** Bytes that a record's arrays take. */
  sizeOf(kind, shapes) {
    return this.manifest.records[kind].reduce(
      (sum, [name, dtype]) =>
        sum + onLine(Math.max(shapes[name].reduce((a, b) => a * b, 1) * bytesOf(dtype), 1)),
      0,
    );
  }

  /** A record with arrays of these shapes in ``room``; its table is elsewhere. */
  record(kind, shapes, room) {
    const places = {};
    const table = [];
    for (const [name, dtype] of this.manifest.records[kind]) {
      const shape = shapes[name];
      const bytes = shape.reduce((a, b) => a * b, 1) * bytesOf(dtype);
      places[name] = new Place(this, room.take(bytes), dtype, shape);
      table.push(places[name].address, ...shape);
    }
    const at = this.take(8 * table.length);
    const view = new BigInt64Array(this.memory.buffer, at, table.length);
    table.forEach((value, i) => (view[i] = BigInt(value)));
    return new Record(this, kind, at, places);
  }

  /** Number of a function in the table through which compiled code calls it. */
  index(name) {
    if (!name) return 0;
    if (!this.indices.has(name)) {
      const table = this.functions.__indirect_function_table;
      this.indices.set(name, table.grow(1, this.functions[name]));
    }
    return this.indices.get(name);
  }

  /** Call a kernel; records pass their address, [address, n, itemsize] an array of n items. */
  call(name, ...given) {
    const flat = given.map((v) => (v instanceof Record ? v.address : v));
    if (this.functions[name](this.result, this.failure, ...flat) !== 0) {
      throw new Error(`the compiled function ${name} raised an error: please report this bug`);
    }
    return Number(new DataView(this.memory.buffer).getBigInt64(this.result, true));
  }
}

/** An array as the arguments that Numba's functions take. */
export function arrayArguments(address, shape, itemsize) {
  const strides = shape.map((_, i) => shape.slice(i + 1).reduce((a, b) => a * b, itemsize));
  const size = shape.reduce((a, b) => a * b, 1);
  return [0, 0, BigInt(size), BigInt(itemsize), address, ...[...shape, ...strides].map(BigInt)];
}

/** The same for an array in memory. */
export const asArguments = ({ address, shape, dtype }) =>
  arrayArguments(address, shape, bytesOf(dtype));

/** Arrays of given types and shapes, in a room of their own. */
export function arraysIn(engine, kinds) {
  const entries = Object.entries(kinds);
  const bytes = ([, [dtype, ...shape]]) =>
    onLine(Math.max(shape.reduce((a, b) => a * b, 1) * bytesOf(dtype), 1));
  const room = engine.room(entries.reduce((sum, entry) => sum + bytes(entry), 0));
  const places = entries.map((entry) => {
    const [name, [dtype, ...shape]] = entry;
    return [name, new Place(engine, room.take(bytes(entry)), dtype, shape)];
  });
  return { room, ...Object.fromEntries(places) };
}
