// The state of a session as the part of the address after "#": short enough to send to a colleague.
//
// #scene=digits&seed=7&set.temperature=0.5&act=…&tick=12000&step=2
//
// `compact` shows only the main pictures and the lesions, to be embedded in another page.
// A drawn picture is written as two hexadecimal digits per pixel, which count hundredths.

const LONGEST = 8000;
const ACTIONS = new Set(["set", "lesion", "draw", "twin", "probe"]);

/** The state in an address; what cannot be read is left out. */
export function readAddress(hash) {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const state = { scene: query.get("scene") ?? "", settings: {}, actions: [] };
  const seed = Number(query.get("seed"));
  if (query.has("seed") && Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32) state.seed = seed;
  const tick = Number(query.get("tick"));
  if (query.has("tick") && Number.isInteger(tick) && tick > 0) state.tick = tick;
  const step = Number(query.get("step"));
  if (query.has("step") && Number.isInteger(step) && step > 0) state.step = step;
  if (query.has("compact")) state.compact = true;
  if (["dark", "light"].includes(query.get("theme"))) state.theme = query.get("theme");
  for (const [name, text] of query) {
    if (!name.startsWith("set.")) continue;
    const value = parsed(text);
    if (value !== undefined) state.settings[name.slice(4)] = value;
  }
  const actions = parsed(query.get("act") ?? "");
  if (Array.isArray(actions)) state.actions = actions.filter(sensible).map(drawn);
  return state;
}

/** The address of a state, or null if it would be too long. */
export function writeAddress({ scene, seed, settings = {}, actions = [], tick = 0, step = 0, compact = false, theme = "" }) {
  const query = new URLSearchParams();
  query.set("scene", scene);
  query.set("seed", String(seed));
  for (const [name, value] of Object.entries(settings)) query.set(`set.${name}`, JSON.stringify(value));
  if (actions.length) query.set("act", JSON.stringify(actions.map(short)));
  if (tick) query.set("tick", String(tick));
  if (step) query.set("step", String(step));
  if (compact) query.set("compact", "");
  if (theme) query.set("theme", theme);
  const hash = `#${query}`;
  return hash.length > LONGEST ? null : hash;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An action with its picture as text. */
function short(action) {
  if (!action.picture) return action;
  return { ...action, picture: action.picture.map((v) => Math.round(100 * v).toString(16).padStart(2, "0")).join("") };
}

/** An action with its picture as numbers. */
function drawn(action) {
  if (typeof action.picture !== "string") return action;
  return { ...action, picture: (action.picture.match(/../g) ?? []).map((pair) => parseInt(pair, 16) / 100) };
}

function sensible(action) {
  return action && Number.isInteger(action.tick) && action.tick >= 0 && ACTIONS.has(action.kind);
}
