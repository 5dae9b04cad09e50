/* Checks of messages; errors say what is wrong, what was given and what to do. */

export class Refused extends Error {}

export function refuse(name, rule, given, remedy) {
  const text = typeof given === "string" ? `'${given.slice(0, 60)}'` : short(given);
  return new Refused(`${name} ${rule}, got ${text}${remedy ? `; ${remedy}` : ""}`);
}

function short(given) {
  if (given === undefined || given === null) return "nothing";
  if (typeof given === "object") return Array.isArray(given) ? `a list of ${given.length}` : "an object";
  return String(given);
}

export function object(name, given) {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw refuse(name, "must be an object", given);
  }
  return given;
}

export function list(name, given, most = Infinity) {
  if (!Array.isArray(given)) throw refuse(name, "must be a list", given);
  if (given.length > most) throw refuse(name, `must have at most ${most} entries`, given.length);
  return given;
}

export function number(name, given, low, high, above = false) {
  const fits = typeof given === "number" && given <= high && (above ? given > low : given >= low);
  if (!fits) throw refuse(name, `must be a number from ${low} to ${high}`, given);
  return given;
}

export function whole(name, given, low, high) {
  if (!Number.isInteger(given) || given < low || given > high) {
    throw refuse(name, `must be a whole number from ${low} to ${high}`, given);
  }
  return given;
}

export function flag(name, given) {
  if (typeof given !== "boolean") throw refuse(name, "must be true or false", given);
  return given;
}

export function oneOf(name, given, known) {
  if (!known.includes(given)) throw refuse(name, `must be one of ${known.join(", ")}`, given);
  return given;
}

/** Different whole numbers below a size, at least one of them, in order. */
export function members(given, size) {
  list("members", given).forEach((k) => whole("members", k, 0, size - 1));
  if (given.length === 0) throw refuse("members", "must not be empty", 0, "choose at least one");
  return [...new Set(given)].sort((a, b) => a - b);
}
