/* The engine in a Web Worker: messages in, messages out (docs/reference/lab-protocol.md).
 *
 * It simulates in short slices, so that a message never waits long. A page that stops looking (a
 * tab in the background draws no frames) stops answering frames; then the worker pauses, and goes
 * on when the page looks again. What is simulated does not depend on it.
 */

import { Host } from "./host.js";

const SLICE_MS = 12;
const UNSEEN_MS = 5000;

function decoded(text) {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes.buffer;
}

/** The bytes of a file of the built engine, from this script's folder or from one HTML file. */
async function read(name) {
  const inlined = globalThis.synsampFiles?.[name];
  if (inlined !== undefined) return decoded(inlined);
  const answer = await fetch(new URL(name, globalThis.location.href));
  if (!answer.ok) throw new Error(`the file ${name} could not be loaded (${answer.status})`);
  return answer.arrayBuffer();
}

function send({ arrays = {}, ...message }) {
  const transfer = Object.values(arrays).map((values) => values.buffer);
  const shapes = Object.fromEntries(
    Object.entries(arrays).map(([name, values]) => [name, values.shape ?? [values.length]]),
  );
  globalThis.postMessage({ ...message, shapes, arrays }, transfer);
}

const host = new Host(read);
const channel = new MessageChannel();
let awake = false;
let alarm = 0;
let chain = Promise.resolve();
let shownAt = 0;

/** Whether the page has not looked at the last frame for long. */
const unseen = () => !host.seen && performance.now() - shownAt > UNSEEN_MS;

/** Go on soon, or when there is something to do. */
function wake() {
  clearTimeout(alarm);
  if (awake) return;
  const wait = host.playing && unseen() ? Infinity : host.isAhead ? 4 : host.idle(performance.now());
  if (wait === 0) {
    awake = true;
    channel.port2.postMessage(null);
  } else if (wait !== Infinity) {
    alarm = setTimeout(work, wait);
  }
}

channel.port1.onmessage = () => {
  awake = false;
  work();
};

function work() {
  const until = unseen() ? 0 : performance.now() + SLICE_MS;
  try {
    for (const message of host.work(until)) {
      if (message.type === "frame") shownAt = performance.now();
      send(message);
    }
  } catch (error) {
    host.playing = false;
    send({ type: "error", message: String(error.message ?? error), fatal: true });
  }
  wake();
}

globalThis.onmessage = (event) => {
  chain = chain.then(async () => {
    await host.take(event.data);
    work();
  });
};
