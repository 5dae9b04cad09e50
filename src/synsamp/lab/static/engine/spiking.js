/* A spiking network in the lab: as `synsamp.lab.spiking_model`, over the compiled engine. */

import { flag, members, oneOf, refuse } from "./arguments.js";
import { results } from "./decoding.js";
import { shaped, together } from "./matrices.js";
import { Network } from "./network.js";
import { SeedSequence, normal } from "./random.js";
import { Rows, paired, roundHalfEven, shuffled } from "./stimulus.js";
import { Tuning } from "./tuning.js";
import { Turnover } from "./turnover.js";
import { Wiring } from "./wiring.js";

const MOST_SPIKES = 20000;
const RULE = ["speed", "temperature", "data_size", "prior.mean", "prior.std", "clip"];
const ORDERS = { shuffled, paired };

/** The wiring of a scene, and what its networks are shown. */
export class SpikingScene {
  constructor(engine, scene, data) {
    Object.assign(this, { engine, scene, image: scene.engine });
    this.wiring = new Wiring(engine, this.image.network, data);
    this.data = data;
    const { projections } = this.wiring;
    const place = new Map(projections.map((p, i) => [p.name, i]));
    this.joined = Object.entries(this.image.joined).map(([name, blocks]) => {
      const grid = blocks.map((row) => row.map((one) => projections[place.get(one)]));
      return {
        name,
        grid,
        places: blocks.flat().map((one) => place.get(one)),
        shape: [
          grid.reduce((sum, row) => sum + row[0].n_post, 0),
          grid[0].reduce((sum, p) => sum + p.n_pre, 0),
        ],
      };
    });
  }

  /** Write the parameters of the rule. */
  configure(settings) {
    const { Numbers, Wiring: wires } = this.wiring;
    const { blocks, variants } = this.image.network;
    const values = Object.fromEntries(RULE.map((name) => [name, settings[name]]));
    blocks.forEach((block, b) => {
      if (!block.plastic) return;
      if (block.precision !== null) {
        Numbers.plasticity.view[block.precision] = values["prior.std"] ** -2;
      }
      Numbers.speed.view[b] = values.speed;
      Numbers.temperature.view[b] = values.temperature;
      Numbers.prior.view[block.prior] = values["prior.mean"];
      Numbers.prior.view[block.prior + 1] = values["prior.std"];
      if (!variants) return;
      const alpha = Numbers.plasticity.view[block.plasticity + 1];
      const mostAt = Math.log(values.clip / alpha);
      Numbers.plasticity.view[block.plasticity] = values.data_size;
      Numbers.plasticity.view[block.plasticity + 2] = mostAt;
      Numbers.plasticity.view[block.plasticity + 3] = values.clip;
      const early = mostAt >= 0 && mostAt <= 4;
      const chosen = variants[`${settings.learn_when_retracted ?? true},${early}`];
      wires.on_post.view[b] = BigInt(this.engine.index(chosen[b]));
    });
  }

  get Model() {
    return SpikingModel;
  }

  model(seed, settings) {
    this.configure(settings);
    return new this.Model(this, seed, settings);
  }

  /** Change the rule for all models of a session, or their stimuli. */
  set(models, settings, name) {
    if (RULE.includes(name)) {
      for (const model of models) model.network.bringUpToDate();
      this.configure(settings);
      for (const model of models) model.network.renewColumns();
    }
    for (const model of models) model.set(settings, name);
  }

  restore(settings) {
    this.configure(settings);
  }
}

export class SpikingModel {
  constructor(scene, seed, settings) {
    Object.assign(this, { scene, seed, settings: { ...settings }, tick: 0 });
    const { wiring, image, data } = scene;
    this.rows = image.rows.map((one) => new Rows(one, data));
    this.network = new Network(wiring, seed, this.rows);
    this.labels = image.tuning_labels;
    this.tuning = new Tuning(wiring.nNeurons, this.labels);
    this.drawn = false;
    this.lastShown = null;
    this.turnover = new Turnover(image.count_every);
    this.forgetViews();
    this.network.setTheta((which, post, pre) => this.firstTheta(wiring.projections[which], post, pre));
    this.network.setStimulus(this.stimulus());
  }

  /** θ at time 0, drawn from the prior. */
  firstTheta({ n_pre: nPre, stream }, post, pre) {
    const { seed, settings } = this;
    return settings["prior.mean"] + settings["prior.std"] * normal(seed, post * nPre + pre, stream);
  }

  stimulus() {
    const { image } = this.scene;
    const labels = this.settings.stimuli ?? image.stimulus.labels;
    return ORDERS[image.stimulus.kind](image.stimulus, labels, this.seed, this.tick);
  }

  forgetViews() {
    this.times = [];
    this.neurons = [];
    this.dropped = 0;
    this.active = new Map();
  }

  // -- running --------------------

  advance(ticks) {
    const end = this.tick + ticks;
    while (this.tick < end) {
      if (this.turnover.isDue(this.tick)) this.turnover.count(this.theta());
      this.advanceTo(Math.min(end, this.turnover.nextAfter(this.tick)));
    }
  }

  advanceTo(tick) {
    this.tick = tick;
    const began = [];
    this.network.onShown = (one) => began.push(one);
    const [times, neurons] = [[], []];
    this.simulate((t, n) => {
      for (let i = 0; i < t.length; i++) {
        times.push(t[i]);
        neurons.push(n[i]);
      }
    });
    let i = 0;
    const count = this.labels.length && !this.drawn;
    for (const one of began) {
      this.lastShown = one;
      if (!count) continue;
      for (; i < times.length && times[i] < one.start; i++) this.tuning.spike(times[i], neurons[i]);
      this.tuning.begin(one.start, one.label);
    }
    if (count) for (; i < times.length; i++) this.tuning.spike(times[i], neurons[i]);
    this.keep(times, neurons);
  }

  /** Run the network up to the present tick. */
  simulate(onSpikes) {
    this.network.run(this.tick * this.scene.scene.tick_s, onSpikes);
  }

  keep(times, neurons) {
    for (let i = 0; i < times.length; i++) {
      this.times.push(times[i]);
      this.neurons.push(neurons[i]);
    }
    if (this.times.length > 2 * MOST_SPIKES) this.trim();
  }

  trim() {
    const over = this.times.length - MOST_SPIKES;
    if (over <= 0) return;
    this.dropped += over;
    this.times = this.times.slice(over);
    this.neurons = this.neurons.slice(over);
  }

  save() {
    const { settings, drawn, lastShown, tick } = this;
    const pictures = this.rows.map((r) => r.levels.slice(r.picture * r.channels));
    const network = this.network.save();
    return {
      network, settings: { ...settings }, drawn, lastShown, tick, pictures,
      tuning: this.tuning.copy(),
      turnover: this.turnover.copy(),
      bytes: network.bytes.byteLength,
    };
  }

  restore(saved) {
    const { settings, drawn, lastShown, tick } = saved;
    Object.assign(this, { settings: { ...settings }, drawn, lastShown, tick });
    this.tuning = saved.tuning.copy();
    this.turnover = saved.turnover.copy();
    this.rows.forEach((r, g) => r.levels.set(saved.pictures[g], r.picture * r.channels));
    this.network.tables.forget();
    this.network.restore(saved.network);
    this.forgetViews();
  }

  copy() {
    const other = Object.create(Object.getPrototypeOf(this));
    const { scene, seed, labels } = this;
    Object.assign(other, { scene, seed, labels });
    other.rows = scene.image.rows.map((one) => new Rows(one, scene.data));
    other.network = new Network(scene.wiring, null, other.rows);
    other.restore(this.save());
    return other;
  }

  free() {
    this.network.free();
  }

  // -- actions --------------------

  set(settings, name) {
    this.settings = { ...settings };
    if (name === "stimuli") this.draw(null);
  }

  draw(picture) {
    if (picture === null) {
      this.drawn = false;
      this.network.setStimulus(this.stimulus());
    } else {
      const { group, segments } = this.scene.image.picture ?? {};
      if (group === undefined) {
        throw refuse("draw", "must be offered by the scene", this.scene.scene.name, "use digits");
      }
      const rows = this.rows[group];
      this.network.deliver();
      picture.forEach((v, i) => (rows.levels[rows.picture * rows.channels + i] = roundHalfEven(255 * v)));
      this.network.tables.made[group][rows.picture] = NaN;
      const part = segments.map(([row, s]) => [row === "picture" ? rows.picture : row, s]);
      const parts = this.rows.map(() => part);
      this.network.setStimulus({ presentation: () => ({ parts, label: null }) });
      this.drawn = true;
    }
    this.tuning.forget();
    this.lastShown = null;
  }

  lesion(lesion) {
    const what = oneOf("lesion", lesion.what, ["neurons", "synapses", "inputs"]);
    if (what === "neurons") return this.removeNeurons(lesion);
    if (what === "inputs") {
      const groups = this.scene.wiring.groups.map((g) => g.name);
      const group = groups.indexOf(oneOf("group", lesion.group, groups));
      return this.network.silenceInputs(group, members(lesion.members, this.scene.wiring.groups[group].size));
    }
    const regrow = flag("regrow", lesion.regrow ?? true);
    const names = this.scene.joined.map((one) => one.name);
    const { places } = this.scene.joined[names.indexOf(oneOf("projection", lesion.projection, names))];
    return this.network.removeSynapses(places, regrow);
  }

  removeNeurons(lesion) {
    const { populations } = this.scene.scene;
    const name = lesion.population ?? null;
    const of = populations.find((p) => p.name === name);
    if (name !== null) oneOf("population", name, populations.map((p) => p.name));
    const first = of?.first ?? 0;
    const gone = members(lesion.members, of?.size ?? this.scene.wiring.nNeurons).map((k) => first + k);
    for (const p of populations) {
      const left = Array.from({ length: p.size }, (_, i) => p.first + i).filter(
        (k) => this.network.alive(k) && !gone.includes(k),
      );
      const touched = gone.some((k) => k >= p.first && k < p.first + p.size);
      if (touched && left.length === 0) {
        const rule = "must leave at least one neuron of each circuit";
        throw refuse("lesion", rule, `all of ${p.name}`, "choose fewer neurons");
      }
    }
    this.network.removeNeurons(gone);
  }

  /** Show what was not learned to a copy without plasticity. */
  probe(tick) {
    const { test } = this.scene.image;
    if (!test) return null;
    const nNeurons = this.scene.wiring.nNeurons;
    const starts = [];
    const [times, neurons] = [[], []];
    this.network.probe(
      test.presentations.map((parts) => ({ parts, lead: test.lead })),
      test.seconds,
      new SeedSequence([this.seed, tick]),
      { burnIn: test.burn_in_s, rest: test.rest },
      (time, neuron) => {
        times.push(time);
        neurons.push(neuron);
      },
      (one) => starts.push(one.start),
    );
    const { windows = 1, within_s: within = Infinity } = test;
    const counts = test.labels.map(() => new Float64Array(windows * nNeurons));
    const begins = test.starts ?? starts;
    let at = -1;
    times.forEach((time, i) => {
      while (at + 1 < begins.length && begins[at + 1] <= time) at += 1;
      const window = Math.floor(((time - begins[at]) / within) * windows);
      if (at >= 0 && at < counts.length && window < windows) counts[at][window * nNeurons + neurons[i]] += 1;
    });
    return results(counts, nNeurons, test);
  }

  // -- reading --------------------

  theta() {
    return this.matrices((p) => this.network.theta(p), Float64Array);
  }

  weights() {
    return this.matrices((p) => this.network.weights(p), Float64Array);
  }

  matrices(read, Type) {
    return Object.fromEntries(
      this.scene.joined.map((one) => [one.name, together(one, read, Type)]),
    );
  }

  look(want, pointer) {
    const arrays = {};
    const values = {};
    this.trim();
    if (want.has("spikes")) {
      arrays.spike_time = Float64Array.from(this.times);
      arrays.spike_neuron = Int32Array.from(this.neurons);
    }
    values.dropped = this.dropped;
    [this.times, this.neurons, this.dropped] = [[], [], 0];
    for (const one of this.scene.joined) {
      const theta = together(one, (p) => this.network.theta(p), Float32Array);
      if (want.has("active")) this.lookAtActive(one, theta, arrays);
      if (want.has("weights")) {
        arrays[`weights.${one.name}`] = together(one, (p) => this.network.weights(p), Float32Array);
      }
      if (pointer?.projection === one.name) {
        const { post, pre } = pointer;
        const inside = post < one.shape[0] && pre < one.shape[1];
        const value = inside ? theta[post * one.shape[1] + pre] : NaN;
        values.pointed = Number.isFinite(value) ? value : null;
      }
      if (want.has("theta")) arrays[`theta.${one.name}`] = theta;
    }
    if (want.has("stimulus")) this.lookAtStimulus(arrays);
    if (this.labels.length && want.has("tuning")) {
      arrays.tuning = shaped(this.tuning.mean(), [this.scene.wiring.nNeurons, this.labels.length]);
    }
    const n = this.scene.wiring.nNeurons;
    arrays.alive = Uint8Array.from({ length: n }, (_, k) => (this.network.alive(k) ? 1 : 0));
    values.turnover = this.turnover.totals;
    values.label = this.drawn || !this.lastShown ? null : (this.lastShown.label ?? null);
    return { arrays, values };
  }

  get nSpikes() {
    return Number(this.network.Activity.counters.view[this.scene.wiring.constants.SPIKES]);
  }

  lookAtActive({ name }, theta, arrays) {
    const before = this.active.get(name);
    const now = new Uint8Array(theta.length);
    const [formed, lost] = [[], []];
    let sum = 0;
    for (let i = 0; i < theta.length; i++) {
      if (theta[i] > 0) {
        now[i] = 1;
        sum += 1;
      }
      if (before && now[i] !== before[i]) (now[i] ? formed : lost).push(i);
    }
    this.active.set(name, now);
    arrays[`active.${name}`] = Int32Array.of(sum);
    arrays[`formed.${name}`] = Int32Array.from(formed);
    arrays[`lost.${name}`] = Int32Array.from(lost);
  }

  lookAtStimulus(arrays) {
    if (!this.lastShown) return;
    this.scene.wiring.groups.forEach((group, g) => {
      const part = this.lastShown.parts[g];
      const total = part.reduce((sum, [, seconds]) => sum + seconds, 0);
      const [mean, rates] = [new Float32Array(group.size), new Float64Array(group.size)];
      for (const [row, seconds] of part) {
        this.rows[g].write(row, rates);
        rates.forEach((rate, i) => (mean[i] += (rate * seconds) / total));
      }
      arrays[`stimulus.${group.name}`] = mean;
    });
  }
}
