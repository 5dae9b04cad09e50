// A recorded run in the place of an engine: it plays, pauses, steps and goes back, but cannot change.
//
// `recorded/<scene>.bin` holds messages as a WebSocket would carry them, each after its length.

import { decode } from "../transport.js";

const SCENES = new Set(["landscape", "spines", "digits", "senses", "reward"]);

export async function overRecording(scene) {
  const name = SCENES.has(scene) ? scene : "digits";
  const made = globalThis.synsampEngine?.recording?.(name);
  const bytes = made ?? (await fetched(new URL(`../recorded/${name}.bin`, import.meta.url)));
  return new Player(split(bytes));
}

async function fetched(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`the recorded run is missing (${answer.status})`);
  return answer.arrayBuffer();
}

function split(buffer) {
  const view = new DataView(buffer);
  const messages = [];
  for (let at = 0; at + 8 <= buffer.byteLength; ) {
    const length = view.getUint32(at, true);
    messages.push(decode(buffer.slice(at + 8, at + 8 + length)));
    at += 8 + length;
  }
  return messages;
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
      this.#later({ type: "answer", what: message.what, settings: this.ready.settings, log: [], arrays: {} });
    } else if (type === "action") {
      this.#later({ type: "error", message: "A recorded run cannot be changed.", fatal: false, arrays: {} });
    }
  }

  close() {
    this.#stop();
  }

  #play() {
    this.#stop();
    this.timer = setInterval(() => this.#one(), 66);
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
    return frames.filter((_, k) => k % Math.ceil(frames.length / 24) === 0).map((m) => m.tick);
  }

  #later(...messages) {
    setTimeout(() => messages.forEach((m) => this.onmessage(m)), 0);
  }
}
