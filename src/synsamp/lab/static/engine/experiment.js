/* A session as a Python file, in the same characters as `synsamp.lab.experiment_text`. */

/** A value as Python source in one line; keys in alphabetical order. */
export function literal(value) {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${literal(name)}: ${literal(value[name])}`).join(", ")}}`;
}

const lines = (values) =>
  values.length ? `[\n${values.map((one) => `        ${literal(one)},\n`).join("")}    ]` : "[]";

export const fileName = (scene) =>
  `lab_${scene.replace(/\.py$/, "").replace(/[^A-Za-z0-9_]/g, "_").slice(0, 40)}.py`;

/** The file that repeats a session up to now. */
export function experimentText({ scene, seed, opened, log, tick }) {
  const values = {
    file: fileName(scene.name),
    tick_s: literal(scene.tick_s),
    scene: literal(scene.name),
    seed: literal(seed),
    settings: literal(opened),
    actions: lines(log),
    ticks: literal(tick),
  };
  return scene.experiment_template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}
