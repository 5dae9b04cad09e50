// A tour of five short steps: what to watch, what to try, why it happens, which equation.

import { h } from "./dom.js";

export class Tour {
  constructor(lab) {
    this.lab = lab;
    this.steps = [];
    this.step = 0; // 0: closed
    this.count = h("span", { class: "count" });
    this.title = h("h2", {});
    this.words = h("p", {});
    this.equation = h("p", { class: "equation" });
    this.back = h("button", { type: "button", class: "quiet", onclick: () => this.show(this.step - 1) }, "Back");
    this.next = h("button", { type: "button", class: "act primary", onclick: () => this.#next() });
    this.element = h("section", { class: "tour", "aria-label": "Tour", hidden: true },
      h("div", { class: "tour-text", "aria-live": "polite" }, h("div", { class: "tour-head" }, this.count, this.title), this.words, this.equation),
      h("div", { class: "tour-buttons" }, this.back, this.next,
        h("button", { type: "button", class: "quiet", "aria-label": "Close the tour", title: "Close the tour (Esc)", onclick: () => this.close() }, "✕")));
  }

  /** The tour of a scene, at a step (1 … 5) or closed (0). */
  open(steps, step) {
    this.steps = steps;
    this.show(Math.min(step, steps.length));
  }

  show(step) {
    this.step = Math.max(0, step);
    const shown = this.steps[this.step - 1];
    this.element.hidden = !shown;
    this.lab.pictures.forEach((picture) => picture.element.classList.toggle("pointed", Boolean(shown) && shown.at.includes(picture.area)));
    if (!shown) return;
    this.count.textContent = `${this.step} of ${this.steps.length}`;
    this.title.textContent = shown.title;
    this.words.textContent = shown.words;
    this.equation.textContent = shown.equation ?? "";
    this.equation.hidden = !shown.equation;
    this.back.disabled = this.step === 1;
    this.next.textContent = this.step === this.steps.length ? "Done" : "Next";
    this.lab.addressBar.show();
  }

  toggle() {
    if (this.step) this.close();
    else {
      this.show(1);
      this.next.focus();
    }
  }

  close() {
    if (!this.step) return;
    this.show(0);
    this.lab.addressBar.show();
  }

  #next() {
    this.show(this.step === this.steps.length ? 0 : this.step + 1);
    if (!this.step) this.lab.addressBar.show();
  }
}
