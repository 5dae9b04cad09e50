// Every knob in sight: symbol, name, value with unit, the paper's value, and a way back.

import { h, newId } from "./dom.js";
import { number, typed } from "./format.js";

const STEPS = 200;

export class Knobs {
  constructor(lab) {
    this.lab = lab;
    this.rows = new Map();
    this.list = h("div", { class: "knobs" });
    this.element = h("section", { class: "panel knobs-panel", "aria-labelledby": "lab-knobs" },
      h("div", { class: "head" },
        h("h2", { id: "lab-knobs", text: "Parameters" }),
        h("button", { type: "button", class: "quiet", onclick: () => this.#resetAll(), text: "Reset all" })),
      this.list);
  }

  /** Rows for the knobs of a scene. */
  build(knobs) {
    this.rows.clear();
    this.list.replaceChildren(...knobs.filter((knob) => MAKERS[knob.kind]).map((knob) => this.#row(knob)));
  }

  /** Show the values that hold. */
  show(settings) {
    for (const [name, { knob, show, reset, element }] of this.rows) {
      if (!(name in settings)) continue;
      const value = settings[name];
      show(value);
      const changed = !same(value, knob.value);
      reset.disabled = !changed;
      element.classList.toggle("changed", changed);
    }
  }

  focus() {
    this.list.querySelector("input, button")?.focus();
  }

  #row(knob) {
    const id = newId("knob");
    const set = (value) => this.lab.set(knob, value);
    const { parts, show } = MAKERS[knob.kind](knob, id, set);
    const reset = h("button", {
      type: "button", class: "reset", "aria-label": `Reset ${knob.label}`, title: `Back to ${words(knob, knob.value)}`,
      onclick: () => set(knob.value),
    }, "↺");
    const paper = knob.paper === null || knob.paper === undefined ? null
      : h("button", { type: "button", class: "paper", title: "Use the value of the paper", onclick: () => set(knob.paper) },
        `paper: ${words(knob, knob.paper)}`);
    const unit = knob.unit ? h("span", { class: "unit", text: ` in ${knob.unit}` }) : null;
    const symbol = knob.symbol && knob.kind === "number" ? h("i", { class: "symbol", text: knob.symbol }) : null;
    const name = h("label", { for: id }, symbol, ` ${knob.label}`, unit);
    const element = h("div", { class: `knob ${knob.kind}` }, name, h("div", { class: "line" }, ...parts, h("span", { class: "way-back" }, paper, reset)));
    if (knob.help) element.title = knob.help;
    this.rows.set(knob.name, { knob, show, reset, element });
    return element;
  }

  #resetAll() {
    for (const { knob, reset } of this.rows.values()) if (!reset.disabled) this.lab.set(knob, knob.value);
  }
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function words(knob, value) {
  if (knob.kind === "switch") return value ? "on" : "off";
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "number" ? number(value) : String(value);
}

const MAKERS = { number: numberRow, switch: switchRow, choice: choiceRow, digits: digitsRow };

function numberRow(knob, id, set) {
  const log = knob.scale === "log";
  const low = log ? Math.log(knob.min) : knob.min;
  const high = log ? Math.log(knob.max) : knob.max;
  const value = (at) => {
    const exact = low + ((high - low) * at) / STEPS;
    return Number((log ? Math.exp(exact) : exact).toPrecision(log ? 2 : 3));
  };
  const place = (v) => Math.round((STEPS * ((log ? Math.log(Math.max(v, knob.min)) : v) - low)) / (high - low));
  const slider = h("input", {
    type: "range", min: 0, max: STEPS, step: 1, "aria-label": `${knob.label} slider`, tabindex: 0,
    oninput: () => set(Math.min(knob.max, Math.max(knob.min, value(Number(slider.value))))),
  });
  const box = h("input", {
    type: "text", inputmode: "decimal", id, autocomplete: "off", spellcheck: "false", class: "value",
    onchange: () => {
      const given = Number(box.value.replace(",", "."));
      const good = box.value.trim() !== "" && Number.isFinite(given) && given >= knob.min && given <= knob.max;
      box.setCustomValidity(good ? "" : `Give a number from ${typed(knob.min)} to ${typed(knob.max)}.`);
      box.reportValidity();
      if (good) set(given);
    },
  });
  const show = (v) => {
    slider.value = String(place(v));
    slider.setAttribute("aria-valuetext", `${number(v)} ${knob.unit ?? ""}`);
    if (document.activeElement !== box) box.value = typed(v);
  };
  return { parts: [slider, box], show };
}

function switchRow(knob, id, set) {
  const box = h("input", { type: "checkbox", id, role: "switch", onchange: () => set(box.checked) });
  const show = (v) => {
    box.checked = Boolean(v);
  };
  return { parts: [box], show };
}

function choiceRow(knob, id, set) {
  const options = (knob.choices ?? []).map((choice, k) => h("option", { value: k, text: String(choice) }));
  const box = h("select", { id, onchange: () => set(knob.choices[Number(box.value)]) }, ...options);
  const show = (v) => {
    box.value = String((knob.choices ?? []).findIndex((choice) => same(choice, v)));
  };
  return { parts: [box], show };
}

function digitsRow(knob, id, set) {
  let chosen = [];
  const buttons = (knob.choices ?? []).map((digit, k) =>
    h("button", {
      type: "button", class: "digit", id: k === 0 ? id : null, "aria-pressed": "false", text: String(digit),
      onclick: () => {
        const next = chosen.includes(digit) ? chosen.filter((d) => d !== digit) : [...knob.choices].filter((d) => d === digit || chosen.includes(d));
        if (next.length) set(next);
      },
    }));
  const show = (v) => {
    chosen = Array.isArray(v) ? v : [v];
    buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(chosen.includes(knob.choices[k]))));
  };
  return { parts: [h("span", { class: "digits", role: "group", "aria-label": knob.label }, ...buttons)], show };
}
