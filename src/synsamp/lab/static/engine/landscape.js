/* Landscape: one point that wanders over a posterior (`synsamp.lab.scenes.landscape`). */

import { shaped } from "./matrices.js";
import { arraysIn, asArguments } from "./memory.js";
import { SeedSequence } from "./random.js";

const MOST_POINTS = 5000;
const MOST_PEAKS = 8;
const AT_ONCE = 100;
const STATE = ["theta", "stream", "buffer", "taken", "histogram"];

export class LandscapeScene {
  constructor(engine, scene) {
    Object.assign(this, { engine, scene, image: scene.engine });
  }

  model(seed, settings) {
    return new LandscapeModel(this, seed, settings);
  }

  set(models, settings, name) {
    for (const model of models) model.set(settings, name);
  }

  restore() {}
}

class LandscapeModel {
  constructor(scene, seed, settings) {
    Object.assign(this, { scene, tick: 0 });
    const { bins, block, rows } = scene.image;
    this.memory = arraysIn(scene.engine, {
      theta: ["float64", 2],
      numbers: ["float64", 6],
      centres: ["float64", MOST_PEAKS, 2],
      widths: ["float64", MOST_PEAKS],
      heights: ["float64", MOST_PEAKS],
      stream: ["uint32", 4, 64],
      words: ["uint32", block],
      buffer: ["float32", block],
      taken: ["int64", 1],
      path: ["float64", rows * AT_ONCE, 2],
      histogram: ["float64", bins, bins],
      density: ["float64", bins, bins],
    });
    if (seed !== null) {
      // that of the first chain of `synsamp.rule.Chains`
      this.memory.stream.view.set(new SeedSequence(seed, [0, 0]).stream());
      this.memory.taken.view[0] = BigInt(block);
      this.configure(settings);
    }
    this.forgetViews();
  }

  forgetViews() {
    this.path = [];
    this.told = false;
  }

  configure(settings) {
    this.settings = { ...settings };
    const { numbers, centres, widths, heights } = this.memory;
    const names = ["speed", "temperature", "data_size", "prior.mean", "prior.std"];
    numbers.view.set([...names.map((name) => settings[name]), this.scene.image.sqrt_dt]);
    this.peaks = settings.peaks.length;
    settings.peaks.forEach(([x, y, width, height], k) => {
      centres.view.set([x, y], 2 * k);
      widths.view[k] = width;
      heights.view[k] = height;
    });
    this.exact = null;
  }

  /** An array of which only the first ``n`` rows count. */
  first(place, n) {
    return asArguments({ ...place, dtype: place.dtype, shape: [n, ...place.shape.slice(1)] });
  }

  likelihood() {
    const { centres, widths, heights } = this.memory;
    return [centres, widths, heights].flatMap((place) => this.first(place, this.peaks));
  }

  advance(ticks) {
    const { theta, numbers, stream, words, buffer, taken, path, histogram } = this.memory;
    const { thin, rows, extent } = this.scene.image;
    const { engine } = this.scene;
    for (let left = ticks; left > 0; left -= AT_ONCE) {
      const n = rows * Math.min(left, AT_ONCE);
      engine.call(
        "landscape_advance", ...asArguments(theta), ...asArguments(numbers), ...this.likelihood(),
        ...[stream, words, buffer, taken].flatMap(asArguments), BigInt(thin), ...this.first(path, n),
      );
      engine.call("landscape_count", ...this.first(path, n), ...extent, ...asArguments(histogram));
      for (const value of path.view.subarray(0, 2 * n)) this.path.push(value);
      if (this.path.length > 4 * MOST_POINTS) this.path = this.path.slice(-2 * MOST_POINTS);
    }
    this.tick += ticks;
  }

  set(settings, name) {
    this.configure(settings);
    if (name === "speed") return;
    this.memory.histogram.view.fill(0);
    this.told = false;
  }

  save() {
    const arrays = STATE.map((name) => this.memory[name].view.slice());
    const bytes = arrays.reduce((sum, values) => sum + values.byteLength, 0);
    return { arrays, settings: { ...this.settings }, tick: this.tick, bytes };
  }

  restore(saved) {
    STATE.forEach((name, i) => this.memory[name].view.set(saved.arrays[i]));
    this.tick = saved.tick;
    this.forgetViews();
    this.configure(saved.settings);
  }

  copy() {
    const other = new LandscapeModel(this.scene, null);
    other.restore(this.save());
    return other;
  }

  free() {
    this.memory.room.free();
  }

  draw() {
    throw new Error("this scene shows no pictures; use the scene digits");
  }

  lesion({ what }) {
    throw new Error(`lesion must be one that the scene offers, got ${what}`);
  }

  get nSpikes() {
    return 0;
  }

  theta() {
    return { theta: this.memory.theta.view.slice() };
  }

  weights() {
    return {};
  }

  /** Probability of each bin under the posterior. */
  density() {
    if (!this.exact) {
      const { numbers, density } = this.memory;
      const { extent } = this.scene.image;
      this.scene.engine.call(
        "landscape_density", ...asArguments(numbers), ...this.likelihood(), ...extent,
        ...asArguments(density),
      );
      this.exact = density.view.slice();
    }
    return this.exact;
  }

  look() {
    const { bins, extent } = this.scene.image;
    const arrays = {};
    const path = Float32Array.from(this.path.slice(-2 * MOST_POINTS));
    arrays.path = shaped(path, [path.length / 2, 2]);
    this.path = [];
    const { view } = this.memory.histogram;
    arrays.histogram = shaped(Float32Array.from(view), [bins, bins]);
    const exact = this.density();
    if (!this.told) arrays.density = shaped(Float32Array.from(exact), [bins, bins]);
    this.told = true;
    const visits = view.reduce((a, b) => a + b, 0);
    const values = { extent: [...extent], visits };
    if (visits) {
      values.distance = 0.5 * view.reduce((sum, v, i) => sum + Math.abs(v / visits - exact[i]), 0);
    }
    return { arrays, values };
  }
}
