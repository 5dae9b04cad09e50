// Lesions: of what is marked, by tuning, of connections, of inputs; and the unlesioned twin.

import { h } from "./dom.js";

export class LesionPanel {
  constructor(lab) {
    this.lab = lab;
    this.body = h("div", { class: "lesions" });
    this.element = h("section", { class: "panel lesion-panel", "aria-labelledby": "lab-lesions" },
      h("div", { class: "head" }, h("h2", { id: "lab-lesions", text: "Lesion" })), this.body);
  }

  build(scene) {
    this.scene = scene;
    const kinds = scene.lesions ?? [];
    this.element.hidden = kinds.length === 0;
    const parts = [];
    this.byLabel = [];
    if (kinds.includes("neurons")) {
      this.marked = h("button", { type: "button", class: "act", onclick: () => this.#marked() });
      this.hint = h("p", { class: "note", text: "Drag a box over neurons, or click them, to mark them." });
      parts.push(this.hint, this.marked);
      const modality = scene.populations.some((p) => p.modality === "sight") ? "visual neurons" : "neurons";
      this.byLabel = (scene.labels ?? []).map((label, k) => ({
        k, words: `All ${modality} tuned to ${label}`, button: h("button", { type: "button", class: "act", onclick: () => this.#tuned(k) }),
      }));
      parts.push(...this.byLabel.map(({ button }) => button));
    }
    if (kinds.includes("synapses")) {
      this.regrow = h("input", { type: "checkbox" });
      const lateral = scene.projections.filter((p) => p.kind === "lateral");
      for (const projection of lateral.length ? lateral : scene.projections.slice(0, 1)) {
        const words = projection.kind === "lateral" ? "All lateral connections" : `All ${this.lab.composed.noun}`;
        parts.push(h("button", { type: "button", class: "act", onclick: () => this.#synapses(projection.name) }, words));
      }
      parts.push(h("label", { class: "check" }, this.regrow, ` removed ${this.lab.composed.noun} may regrow`));
    }
    this.silence = null;
    if (kinds.includes("inputs") && this.lab.pictures.some(({ markable }) => markable)) {
      this.silence = h("button", { type: "button", class: "act silence", onclick: () => this.#silence() });
      parts.push(this.silence);
    }
    this.twin = h("input", { type: "checkbox", onchange: () => this.lab.session.act({ kind: "twin", on: this.twin.checked }) });
    parts.push(h("label", { class: "check" }, this.twin, h("span", {}, " unlesioned ", h("b", { class: "twin", text: "twin" }), " with the same noise")));
    this.body.replaceChildren(...parts);
    this.show();
  }

  update(frame) {
    if (frame.arrays.tuning) this.tuning = frame.arrays.tuning;
    this.twinTuning = frame.arrays["twin.tuning"];
    this.alive = frame.arrays.alive ?? this.alive;
    if (this.twin && document.activeElement !== this.twin) this.twin.checked = Boolean(frame.twin);
    const now = performance.now();
    if (now - (this.shown ?? 0) > 400) this.show();
  }

  show() {
    this.shown = performance.now();
    if (!this.scene) return;
    const { neurons, inputs } = this.lab.selection;
    if (this.marked) {
      const n = neurons.size;
      set(this.marked, n ? `Lesion ${n} marked neuron${n === 1 ? "" : "s"}` : "Lesion marked neurons", n === 0);
      this.marked.classList.toggle("primary", n > 0);
    }
    for (const { k, words, button } of this.byLabel) {
      const n = this.tunedTo(k).length;
      set(button, `${words} (${n})`, n === 0);
    }
    if (this.silence) {
      const n = [...inputs.values()].reduce((sum, members) => sum + members.size, 0);
      set(this.silence, n ? `Silence ${n} marked inputs` : "Silence marked inputs", n === 0);
      this.silence.classList.toggle("primary", n > 0);
    }
  }

  /** Neurons that spike most for a label; of two senses, the visual ones. */
  tunedTo(label) {
    return this.tunedIn(this.tuning, label, this.alive);
  }

  /** The same from the tuning of any network. */
  tunedIn(tuning, label, alive = null) {
    const sight = this.scene.populations.filter((p) => p.modality === "sight");
    const found = [];
    for (const { first = 0, size } of sight.length ? sight : this.scene.populations) {
      for (let k = first; k < first + size; k++) if (this.preferred(k, tuning, alive) === label) found.push(k);
    }
    return found;
  }

  /** The label for which a neuron spikes most, or −1. */
  preferred(neuron, tuning = this.tuning, alive = this.alive) {
    const labels = this.scene?.labels?.length ?? 0;
    if (!tuning || (alive && !alive[neuron])) return -1;
    let best = -1;
    let most = 0;
    for (let k = 0; k < labels; k++) {
      const value = tuning[neuron * labels + k];
      if (value > most) [best, most] = [k, value];
    }
    return best;
  }

  #marked() {
    const members = [...this.lab.selection.neurons].sort((a, b) => a - b);
    if (members.length === 0) return;
    this.lab.session.act({ kind: "lesion", what: "neurons", population: null, members });
    this.lab.selection.clear();
  }

  #tuned(label) {
    const members = this.tunedTo(label);
    if (members.length) this.lab.session.act({ kind: "lesion", what: "neurons", population: null, members });
  }

  #synapses(projection) {
    this.lab.session.act({ kind: "lesion", what: "synapses", projection, regrow: this.regrow.checked });
  }

  #silence() {
    for (const [group, members] of this.lab.selection.inputs) {
      if (members.size) this.lab.session.act({ kind: "lesion", what: "inputs", group, members: [...members].sort((a, b) => a - b) });
    }
    this.lab.selection.clear();
  }
}

function set(button, words, disabled) {
  if (button.textContent !== words) button.textContent = words;
  button.disabled = disabled;
}
