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

  /** (p_S V^κ)^(1/T) at the middle of each bin: exact as the speed goes to 0. */
  density() {
    const r = this.scene.image.reward;
    const { "prior.mean": mean, "prior.std": std, temperature } = this.settings;
    const effect = (theta) =>
      r.x * Math.max(Math.exp(theta - r.theta_0) - Math.exp(-r.theta_0), 0);
    const other = effect(r.other_theta);
    const height = (theta) => {
      const chance = 1 / (1 + Math.exp(other - effect(theta)));
      const z = (theta - mean) / std;
      const logReward = Math.log(r.other + (r.best - r.other) * chance);
      return (-0.5 * z * z + r.exponent * logReward) / temperature;
    };
    const n = r.grid[2];
    const step = (r.grid[1] - r.grid[0]) / (n - 1);
    const whole = Array.from({ length: n }, (_, i) => height(r.grid[0] + i * step));
    const top = Math.max(...whole);
    const values = whole.map((h) => Math.exp(h - top));
    const scale = step * (values.reduce((a, b) => a + b, 0) - (values[0] + values[n - 1]) / 2);
    return Float32Array.from(middles(r.bins), (x) => Math.exp(height(x) - top) / scale);
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
    if (this.settings.temperature > 0) kept.density = this.density();
    const best = this.shares.best / Math.max(this.shares.total, 1e-300);
    return { arrays: kept, values: { dropped: values.dropped, stats: { reward: this.loop.mean, best } } };
  }
}

/** The nearest grid point, since adding up many periods rounds. */
function nearestGridPoint(time, grid) {
  const nearest = Math.round(time / grid) * grid;
  return Math.abs(time - nearest) <= 1e-9 * grid + 1e-15 * time ? nearest : time;
}
