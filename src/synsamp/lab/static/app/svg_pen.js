// The pen that writes SVG: the same calls as CanvasPen.

import { svg } from "./dom.js";

const round = (value) => String(Math.round(value * 100) / 100);

export class SvgPen {
  constructor(group, font) {
    this.group = group;
    this.font = font;
    this.clips = 0;
  }

  rect(x, y, width, height, style, radius = 0) {
    this.#add("rect", { x: round(x), y: round(y), width: round(Math.max(0, width)), height: round(Math.max(0, height)), rx: radius || null }, style);
  }

  line(x1, y1, x2, y2, style) {
    this.#add("line", { x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2) }, style);
  }

  path(points, style) {
    if (points.length === 0) return;
    const text = points.map(([x, y]) => `${round(x)},${round(y)}`).join(" ");
    this.#add(style.fill ? "polygon" : "polyline", { points: text }, style);
  }

  lines(ends, style) {
    const parts = [];
    for (let k = 0; k + 3 < ends.length; k += 4) {
      parts.push(`M${round(ends[k])} ${round(ends[k + 1])}L${round(ends[k + 2])} ${round(ends[k + 3])}`);
    }
    if (parts.length) this.#add("path", { d: parts.join("") }, style);
  }

  curves(bends, style) {
    const parts = bends.map((b) => b.map(round)).map(([x1, y1, x2, y2, cx, cy]) => `M${x1} ${y1}Q${cx} ${cy} ${x2} ${y2}`);
    if (parts.length) this.#add("path", { d: parts.join("") }, style);
  }

  circle(x, y, radius, style) {
    this.#add("circle", { cx: round(x), cy: round(y), r: round(Math.max(0, radius)) }, style);
  }

  text(x, y, words, { fill, size = 11, anchor = "start", weight = 400, turn = 0, halo = null } = {}) {
    const at = { x: round(x), y: round(y), "font-size": size, "text-anchor": anchor, "font-weight": weight };
    if (turn) at.transform = `rotate(${turn} ${round(x)} ${round(y)})`;
    this.group.append(svg("text", { ...at, fill, stroke: halo, "stroke-width": halo ? 3 : null, "paint-order": halo ? "stroke" : null }, words));
  }

  image(x, y, width, height, pixels, columns, rows, smooth = false) {
    const sheet = document.createElement("canvas");
    sheet.width = columns;
    sheet.height = rows;
    sheet.getContext("2d").putImageData(new ImageData(pixels, columns, rows), 0, 0);
    this.group.append(
      svg("image", {
        x: round(x), y: round(y), width: round(width), height: round(height),
        href: sheet.toDataURL("image/png"), "image-rendering": smooth ? "auto" : "pixelated", preserveAspectRatio: "none",
      }),
    );
  }

  clipped(x, y, width, height, draw) {
    const outer = this.group;
    // A nested svg clips its content, without an id that could clash with another figure.
    const inner = svg("svg", {
      x: round(x), y: round(y), width: round(width), height: round(height),
      viewBox: [x, y, width, height].map(round).join(" "), overflow: "hidden",
    });
    this.group = inner;
    draw();
    this.group = outer;
    outer.append(inner);
  }

  widthOf(words, size = 11) {
    return 0.55 * size * words.length;
  }

  #add(tag, properties, { fill, stroke, width = 1, alpha = 1, dash = null }) {
    this.group.append(
      svg(tag, {
        ...properties, fill: fill || "none", stroke, "stroke-width": stroke ? width : null,
        opacity: alpha === 1 ? null : round(alpha), "stroke-dasharray": dash ? dash.join(" ") : null,
        "stroke-linejoin": stroke ? "round" : null,
      }),
    );
  }
}
