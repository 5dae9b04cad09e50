/* From rates to the alias tables from which the kernel draws input spikes. */

import { arrayArguments } from "./memory.js";
import { pairwiseSum } from "./sums.js";

/** Alias tables of rows of rates, each made when it is first shown. */
export class Tables {
  constructor(wiring, rows) {
    Object.assign(this, { wiring, engine: wiring.engine, rows });
    this.start = []; // first entry of each group's tables
    let entries = 0;
    wiring.groups.forEach(({ size }, g) => {
      this.start.push(entries);
      entries += size * rows[g].count;
    });
    this.room = this.engine.room(8 * Math.max(entries, 1));
    this.entries = Math.max(entries, 1);
    const widest = Math.max(...wiring.groups.map((g) => g.size), 1);
    this.work = this.engine.room(3 * 8 * (widest + 8));
    this.rates = this.work.take(8 * widest);
    this.share = this.work.take(8 * widest);
    this.pending = this.work.take(8 * widest);
    this.forget();
  }

  forget() {
    this.made = this.rows.map(({ count }) => new Float64Array(count).fill(NaN));
  }

  /** Total rate (Hz) of a row, and where its table starts. */
  of(group, row, silenced) {
    const size = this.wiring.groups[group].size;
    const at = this.start[group] + row * size;
    if (Number.isNaN(this.made[group][row])) {
      const rates = new Float64Array(this.engine.memory.buffer, this.rates, size);
      this.rows[group].write(row, rates);
      if (silenced) silenced.forEach((off, i) => off && (rates[i] = 0));
      this.made[group][row] = pairwiseSum(rates, 0, size);
      this.engine.call(
        "fill_alias_table",
        ...arrayArguments(this.rates, [size], 8),
        ...arrayArguments(this.share, [size], 8),
        ...arrayArguments(this.pending, [size], 8),
        ...arrayArguments(this.room.address + 8 * at, [size], 8),
      );
    }
    return { rate: this.made[group][row], at };
  }

  free() {
    this.room.free();
    this.work.free();
  }
}
