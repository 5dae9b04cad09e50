// Numbers over biological time, as many as a picture can show: older ones are thinned.

const MOST = 2400;

export class History {
  constructor() {
    this.clear();
  }

  clear() {
    this.time = [];
    this.series = new Map();
    this.marks = [];
    this.least = 0;
  }

  /** Add values by name at a time; names that are missing get gaps. */
  add(time, values) {
    const last = this.time.length - 1;
    if (last >= 0 && time <= this.time[last]) this.cut(time);
    const close = last >= 1 && time - this.time[last - 1] < this.least;
    if (close) {
      // The newest point moves on until it is far enough from the one before.
      this.time[last] = time;
      for (const [name, value] of Object.entries(values)) this.#column(name)[last] = value;
      return;
    }
    for (const name of Object.keys(values)) this.#column(name);
    this.time.push(time);
    for (const [name, column] of this.series) column.push(values[name] ?? NaN);
    if (this.time.length > MOST) this.#thin();
  }

  get(name) {
    return this.series.get(name) ?? [];
  }

  /** Forget everything from a time on. */
  cut(time) {
    const keep = this.time.findIndex((t) => t >= time);
    if (keep < 0) return;
    this.time.length = keep;
    for (const column of this.series.values()) column.length = keep;
  }

  #column(name) {
    if (!this.series.has(name)) this.series.set(name, new Array(this.time.length).fill(NaN));
    return this.series.get(name);
  }

  #thin() {
    const keep = (_, k) => k % 2 === 0;
    this.time = this.time.filter(keep);
    for (const [name, column] of this.series) this.series.set(name, column.filter(keep));
    this.least = (this.time.at(-1) - this.time[0]) / (MOST / 2) / 1.01;
  }
}
