// A layer of buttons over neurons drawn on a canvas: click, drag a box, or use the keyboard.

import { h } from "./dom.js";

const STILL = 4;

export class NeuronLayer {
  /** `place(width, height)` gives a box for each neuron; `moved(event, neuron)` hears the pointer. */
  constructor(picture, { count, name, place, number, moved = () => {}, left = () => {} }) {
    Object.assign(this, { picture, place, number, moved, left });
    this.selection = picture.lab.selection;
    this.buttons = Array.from({ length: count }, (_, k) =>
      h("button", { type: "button", class: "neuron", tabindex: k ? -1 : 0, "aria-pressed": "false", "aria-label": name(k), "data-k": k }));
    this.band = h("div", { class: "band", hidden: true });
    this.element = h("div", {
      class: "layer", role: "group", "aria-label": "Neurons: mark them for a lesion",
      onpointerdown: (event) => this.#down(event), onpointermove: (event) => this.#move(event),
      onpointerup: (event) => this.#up(event), onpointercancel: () => this.#end(), onpointerleave: () => this.left(),
      onkeydown: (event) => this.#key(event), onclick: (event) => this.#click(event),
    }, ...this.buttons, this.band);
    picture.sheet.append(this.element);
    new ResizeObserver(() => this.relayout()).observe(picture.sheet);
  }

  show(alive, name) {
    this.buttons.forEach((button, k) => {
      const neuron = this.number(k);
      button.setAttribute("aria-pressed", String(this.selection.neurons.has(neuron)));
      button.disabled = Boolean(alive) && !alive[neuron];
      if (name) button.setAttribute("aria-label", name(k));
    });
  }

  /** Put the buttons over the neurons again. */
  relayout() {
    const { clientWidth: width, clientHeight: height } = this.picture.sheet;
    this.boxes = this.place(width, height);
    this.buttons.forEach((button, k) => {
      const { x, y, width: w, height: v } = this.boxes[k];
      Object.assign(button.style, { left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${v}px` });
    });
  }

  #at(event) {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #down(event) {
    if (event.button !== 0) return;
    this.from = this.#at(event);
    this.dragged = false;
    this.pointerId = event.pointerId;
  }

  #move(event) {
    const at = this.#at(event);
    if (!this.from) {
      const k = (this.boxes ?? []).findIndex((b) => at.x >= b.x && at.x < b.x + b.width && at.y >= b.y && at.y < b.y + b.height);
      this.moved(k, at);
      return;
    }
    if (!this.dragged && Math.hypot(at.x - this.from.x, at.y - this.from.y) < STILL) return;
    if (!this.dragged) this.element.setPointerCapture(this.pointerId);
    this.dragged = true;
    const box = boxOf(this.from, at);
    this.band.hidden = false;
    Object.assign(this.band.style, { left: `${box.x}px`, top: `${box.y}px`, width: `${box.width}px`, height: `${box.height}px` });
    const inside = this.boxes.flatMap((b, k) => (overlap(b, box) && !this.buttons[k].disabled ? [this.number(k)] : []));
    this.selection.setNeurons(inside, { add: event.shiftKey });
  }

  #up() {
    this.#end();
  }

  #end() {
    this.from = null;
    this.band.hidden = true;
  }

  #click(event) {
    const k = event.target.dataset?.k;
    if (k === undefined || this.dragged) {
      this.dragged = false;
      return;
    }
    this.selection.setNeurons([this.number(Number(k))], { toggle: true });
  }

  #key(event) {
    const k = Number(event.target.dataset?.k);
    if (!Number.isInteger(k)) return;
    const { x, y } = this.boxes[k];
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    const along = (b) => (b.x - x) * way[0] + (b.y - y) * way[1];
    const across = (b) => Math.abs((b.x - x) * way[1]) + Math.abs((b.y - y) * way[0]);
    const ahead = this.boxes.map((b, j) => j).filter((j) => along(this.boxes[j]) > 1 && !this.buttons[j].disabled);
    ahead.sort((a, b) => along(this.boxes[a]) + 3 * across(this.boxes[a]) - along(this.boxes[b]) - 3 * across(this.boxes[b]));
    if (ahead.length === 0) return;
    this.buttons.forEach((button, j) => (button.tabIndex = j === ahead[0] ? 0 : -1));
    this.buttons[ahead[0]].focus();
  }
}

const boxOf = (a, b) => ({ x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y) });
const overlap = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
