// A recorded run of Digits in the place of an engine: it plays, pauses and goes back, but cannot change.
//
// `tools/lab_recording.py` writes it: messages as a WebSocket would carry them, each after its length,
// compressed. θ comes in steps of one byte; weights follow from it.

import { decode } from "../transport.js";

const MISSING = -128;
const FRAME_MS = 100;

export async function overRecording() {
  const bytes = globalThis.synsampEngine?.recording?.() ?? (await fetched(new URL("../recorded/digits.bin.gz", import.meta.url)));
  return new Player(split(await unpacked(bytes)));
}

async function fetched(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`the recorded run is missing (${answer.status})`);
  return answer.arrayBuffer();
}

/** The content of a gzip file. */
function unpacked(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function split(buffer) {
  const view = new DataView(buffer);
  const messages = [];
  for (let at = 0; at + 8 <= buffer.byteLength; ) {
    const length = view.getUint32(at, true);
    messages.push(decode(buffer.slice(at + 8, at + 8 + length)));
    at += 8 + Math.ceil(length / 8) * 8;
  }
  const { scene } = messages[0];
  messages.forEach((message) => widen(message, scene));
  return messages;
}

/** θ from its bytes, and weights from θ. */
function widen({ arrays, theta_step: step }, scene) {
  for (const { name, theta_0: shift } of scene.projections) {
    for (const prefix of ["", "twin."]) {
      const bytes = arrays[`${prefix}theta.${name}`];
      if (!bytes) continue;
      const theta = Float32Array.from(bytes, (v) => (v === MISSING ? NaN : v * step));
      const weights = theta.map((v) => (v > 0 ? Math.exp(v - shift) : 0));
      theta.shape = weights.shape = bytes.shape;
      arrays[`${prefix}theta.${name}`] = theta;
      arrays[`${prefix}weights.${name}`] = weights;
    }
  }
}

class Player {
  constructor(messages) {
    this.ready = messages.find((m) => m.type === "ready");
    this.run = messages.filter((m) => m.type === "frame" || m.type === "probe");
    this.next = 0;
    this.timer = null;
    this.onmessage = () => {};
    this.onclose = () => {};
  }

  send(message) {
    const { type } = message;
    if (type === "open") this.#later({ ...this.ready, engine: "recorded" }, { type: "marks", ticks: this.#marks(), arrays: {} });
    else if (type === "play") this.#play();
    else if (type === "pause") this.#stop();
    else if (type === "step") {
      this.#stop();
      this.#one();
    } else if (type === "goto") {
      this.next = Math.max(0, this.run.findIndex((m) => m.tick >= message.tick));
      this.restarted = true;
      this.#one();
    } else if (type === "read") {
      this.#later({ type: "answer", what: message.what, settings: this.ready.settings, log: [], tick: message.tick, arrays: {} });
    } else if (type === "action") {
      this.#later({ type: "error", message: "A recorded run cannot be changed.", fatal: false, arrays: {} });
    }
  }

  close() {
    this.#stop();
  }

  #play() {
    this.#stop();
    this.timer = setInterval(() => this.#one(), FRAME_MS);
  }

  #stop() {
    clearInterval(this.timer);
  }

  #one() {
    if (this.next >= this.run.length) {
      this.next = 0;
      this.restarted = true;
    }
    const message = this.run[this.next++];
    if (message.type === "frame" && this.restarted) {
      this.onmessage({ ...message, restarted: true });
      this.restarted = false;
    } else this.onmessage(message);
    if (message.type === "probe" && this.next < this.run.length) this.#one();
  }

  #marks() {
    const frames = this.run.filter((m) => m.type === "frame");
    return frames.map((m) => m.tick);
  }

  #later(...messages) {
    setTimeout(() => messages.forEach((m) => this.onmessage(m)), 0);
  }
}
