/* Reward: a bandit with two arms (`synsamp.lab.scenes.reward`).
 *
 * The closed loop of `synsamp.environments.loop`: every period the bandit answers the spikes of the
 * last one with a reward, which sets dopamine relative to its running mean.
 */

import { countIn, middles } from "./histogram.js";
import { shaped } from "./matrices.js";
import { SpikingModel, SpikingScene } from "./spiking.js";

const ROUNDING = 1e-9;
const FORGET = 0.99;
const MOST_POINTS = 5000;

export class RewardScene extends SpikingScene {
  get Model() {
    return RewardModel;
  }
}

class RewardModel extends SpikingModel {
  constructor(scene, seed, settings) {
    super(scene, seed, settings);
    this.loop = { answers: 0, mean: 0 };
    this.counts = new Float64Array(scene.wiring.nNeurons);
    this.shares = { best: 0, total: 0 };
    this.histogram = new Float64Array(scene.image.reward.bins.length - 1);
    this.network.modulate(this.dopamine(0, 0));
  }

  firstTheta({ plastic }) {
    return plastic ? this.settings["prior.mean"] : this.scene.image.reward.other_theta;
  }

  stimulus() {
    const parts = [[[0, 1]]];
    return { presentation: () => ({ parts, label: null }) };
  }

  dopamine(reward, mean) {
    const { least, offset } = this.scene.image.reward;
    return reward / Math.max(mean, least) + offset;
  }

  get learning() {
    return this.scene.wiring.projections.find((p) => p.plastic);
  }

  advance(ticks) {
    for (let k = 0; k < ticks; k++) {
      super.advance(1);
      const [theta] = this.network.theta(this.learning);
      this.points.push([this.network.time, theta, this.loop.mean]);
      countIn(this.histogram, this.scene.image.reward.bins, theta);
    }
    this.points = this.points.slice(-MOST_POINTS);
  }

  simulate(onSpikes) {
    const until = this.tick * this.scene.scene.tick_s;
    const { period_s: period, per_spike: perSpike, keep, sync_s: sync } = this.scene.image.reward;
    const { loop, shares, counts } = this;
    const found = [0, 0];
    const take = (times, neurons) => {
      for (const neuron of neurons) {
        counts[neuron] += 1;
        found[neuron] += 1;
      }
      onSpikes(times, neurons);
    };
    for (;;) {
      const due = 0 + (loop.answers + 1) * period;
      if (due > until + ROUNDING * period) break;
      this.network.run(nearestGridPoint(due, sync), take);
      const reward = perSpike[0] * counts[0] + perSpike[1] * counts[1];
      counts.fill(0);
      loop.answers += 1;
      loop.mean = keep * loop.mean + (1 - keep) * reward;
      this.network.modulate(this.dopamine(reward, loop.mean));
    }
    this.network.run(until, take);
    shares.best = FORGET * shares.best + found[0];
    shares.total = FORGET * shares.total + found[0] + found[1];
  }

  set(settings, name) {
    super.set(settings, name);
    if (name !== "speed") this.histogram.fill(0);
  }

  save() {
    return {
      ...super.save(),
      loop: { ...this.loop },
      counts: this.counts.slice(),
      shares: { ...this.shares },
      histogram: this.histogram.slice(),
    };
  }

  restore(saved) {
    super.restore(saved);
    this.loop = { ...saved.loop };
    this.counts = saved.counts.slice();
    this.shares = { ...saved.shares };
    this.histogram = saved.histogram.slice();
  }

  forgetViews() {
    super.forgetViews();
    this.points = [];
  }

  theta() {
    const { name, n_pre: nPre } = this.learning;
    return { [name]: shaped(this.network.theta(this.learning).slice(0, nPre), [1, nPre]) };
  }

  weights() {
    return {};
  }

  /** Probability that a spike is of the better neuron. */
  chanceOfBest(theta) {
    const r = this.scene.image.reward;
    const effect = (v) => r.x * Math.max(Math.exp(v - r.theta_0) - Math.exp(-r.theta_0), 0);
    return 1 / (1 + Math.exp(effect(r.other_theta) - effect(theta)));
  }

  /** Prior p_S and theory (p_S V^κ)^(1/T) on the grid; theory is exact as the speed goes to 0. */
  densities() {
    const r = this.scene.image.reward;
    const { "prior.mean": mean, "prior.std": std, temperature } = this.settings;
    const grid = this.grid();
    const prior = grid.map((v) => -0.5 * ((v - mean) / std) ** 2);
    const reward = grid.map((v) => r.other + (r.best - r.other) * this.chanceOfBest(v));
    const theory = prior.map((v, i) => (v + r.exponent * Math.log(reward[i])) / temperature);
    const normalised = (logs) => {
      const top = Math.max(...logs);
      const heights = logs.map((v) => Math.exp(v - top));
      const scale = this.integral(heights);
      return heights.map((v) => v / scale);
    };
    return { prior: normalised(prior), theory: normalised(theory) };
  }

  grid() {
    const [low, high, n] = this.scene.image.reward.grid;
    return Array.from({ length: n }, (_, i) => low + (i * (high - low)) / (n - 1));
  }

  integral(values) {
    const [low, high, n] = this.scene.image.reward.grid;
    const sum = values.reduce((a, b) => a + b, 0) - (values[0] + values[n - 1]) / 2;
    return (sum * (high - low)) / (n - 1);
  }

  look(want, pointer) {
    const { arrays, values } = super.look(want, pointer);
    const kept = { spike_time: arrays.spike_time, spike_neuron: arrays.spike_neuron, alive: arrays.alive };
    for (const name of Object.keys(kept)) if (!kept[name]) delete kept[name];
    const { points } = this;
    this.points = [];
    kept.reward_time = Float64Array.from(points, ([time]) => time);
    kept.trace_time = kept.reward_time.slice();
    kept.trace = Float32Array.from(points, ([, theta]) => theta);
    kept.reward = Float32Array.from(points, ([, , mean]) => mean);
    kept.histogram = Float32Array.from(this.histogram);
    kept.bins = Float64Array.from(this.scene.image.reward.bins);
    const densities = this.densities();
    const grid = this.grid();
    const between = interpolated(grid, densities.theory);
    kept.density = Float32Array.from(middles(kept.bins), between);
    const { best, total } = this.shares;
    const stats = { reward: this.loop.mean, best: total ? best / total : null };
    for (const [name, density] of Object.entries(densities)) {
      stats[`best_${name}`] = this.integral(density.map((p, i) => p * this.chanceOfBest(grid[i])));
    }
    return { arrays: kept, values: { dropped: values.dropped, stats } };
  }
}

/** A function that is linear between the points of an even grid. */
function interpolated(grid, values) {
  return (x) => {
    const at = ((x - grid[0]) / (grid.at(-1) - grid[0])) * (grid.length - 1);
    const i = Math.max(0, Math.min(grid.length - 2, Math.floor(at)));
    return values[i] + (at - i) * (values[i + 1] - values[i]);
  };
}

/** The nearest grid point, since adding up many periods rounds. */
function nearestGridPoint(time, grid) {
  const nearest = Math.round(time / grid) * grid;
  return Math.abs(time - nearest) <= 1e-9 * grid + 1e-15 * time ? nearest : time;
}
