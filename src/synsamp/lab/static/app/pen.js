// A pen draws the same picture on a canvas or as SVG: pictures never know which.
//
// A style has `fill`, `stroke`, `width`, `alpha`, `dash`; a text also `size`, `anchor`, `weight`, `turn`, `halo`.

/** Draws on a canvas whose units are CSS pixels. */
export class CanvasPen {
  constructor(context, font) {
    this.context = context;
    this.font = font;
    this.sheet = null;
  }

  rect(x, y, width, height, style, radius = 0) {
    this.context.beginPath();
    if (radius) this.context.roundRect(x, y, width, height, radius);
    else this.context.rect(x, y, width, height);
    this.#finish(style);
  }

  line(x1, y1, x2, y2, style) {
    this.path([[x1, y1], [x2, y2]], style);
  }

  /** A line through points; with `fill`, an area. */
  path(points, style) {
    if (points.length === 0) return;
    this.context.beginPath();
    points.forEach(([x, y], k) => (k ? this.context.lineTo(x, y) : this.context.moveTo(x, y)));
    if (style.fill) this.context.closePath();
    this.#finish(style);
  }

  /** Many separate lines of one style: x1, y1, x2, y2 of each in turn. */
  lines(ends, style) {
    this.context.beginPath();
    for (let k = 0; k + 3 < ends.length; k += 4) {
      this.context.moveTo(ends[k], ends[k + 1]);
      this.context.lineTo(ends[k + 2], ends[k + 3]);
    }
    this.#finish(style);
  }

  /** Many curves of one style, each from a point to another, bent towards a third. */
  curves(bends, style) {
    this.context.beginPath();
    for (const [x1, y1, x2, y2, cx, cy] of bends) {
      this.context.moveTo(x1, y1);
      this.context.quadraticCurveTo(cx, cy, x2, y2);
    }
    this.#finish(style);
  }

  circle(x, y, radius, style) {
    this.context.beginPath();
    this.context.arc(x, y, Math.max(0, radius), 0, 2 * Math.PI);
    this.#finish(style);
  }

  text(x, y, words, { fill, size = 11, anchor = "start", weight = 400, turn = 0, halo = null } = {}) {
    const context = this.context;
    context.save();
    context.fillStyle = fill;
    context.font = `${weight} ${size}px ${this.font}`;
    context.textAlign = { start: "left", middle: "center", end: "right" }[anchor];
    context.translate(x, y);
    if (turn) context.rotate((turn * Math.PI) / 180);
    if (halo) {
      context.strokeStyle = halo;
      context.lineWidth = 3;
      context.lineJoin = "round";
      context.strokeText(words, 0, 0);
    }
    context.fillText(words, 0, 0);
    context.restore();
  }

  /** RGBA pixels, enlarged; `smooth` blends them. */
  image(x, y, width, height, pixels, columns, rows, smooth = false) {
    this.sheet ??= document.createElement("canvas");
    if (this.sheet.width !== columns || this.sheet.height !== rows) {
      this.sheet.width = columns;
      this.sheet.height = rows;
    }
    this.sheet.getContext("2d").putImageData(new ImageData(pixels, columns, rows), 0, 0);
    this.context.imageSmoothingEnabled = smooth;
    this.context.imageSmoothingQuality = "high";
    this.context.drawImage(this.sheet, x, y, width, height);
  }

  /** Draw within a rectangle only. */
  clipped(x, y, width, height, draw) {
    this.context.save();
    this.context.beginPath();
    this.context.rect(x, y, width, height);
    this.context.clip();
    draw();
    this.context.restore();
  }

  widthOf(words, size = 11, weight = 400) {
    this.context.font = `${weight} ${size}px ${this.font}`;
    return this.context.measureText(words).width;
  }

  #finish({ fill, stroke, width = 1, alpha = 1, dash = null }) {
    const context = this.context;
    context.globalAlpha = alpha;
    if (fill) {
      context.fillStyle = fill;
      context.fill();
    }
    if (stroke) {
      context.strokeStyle = stroke;
      context.lineWidth = width;
      context.lineJoin = "round";
      context.lineCap = dash ? "butt" : "round";
      context.setLineDash(dash ?? []);
      context.stroke();
    }
    context.globalAlpha = 1;
  }
}
