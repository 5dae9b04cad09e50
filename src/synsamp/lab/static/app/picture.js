// A picture: a title, one sentence, a drawing on a canvas, and its numbers.
//
// A kind of picture gives `draw(pen, width, height, theme)`, and if it has numbers `table()`.

import { h, newId } from "./dom.js";
import { CanvasPen } from "./pen.js";


export class Picture {
  constructor(lab, { title, sentence = "", area, label = "" }) {
    this.lab = lab;
    this.title = title;
    this.area = area;
    this.label = label || title;
    this.stale = true;
    const id = newId("picture");
    this.canvas = h("canvas", { role: "img", "aria-label": this.label });
    this.sheet = h("div", { class: "sheet" }, this.canvas);
    this.heading = h("h3", { id, text: title });
    this.sentence = sentence;
    this.note = h("p", { class: "note", text: sentence });
    this.tools = h("div", { class: "tools" }, ...this.#tools());
    this.element = h("figure", { class: `picture area-${area}`, "aria-labelledby": id },
      h("figcaption", {}, h("div", { class: "head" }, this.heading, this.tools), this.note), this.sheet);
    this.size = { width: 0, height: 0 };
    this.watcher = new ResizeObserver(([entry]) => this.#resize(entry.contentRect));
    this.watcher.observe(this.sheet);
  }

  /** Take what this picture shows from a frame. */
  update() {}

  /** Forget what a return to an earlier moment made untrue. */
  rewind() {}

  /** A sentence for those who do not see the picture. */
  summary() {
    return this.label;
  }

  /** Columns of numbers as `{header: [...], rows: [[...], …]}`, or null. */
  table() {
    return null;
  }

  redraw() {
    this.stale = true;
    this.lab.wake();
  }

  paint(theme) {
    const { width, height } = this.size;
    if (!this.stale || width < 2 || height < 2) return;
    this.stale = false;
    const context = this.canvas.getContext("2d");
    const ratio = this.canvas.width / width;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    this.pen ??= new CanvasPen(context, theme.font);
    this.pen.font = theme.font;
    this.draw(this.pen, width, height, theme);
  }

  describe() {
    const words = this.summary();
    if (words !== this.described) this.canvas.setAttribute("aria-label", words);
    this.described = words;
  }

  dispose() {
    this.watcher.disconnect();
  }

  #resize({ width, height }) {
    const ratio = Math.min(2, devicePixelRatio || 1);
    this.size = { width, height };
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.redraw();
  }

  #tools() {
    const button = (words, act) =>
      h("button", { type: "button", class: "tool", "aria-label": `${words} of “${this.title}”`, title: words, onclick: act },
        words.split(" ").at(-1));
    return [
      button("Save SVG", () => this.lab.exports.svg([this])),
      button("Save PNG", () => this.lab.exports.png([this])),
      button("Copy CSV", () => this.lab.exports.csv(this)),
    ];
  }
}

