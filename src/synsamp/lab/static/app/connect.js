// Choose the engine: a notebook's kernel, the local server, WebAssembly, or a recorded run.

import { overModel, overSocket, overWorker } from "../transport.js";
import { overRecording } from "./recorded.js";

/** A transport to the best engine there is; `why` says why it is a recording. */
export async function connect(model) {
  if (model) return { transport: overModel(model) };
  const query = new URLSearchParams(location.search);
  const token = query.get("token");
  if (token) return { transport: overSocket(socketAddress(token)) };
  if (query.has("recorded")) return recording("You asked for the recorded run.");
  if (typeof WebAssembly !== "object" || typeof Worker !== "function") {
    return recording("This browser has no WebAssembly, so it cannot simulate the network.");
  }
  try {
    const made = globalThis.synsampEngine?.worker?.();
    return { transport: overWorker(made ?? new Worker(new URL("../engine/worker.js", import.meta.url), { type: "module" })), spare: true };
  } catch (error) {
    return recording(`The engine could not start in this browser (${error.message}).`);
  }
}

/** The recorded run. */
export async function recording(why) {
  return { transport: await overRecording(), why };
}

function socketAddress(token) {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return `${scheme}://${location.host}/session?token=${encodeURIComponent(token)}`;
}
