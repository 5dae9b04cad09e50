// Connections over time: how many are active, and how many form and are lost per hour.

import { Axes, ticks } from "../app/axes.js";
import { number, timeUnit } from "../app/format.js";
import { Picture } from "../app/picture.js";

const SLOPES = 24;

export class Connections extends Picture {
  constructor(lab, options, { projection, possible }) {
    super(lab, options);
    Object.assign(this, { projection, possible });
  }

  draw(pen, width, height, theme) {
    const { history, session } = this.lab;
    const end = Math.max(session?.time ?? 1, 1);
    const unit = timeUnit(end);
    const time = history.time.map((t) => t / unit.seconds);
    const network = history.get(`active.${this.projection}`);
    const twin = history.get(`twin.active.${this.projection}`);
    const split = height > 130 ? Math.round(0.6 * height) : height;
    const highest = Math.max(10, ...network.filter(Number.isFinite), ...twin.filter(Number.isFinite));
    const x = [0, end / unit.seconds];
    const axes = new Axes(pen, theme, { x: 0, y: 0, width, height: split, left: 48, right: 10 }, {
      x, y: [0, highest * 1.3], yLabel: `active, of ${number(this.possible)} possible`, xTicks: split < height ? [] : null,
      xLabel: split < height ? "" : `time, ${unit.name}`,
    });
    axes.lesions(this.lab, unit);
    axes.curve(time, twin, { stroke: theme.twin, width: 1.6 });
    axes.curve(time, network, { stroke: theme.network, width: 2 });
    this.#names(axes, time, network, twin, theme);
    if (split < height) this.#turnover(pen, { x: 0, y: split, width, height: height - split, left: 48, right: 10 }, theme, x, unit);
  }

  table() {
    const { history } = this.lab;
    const names = [`active.${this.projection}`, `twin.active.${this.projection}`, `formed.${this.projection}`, `lost.${this.projection}`];
    const columns = names.map((name) => history.get(name));
    return {
      header: ["time_s", "active", "active_twin", "formed_total", "lost_total"],
      rows: history.time.map((t, k) => [t, ...columns.map((column) => column[k] ?? NaN)]),
    };
  }

  summary() {
    const now = this.lab.history.get(`active.${this.projection}`).at(-1);
    return `${this.label}. ${now === undefined ? "" : `${number(now)} of ${number(this.possible)} possible connections are active.`}`;
  }

  #names(axes, time, network, twin, theme) {
    const at = time.at(-1);
    const [a, b] = [network.at(-1), twin.at(-1)];
    if (at === undefined || !Number.isFinite(a)) return;
    const apart = Number.isFinite(b);
    axes.name(at, a, `network ${number(a)}`, theme.network, { anchor: "end", dy: apart ? (a < b && a > 0.25 * b ? 15 : -7) : falling(network) ? 15 : -7 });
    if (apart) axes.name(at, b, `twin ${number(b)}`, theme.twin, { anchor: "end", dy: a < b ? -7 : 15 });
  }

  #turnover(pen, box, theme, x, unit) {
    const { history } = this.lab;
    const formed = this.#perHour(history.get(`formed.${this.projection}`));
    const lost = this.#perHour(history.get(`lost.${this.projection}`));
    // What a lesion itself takes would hide all the rest, so it may leave the picture.
    const usual = [...lost.rate].sort((a, b) => a - b)[Math.floor(0.9 * lost.rate.length)] ?? 0;
    const highest = 1.2 * Math.max(1, ...formed.rate, usual);
    const axes = new Axes(pen, theme, box, {
      x, y: [0, highest], yLabel: "per hour", xLabel: `time, ${unit.name}`, yTicks: ticks(0, highest, 2),
    });
    const scaled = (times) => times.map((t) => t / unit.seconds);
    const { area } = axes;
    pen.clipped(area.x, area.y, area.width, area.height + 1, () => {
      axes.curve(scaled(lost.time), lost.rate, { stroke: theme.lost, width: 1.6, dash: [5, 3] });
      axes.curve(scaled(formed.time), formed.rate, { stroke: theme.formed, width: 1.6 });
    });
    const right = area.x + area.width;
    pen.text(right, box.y + 9, "formed", { fill: theme.formed, size: 11, weight: 600, anchor: "end" });
    pen.text(right - 48, box.y + 9, "lost", { fill: theme.lost, size: 11, weight: 600, anchor: "end" });
  }

  /** The slope of a running total. The engine counts now and then, so slopes run from count to count. */
  #perHour(total) {
    const { time } = this.lab.history;
    const found = { time: [], rate: [] };
    const window = ((time.at(-1) ?? 0) - (time[0] ?? 0)) / SLOPES;
    let from = -1;
    let longest = window;
    for (let k = 1; k < time.length; k++) {
      if (!(total[k] > total[k - 1])) continue;
      if (from >= 0 && time[k] - time[from] < window) continue;
      if (from >= 0) {
        longest = Math.max(window, time[k] - time[from]);
        found.time.push(0.5 * (time[k] + time[from]));
        found.rate.push((3600 * (total[k] - total[from])) / (time[k] - time[from]));
      }
      from = k;
    }
    if (from >= 0 && time.at(-1) - time[from] > 3 * longest) {
      found.time.push(time.at(-1));
      found.rate.push(0); // nothing has changed for some counts
    }
    return found;
  }
}

/** Whether a curve came from above, so that a name fits better below its end. */
function falling(values) {
  const before = values[Math.floor(0.6 * values.length)];
  return before > 1.05 * values.at(-1);
}
