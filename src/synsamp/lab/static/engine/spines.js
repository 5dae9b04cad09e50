/* Spines: one dendrite observed at every tick (`synsamp.lab.scenes.spines`). */

import { countIn, middles } from "./histogram.js";
import { arraysIn, asArguments } from "./memory.js";
import { SpikingModel, SpikingScene } from "./spiking.js";

export class SpinesScene extends SpikingScene {
  get Model() {
    return SpinesModel;
  }
}

class SpinesModel extends SpikingModel {
  constructor(scene, seed, settings) {
    super(scene, seed, settings);
    this.prepare();
  }

  get dendrite() {
    return this.scene.wiring.projections[0];
  }

  /** Start to observe. */
  prepare() {
    const { lags, grid, bins } = this.scene.image.spines;
    const n = this.dendrite.n_pre;
    this.seen ??= arraysIn(this.scene.engine, {
      runs: ["int64", n],
      present: ["int64", lags],
      kept: ["float64", lags],
      total: ["float64", lags],
      theta: ["float64", n],
      work: ["float64", 2 * grid + grid * grid],
      law: ["float64", lags],
    });
    for (const name of ["kept", "total"]) this.seen[name].view.fill(0);
    this.seen.runs.view.fill(0n);
    this.seen.present.view.fill(-1n);
    this.histogram = new Float64Array(bins.length - 1);
    this.law = null;
  }

  advance(ticks) {
    for (let k = 0; k < ticks; k++) {
      super.advance(1);
      const { theta, runs, present, kept, total } = this.seen;
      this.network.theta(this.dendrite, theta.view);
      const arrays = [theta, runs, present, kept, total].flatMap(asArguments);
      this.scene.engine.call("survival_observe", ...arrays);
      for (const value of theta.view) countIn(this.histogram, this.scene.image.spines.bins, value);
    }
  }

  set(settings, name) {
    super.set(settings, name);
    this.prepare();
  }

  save() {
    const { runs, present, kept, total } = this.seen;
    const observed = [runs, present, kept, total].map((place) => place.view.slice());
    return { ...super.save(), observed, histogram: this.histogram.slice() };
  }

  restore(saved) {
    super.restore(saved);
    this.prepare();
    ["runs", "present", "kept", "total"].forEach((name, i) => {
      this.seen[name].view.set(saved.observed[i]);
    });
    this.histogram = saved.histogram.slice();
  }

  free() {
    super.free();
    this.seen.room.free();
  }

  /** Survival under prior and noise alone. */
  survivalLaw() {
    if (!this.law) {
      const s = this.settings;
      const numbers = [s["prior.mean"], s["prior.std"], s.speed, s.temperature];
      const { work, law } = this.seen;
      const every = this.scene.scene.tick_s;
      const arrays = [work, law].flatMap(asArguments);
      this.scene.engine.call("survival_law", ...numbers, every, ...arrays);
      this.law = Float32Array.from(law.view);
    }
    return this.law.slice();
  }

  look(want, pointer) {
    const found = super.look(want, pointer);
    const { arrays, values } = found;
    const { bins } = this.scene.image.spines;
    const s = this.settings;
    const theta = this.network.theta(this.dendrite);
    const { kept, total } = this.seen;
    arrays.sizes = Float32Array.from(theta, (v) => (v > 0 ? Math.exp(v - this.dendrite.theta_0) : 0));
    arrays.survival_time = Float64Array.from(kept.view, (_, k) => k * this.scene.scene.tick_s);
    arrays.survival = Float32Array.from(kept.view, (v, k) =>
      total.view[k] > 0 ? v / Math.max(total.view[k], 1) : NaN,
    );
    arrays.histogram = Float32Array.from(this.histogram);
    arrays.bins = Float64Array.from(bins);
    if (s.data_size === 0 && s.temperature > 0) {
      arrays.survival_law = this.survivalLaw();
      const width = s["prior.std"] * Math.sqrt(s.temperature);
      arrays.density = Float32Array.from(middles(bins), (x) => {
        const z = (x - s["prior.mean"]) / width;
        return Math.exp(-0.5 * z * z) / (width * Math.sqrt(2 * Math.PI));
      });
    }
    values.stats = { active: theta.reduce((sum, v) => sum + (v > 0 ? 1 : 0), 0) };
    return found;
  }
}
