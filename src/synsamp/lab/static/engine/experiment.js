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

/** The file that repeats a session of ``ticks`` from its log. */
export function experimentText(template, { scene, tick_s, seed, settings, actions, ticks }) {
  const values = {
    file: fileName(scene),
    tick_s: literal(tick_s),
    scene: literal(scene),
    seed: literal(seed),
    settings: literal(settings),
    actions: lines(actions),
    ticks: literal(ticks),
  };
  return template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}
