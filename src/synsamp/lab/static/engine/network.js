/* One network: its state in the engine's memory, moved forward by the compiled event loop.
 *
 * The same steps as Python's `Simulation`, in the same order: `run` is `Engine.advance`, `change`,
 * `lesion…`, `modulate` and `probe` are what their names are there. All of the state is one range
 * of memory (`room`) and the few numbers of `input`, so a copy is a copy of bytes.
 */

import { SeedSequence } from "./random.js";
import { Tables } from "./tables.js";
import { stopped, weightOf } from "./wiring.js";

/** Presentations whose rates are laid out for one call of the event loop. */
const AHEAD = 64;
/** Reasons of the event loop to return before its time is up. */
const AGAIN = new Set(["PAUSED", "TAPE_FULL"]);

export class Network {
  /** ``rows``: rates by input group; ``seed``: null for a state that is restored later. */
  constructor(wiring, seed, rows) {
    const { engine } = wiring;
    Object.assign(this, { wiring, engine });
    const shapes = wiring.image.state;
    this.kinds = ["Synapses", "Activity", "events", "inputs", "noise"];
    const kindOf = { events: "Words", inputs: "Words", noise: "Normals" };
    const bytes = this.kinds.reduce((sum, k) => sum + engine.sizeOf(kindOf[k] ?? k, shapes[k]), 0);
    this.room = engine.room(bytes);
    for (const k of this.kinds) this[k] = engine.record(kindOf[k] ?? k, shapes[k], this.room);
    const scratch = ["Work", "EventBuffer"];
    this.scratch = engine.room(scratch.reduce((sum, k) => sum + engine.sizeOf(k, shapes[k]), 0));
    for (const k of scratch) this[k] = engine.record(k, shapes[k], this.scratch);
    this.tables = new Tables(wiring, rows);
    const n = wiring.groups.length;
    const segments = [n, wiring.image.segments * (AHEAD + 4)];
    const plan = {
      ends_s: segments,
      rate_hz: segments,
      table_at: segments,
      cursor: [n],
      tables: [0],
      given_s: [0],
      given_input: [0],
      given_cursor: [1],
    };
    this.plan = engine.room(engine.sizeOf("InputSchedule", plan));
    this.schedule = engine.record("InputSchedule", plan, this.plan);
    this.schedule.point("tables", this.tables.room.address, this.tables.entries);
    this.input = {
      silenced: wiring.groups.map(() => null),
      stimulus: null,
      next: 0, // number of the next presentation, which begins at `end`
      end: 0,
      shown: [], // presentations that are needed still
      noted: 0, // presentations that `onShown` received
    };
    this.onShown = null; // called with each presentation that has begun
    this.time = 0;
    if (seed === null) return;
    this.setAtRest();
    this.seedStreams(new SeedSequence(seed).child(0));
  }

  // -- state --------------------

  /** No activity, as at time 0. */
  setAtRest() {
    for (const [name, value] of Object.entries(this.wiring.image.start.Activity)) {
      const { view } = this.Activity[name];
      if (Array.isArray(value)) view.set(value.map(number(view)));
      else view.fill(number(view)(value));
    }
  }

  seedStreams(seed) {
    ["events", "inputs", "noise"].forEach((name, i) => {
      this[name].state.view.set(seed.child(i).stream());
      this[name].taken.view[0] = BigInt(this[name].buffer.size);
    });
  }

  /** θ of all projections, by value(projection, post, pre); where no synapse can exist it stays. */
  setTheta(value) {
    const theta = this.Synapses.theta.view;
    const weight = this.Synapses.weight.view;
    theta.fill(-Infinity);
    weight.fill(0);
    this.wiring.projections.forEach((p, which) => {
      this.each(p, (at, post, pre) => {
        if (p.mask && !p.mask[post * p.n_pre + pre]) return;
        theta[at] = Math.max(value(which, post, pre), p.theta_min);
        weight[at] = weightOf(p, theta[at]);
      });
    });
    this.recompute();
  }

  each(p, visit) {
    for (let post = 0; post < p.n_post; post++) {
      for (let pre = 0; pre < p.n_pre; pre++) visit(p.first + post * p.stride + pre, post, pre);
    }
  }

  save() {
    return { bytes: this.room.save(), time: this.time, input: copyInput(this.input) };
  }

  restore(saved) {
    this.room.restore(saved.bytes);
    this.time = saved.time;
    const before = this.input.silenced;
    this.input = copyInput(saved.input);
    if (this.input.silenced.some((mask, g) => mask !== before[g])) this.tables.forget();
  }

  free() {
    const records = [...this.kinds, "Work", "EventBuffer", "schedule"];
    for (const name of records) this[name].free();
    for (const part of [this.room, this.scratch, this.plan, this.tables]) part.free();
  }

  // -- input --------------------

  /** ``stimulus.presentation(n)`` is what is shown as number n: ``parts``, for each group the
   * [row, seconds] of its segments; ``label``; ``lead``, the group that says how long. */
  setStimulus(stimulus) {
    this.deliver();
    this.noteShown(this.time);
    Object.assign(this.input, { stimulus, next: 0, end: this.time, shown: [], noted: 0 });
  }

  /** Choose one more presentation. */
  extend() {
    const { input } = this;
    const { parts, label, lead = 0 } = input.stimulus.presentation(input.next);
    let seconds = 0;
    for (const [, s] of parts[lead]) seconds += s;
    const [start, end] = [input.end, input.end + seconds];
    input.shown.push({ number: input.next, start, end, parts, label });
    input.end = end;
    input.next += 1;
  }

  get covered() {
    return this.input.stimulus ? this.input.end : Infinity;
  }

  /** Lay out the rates of what is shown now and next. */
  layOut() {
    const { schedule, input, tables } = this;
    const n = this.wiring.groups.length;
    const width = n ? schedule.ends_s.shape[1] : 0;
    const drawn = this.Activity.drawn_until_s.view;
    const oldest = n ? Math.min(...drawn) : 0;
    while (input.shown.length && input.shown[0].end <= oldest) input.shown.shift();
    const ends = schedule.ends_s.view;
    const rates = schedule.rate_hz.view;
    const at = schedule.table_at.view;
    for (let g = 0; g < n; g++) {
      let i = g * width;
      for (const { start, end, parts } of input.shown) {
        let passed = 0;
        parts[g].forEach(([row, seconds], k) => {
          passed += seconds;
          const table = tables.of(g, row, input.silenced[g]);
          ends[i] = k === parts[g].length - 1 ? end : start + passed;
          rates[i] = table.rate;
          at[i] = BigInt(table.at);
          i += 1;
        });
      }
      const last = input.stimulus ? input.end : Infinity;
      ends.fill(last, i, (g + 1) * width);
      rates.fill(0, i, (g + 1) * width);
      let cursor = 0;
      while (cursor < width && ends[g * width + cursor] <= drawn[g]) cursor += 1;
      schedule.cursor.view[g] = BigInt(cursor);
    }
  }

  // -- moving forward --------------------

  /** Simulate up to ``until``; ``onSpikes(times, neurons)`` gets views that are soon overwritten. */
  run(until, onSpikes, learning = true) {
    while (this.time < until) {
      const { input } = this;
      input.shown = input.shown.filter((s) => s.end > this.inputsUntil);
      while (this.covered < until && input.shown.length < AHEAD) this.extend();
      const target = Math.min(until, this.covered);
      this.layOut();
      let status;
      do {
        status = this.engine.call(
          "run", target, this.covered, learning ? 1 : 0, this.wiring.Wiring, this.wiring.Numbers,
          this.Synapses, this.Activity, this.events, this.inputs, this.noise, this.schedule,
          this.EventBuffer, this.Work,
        );
        this.handOver(onSpikes);
      } while (AGAIN.has(this.wiring.constants.LOOP[status]));
      if (this.wiring.constants.LOOP[status] !== "DONE") throw stopped(this.wiring.constants.LOOP[status]);
      this.time = target;
      this.noteShown(target);
    }
  }

  noteShown(until) {
    const { input } = this;
    for (const one of input.shown) {
      if (one.number >= input.noted && one.start < until) {
        this.onShown?.(one);
        input.noted = one.number + 1;
      }
    }
  }

  get inputsUntil() {
    return this.Activity.clock.view[this.wiring.constants.INPUTS_UNTIL];
  }

  handOver(onSpikes) {
    const { written, spike_s: time, spike_neuron: neuron } = this.EventBuffer;
    const n = Number(written.view[0]);
    if (n && onSpikes) onSpikes(time.view.subarray(0, n), neuron.view.subarray(0, n));
    written.view.fill(0n, 0, 4);
  }

  /** Deliver inputs up to the present, before rates or weights change. */
  deliver() {
    while (this.covered < this.time) this.extend();
    while (this.inputsUntil < this.time) {
      this.layOut();
      this.engine.call(
        "deliver", this.time, this.wiring.Wiring, this.Synapses, this.Activity, this.events,
        this.inputs, this.schedule, this.EventBuffer, this.Work,
      );
      this.handOver(null);
    }
  }

  /** Write efficacies to the columns and recompute all potentials, after weights changed. */
  recompute() {
    this.Activity.clock.view[this.wiring.constants.BOUND_S] = -1;
    this.engine.call(
      "recompute_all_potentials", this.wiring.Wiring, this.wiring.Numbers, this.Synapses,
      this.Activity, this.Work,
    );
  }

  /** Prior and noise of all synapses up to the present, with the parameters so far. */
  bringUpToDate() {
    this.engine.call(
      "bring_up_to_date", this.time, this.wiring.Wiring, this.wiring.Numbers, this.Synapses,
      this.Activity, this.noise, this.EventBuffer, this.Work,
    );
    this.Synapses.refreshed_s.view.fill(this.time);
    this.Activity.clock.view[this.wiring.constants.BOUND_S] = -1;
  }

  /** After the numbers of the wiring changed: columns are written anew. */
  renewColumns() {
    for (const name of ["column", "listed", "is_listed"]) this.Synapses[name].view.fill(0);
    this.Synapses.n_listed.view.fill(0n);
    this.recompute();
  }

  /** Set the modulator (dopamine) of all circuits. */
  modulate(value) {
    const { view } = this.Activity.modulator;
    if (view.every((now) => now === value)) return;
    if (this.Synapses.eligibility.size > 0) {
      this.engine.call(
        "bring_eligibility_up", this.time, this.wiring.Wiring, this.wiring.Numbers, this.Synapses,
        this.Activity, this.Work,
      );
    }
    view.fill(value);
  }

  // -- lesions --------------------

  /** Silence neurons (numbers of the whole network) and remove all their synapses. */
  removeNeurons(neurons) {
    this.deliver();
    const gone = new Set(neurons);
    for (const neuron of gone) this.Activity.bias.view[neuron] = -Infinity;
    for (const p of this.wiring.projections) {
      this.each(p, (at, post, pre) => {
        const source = p.from_neuron === null ? -1 : p.from_neuron + pre;
        if (gone.has(p.to_neuron + post) || gone.has(source)) this.setSynapse(p, at, -Infinity);
      });
    }
    this.afterLesion();
  }

  /** Retract the functional synapses of projections; ``regrow``: to ``theta``, else for ever. */
  removeSynapses(projections, regrow, theta = -1) {
    this.deliver();
    for (const which of projections) {
      const p = this.wiring.projections[which];
      const now = this.Synapses.theta.view;
      this.each(p, (at) => {
        if (now[at] > 0) this.setSynapse(p, at, regrow ? Math.max(theta, p.theta_min) : -Infinity);
      });
    }
    this.afterLesion();
  }

  silenceInputs(group, inputs) {
    this.deliver();
    const silenced = this.input.silenced[group] ?? new Uint8Array(this.wiring.groups[group].size);
    const all = silenced.slice();
    for (const i of inputs) all[i] = 1;
    this.input.silenced[group] = all;
    this.afterLesion();
  }

  setSynapse(p, at, theta) {
    this.Synapses.theta.view[at] = theta;
    this.Synapses.weight.view[at] = theta > -Infinity ? weightOf(p, theta) : 0;
    const e = this.Synapses.eligibility;
    if (e.size > 0) e.view.fill(0, 3 * at, 3 * at + 3);
  }

  afterLesion() {
    this.tables.forget();
    this.recompute();
  }

  // -- probes --------------------

  /** Show presentations in order to a copy without plasticity; calls ``onSpike(time, neuron)``
   * with times from the start of the probe. */
  probe(presentations, seconds, seed, { burnIn = 0, rest = false }, onSpike, onShown) {
    const [saved, before] = [this.save(), this.onShown];
    this.onShown = null;
    const { constants } = this.wiring;
    const { clock, bias, drawn_until_s: drawn } = this.Activity;
    if (rest) {
      const alive = bias.view.slice();
      this.setAtRest();
      bias.view.set(alive);
    }
    clock.view.fill(-1, constants.NEXT_EVENT);
    const began = clock.view[constants.INPUTS_UNTIL];
    drawn.view.fill(began);
    this.seedStreams(seed.child(0));
    this.time = began;
    Object.assign(this.input, { next: 0, end: began, shown: [] });
    this.input.stimulus = { presentation: (n) => presentations[n % presentations.length] };
    if (burnIn > 0) {
      this.run(began + burnIn, null, false);
      this.deliver();
      Object.assign(this.input, { next: 0, end: this.time, shown: [] });
    }
    const from = began + burnIn;
    this.onShown = (one) => onShown?.({ ...one, start: one.start - from });
    this.input.noted = 0;
    this.run(
      from + seconds,
      (times, neurons) => times.forEach((t, i) => onSpike(t - from, neurons[i])),
      false,
    );
    this.onShown = before;
    this.restore(saved);
  }

  // -- reading --------------------

  /** θ of a projection, NaN where there is no synapse. */
  theta({ first, stride, n_post: nPost, n_pre: nPre }, out = new Float64Array(nPost * nPre)) {
    const theta = this.Synapses.theta.view;
    for (let post = 0, i = 0; post < nPost; post++) {
      for (let at = first + post * stride, end = at + nPre; at < end; at++, i++) {
        out[i] = theta[at] === -Infinity ? NaN : theta[at];
      }
    }
    return out;
  }

  /** Efficacies ŵ of a projection. */
  weights({ first, stride, n_post: nPost, n_pre: nPre, retracted }) {
    const theta = this.Synapses.theta.view;
    const weight = this.Synapses.weight.view;
    const out = new Float64Array(nPost * nPre);
    for (let post = 0, i = 0; post < nPost; post++) {
      for (let at = first + post * stride, end = at + nPre; at < end; at++, i++) {
        out[i] = theta[at] > 0 ? Math.max(weight[at] - retracted, 0) : 0;
      }
    }
    return out;
  }

  alive(neuron) {
    return this.Activity.bias.view[neuron] > -Infinity;
  }
}

const number = (view) => (view instanceof BigInt64Array ? (v) => BigInt(v) : (v) => v);

const copyInput = (input) => ({ ...input, shown: [...input.shown], silenced: [...input.silenced] });
