// Spike raster: one row per neuron, one tick per spike, the last seconds of biological time.

import { Axes } from "../app/axes.js";
import { Picture } from "../app/picture.js";

const MOST = 20_000;

export class Raster extends Picture {
  constructor(lab, options, { count, window_s = 2, rowNames = null }) {
    super(lab, options);
    Object.assign(this, { count, window_s, rowNames });
    this.rewind();
  }

  rewind() {
    this.network = { time: [], neuron: [] };
    this.twin = { time: [], neuron: [] };
    this.now = this.lab.session?.time ?? 0;
    this.hasTwin = false;
  }

  update(frame) {
    this.now = frame.time_s;
    this.hasTwin = Boolean(frame.arrays["twin.spike_time"]);
    this.#keep(this.network, frame.arrays.spike_time, frame.arrays.spike_neuron);
    this.#keep(this.twin, frame.arrays["twin.spike_time"], frame.arrays["twin.spike_neuron"]);
  }

  draw(pen, width, height, theme) {
    const half = this.hasTwin ? height / 2 - 4 : height;
    this.#rows(pen, { x: 0, y: 0, width, height: half, left: this.rowNames ? 44 : 26 }, theme, this.network, theme.network, !this.hasTwin, this.hasTwin ? "network" : "");
    if (this.hasTwin) this.#rows(pen, { x: 0, y: half, width, height: height - half, left: this.rowNames ? 44 : 26 }, theme, this.twin, theme.twin, true, "twin");
  }

  table() {
    const rows = this.network.time.map((t, k) => [t, this.network.neuron[k], "network"]);
    this.twin.time.forEach((t, k) => rows.push([t, this.twin.neuron[k], "twin"]));
    return { header: ["time_s", "neuron", "of"], rows };
  }

  summary() {
    const rate = this.network.time.length / this.window_s / this.count;
    return `${this.label}. On average ${rate.toFixed(1)} spikes per second and neuron.`;
  }

  #rows(pen, box, theme, spikes, colour, labelled, name) {
    const from = this.now - this.window_s;
    const names = this.rowNames ?? [{ at: 0, name: "1" }, { at: this.count - 1, name: String(this.count) }];
    const axes = new Axes(pen, theme, box, {
      x: [-this.window_s, 0], y: [this.count, 0], yTicks: names.map(({ at }) => at + 0.5),
      yText: (v) => names.find(({ at }) => at + 0.5 === v)?.name ?? "", xLabel: labelled ? "time before now, s" : "",
      xTicks: labelled ? null : [], yLabel: name, yColour: colour,
    });
    const row = axes.area.height / this.count;
    const ends = [];
    for (let k = 0; k < spikes.time.length; k++) {
      const t = spikes.time[k];
      if (t < from) continue;
      const x = axes.x(t - this.now);
      const y = axes.area.y + spikes.neuron[k] * row;
      ends.push(x, y + 0.1 * row, x, y + 0.9 * row);
    }
    pen.lines(ends, { stroke: colour, width: this.count > 30 ? 1 : 1.5 });
  }

  #keep(kept, time, neuron) {
    if (!time) return;
    const from = this.now - this.window_s;
    let first = 0;
    while (first < kept.time.length && kept.time[first] < from) first++;
    kept.time.splice(0, first);
    kept.neuron.splice(0, first);
    for (let k = Math.max(0, time.length - MOST); k < time.length; k++) {
      if (time[k] < from) continue;
      kept.time.push(time[k]);
      kept.neuron.push(neuron[k]);
    }
  }
}
