// What leaves the page: figures, numbers, the address, and the experiment as a Python file.

import { h, svg } from "./dom.js";
import { SvgPen } from "./svg_pen.js";

const GAP = 16;
const HEAD = 40;

export class Exports {
  constructor(lab) {
    this.lab = lab;
  }

  /** Save pictures as one SVG file. */
  svg(pictures = this.lab.pictures) {
    const text = new XMLSerializer().serializeToString(this.draw(pictures));
    save(new Blob([text], { type: "image/svg+xml" }), `${this.#stem(pictures)}.svg`);
  }

  /** Save pictures as one PNG file, at twice the size. */
  async png(pictures = this.lab.pictures) {
    const drawn = this.draw(pictures);
    const [width, height] = [drawn.width.baseVal.value, drawn.height.baseVal.value];
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(drawn))}`;
    await image.decode();
    const canvas = h("canvas", { width: 2 * width, height: 2 * height });
    const context = canvas.getContext("2d");
    context.scale(2, 2);
    context.drawImage(image, 0, 0);
    canvas.toBlob((blob) => save(blob, `${this.#stem(pictures)}.png`));
  }

  /** Copy the numbers of a picture as CSV. */
  async csv(picture) {
    const table = picture.table();
    if (!table) {
      this.lab.shell.say(`“${picture.title}” has no numbers yet.`);
      return;
    }
    const cell = (value) => (typeof value === "string" ? `"${value.replaceAll('"', '""')}"` : Number.isFinite(value) ? String(value) : "");
    const text = [table.header, ...table.rows].map((row) => row.map(cell).join(",")).join("\n");
    await this.#copy(`${text}\n`, `${table.rows.length} rows of “${picture.title}” are in the clipboard.`, `${this.#stem([picture])}.csv`);
  }

  /** Copy the address that opens this session again. */
  async copyAddress() {
    if (!this.lab.session?.scene) return;
    const hash = await this.lab.address();
    if (hash === null) {
      this.lab.shell.say("This session has too many actions for an address; use Save as experiment.", "bad");
      return;
    }
    if (!this.lab.model) history.replaceState(null, "", hash);
    const page = location.href.replace(/[?#].*$/, "");
    await this.#copy(`${page}${hash}`, "The address of this session is in the clipboard.", "address.txt");
  }

  /** Save a Python file that repeats the session. */
  async experiment() {
    const { session } = this.lab;
    if (!session?.scene) return;
    const answer = await session.read("experiment");
    if (!answer.text) {
      this.lab.shell.say("This engine cannot write an experiment.", "bad");
      return;
    }
    const name = answer.file ?? `${session.scene.name}.py`;
    save(new Blob([answer.text], { type: "text/x-python" }), name);
    this.lab.shell.say(`Repeat this session on 8 seeds with: synsamp run ${name} --trials 8`);
  }

  /** Dark to light and back. */
  turnTheme(to = this.lab.theme.dark ? "light" : "dark") {
    const { root } = this.lab;
    root.dataset.theme = to;
    if (!this.lab.model) document.documentElement.dataset.theme = root.dataset.theme;
    this.lab.recolour();
  }

  /** Pictures as they stand on the page, in one SVG element. */
  draw(pictures) {
    const { theme } = this.lab;
    const boxes = pictures.map((picture) => picture.element.getBoundingClientRect());
    const left = Math.min(...boxes.map((box) => box.left));
    const top = Math.min(...boxes.map((box) => box.top));
    const width = Math.round(Math.max(...boxes.map((box) => box.right)) - left + 2 * GAP);
    const height = Math.round(Math.max(...boxes.map((box) => box.bottom)) - top + 2 * GAP + HEAD);
    const drawn = svg("svg", { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`, "font-family": theme.font });
    drawn.append(svg("rect", { width, height, fill: theme.surface }));
    const words = { fill: theme.ink, "font-family": theme.font };
    drawn.append(svg("text", { x: GAP, y: 26, "font-size": 15, "font-weight": 600, ...words }, this.#caption()));
    pictures.forEach((picture, k) => {
      const sheet = picture.sheet.getBoundingClientRect();
      const x = boxes[k].left - left + GAP;
      const y = sheet.top - top + GAP + HEAD;
      drawn.append(svg("text", { x: x + 2, y: y - 10, "font-size": 12.5, "font-weight": 600, ...words }, picture.title));
      const dx = sheet.left - left + GAP;
      const group = svg("g", { transform: `translate(${dx.toFixed(1)} ${y.toFixed(1)})` });
      picture.draw(new SvgPen(group, theme.font), sheet.width, sheet.height, theme);
      drawn.append(group);
    });
    return drawn;
  }

  #caption() {
    const { session } = this.lab;
    return `synsamp lab · ${session.scene.title} · seed ${session.seed} · ${Math.round(session.time).toLocaleString("en-GB")} s of biological time`;
  }

  #stem(pictures) {
    const part = pictures.length === 1 ? `-${pictures[0].title.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 40)}` : "";
    return `synsamp-${this.lab.session.scene.name}${part}`.replace(/[^a-zA-Z0-9_-]/g, "");
  }

  async #copy(text, words, file) {
    try {
      await navigator.clipboard.writeText(text);
      this.lab.shell.say(words);
    } catch {
      save(new Blob([text], { type: "text/plain" }), file);
      this.lab.shell.say(`The clipboard is not available here, so ${file} was downloaded.`);
    }
  }
}

function save(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
