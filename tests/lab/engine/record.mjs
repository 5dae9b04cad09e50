// Runs a session of the browser's engine and records every spike.

import { Engine } from "/engine/memory.js";
import { Session } from "/engine/session.js";

const fetched = async (name) => (await fetch(`/engine/${name}`)).arrayBuffer();

/** `keep`: arrays to record at every look. `back`: return to this tick and run on, once. */
export async function record(request, read = fetched) {
  const text = async (name) => JSON.parse(new TextDecoder().decode(await read(name)));
  const engine = await Engine.create(await read("engine.wasm"), await text("engine.json"));
  const scene = await text(`scenes/${request.scene}.json`);
  const data = await read(`scenes/${request.scene}.bin`);
  const { seed, settings = {}, actions = [], ticks, look_every: every = 40, back } = request;
  const session = new Session(engine, scene, data, seed, settings, actions);
  const want = new Set(request.want ?? ["spikes"]);
  const found = { spikes: {}, kept: [], megabytes: [] };
  const take = () => {
    const { arrays, values } = session.look({ want, pointer: null });
    if (want.has("spikes") && (values.dropped || values.twin_values?.dropped)) throw new Error("spikes were dropped");
    for (const of of ["", "twin."]) {
      if (!arrays[`${of}spike_time`]) continue;
      const kept = (found.spikes[`${of}network`] ??= { time: [], neuron: [] });
      for (const v of arrays[`${of}spike_time`]) kept.time.push(v);
      for (const v of arrays[`${of}spike_neuron`]) kept.neuron.push(v);
    }
    found.kept.push(Object.fromEntries((request.keep ?? []).map((name) => [name, arrays[name]])));
    found.megabytes.push(engine.memory.buffer.byteLength / 2 ** 20);
    found.values = values;
    found.arrays = arrays;
  };
  const runOn = () => {
    while (session.tick < ticks) {
      session.advance(Math.min(every, ticks - session.tick));
      if (every <= ticks) take();
    }
  };
  const began = performance.now();
  runOn();
  if (back !== undefined) {
    session.goto(back);
    found.spikes = {};
    runOn();
  }
  found.seconds = (performance.now() - began) / 1000;
  for (const own of Object.values(found.spikes)) {
    own.time = Float64Array.from(own.time);
    own.neuron = Int32Array.from(own.neuron);
  }
  found.events = session.events;
  found.log = session.log;
  found.marks = session.marks.ticks;
  found.experiment = session.experiment();
  found.theta = session.both((model) => model.theta());
  found.weights = session.both((model) => model.weights());
  return found;
}

/** Typed arrays as base64, so that JSON keeps every bit. */
export function plain(value) {
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    let text = "";
    for (let i = 0; i < bytes.length; i += 4096) {
      text += String.fromCharCode(...bytes.subarray(i, i + 4096));
    }
    return { dtype: value.constructor.name, shape: value.shape ?? [value.length], data: btoa(text) };
  }
  if (Array.isArray(value)) return value.map(plain);
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)]));
  }
  return value;
}
