/* Tuning of neurons: spikes per presentation of each label, with older ones counting less.
 *
 *     m ← 0.99 m + count,  n ← 0.99 n + 1  for the label shown;  tuning = m / n
 */

const KEEP = 0.99;

export class Tuning {
  constructor(nNeurons, labels) {
    Object.assign(this, { nNeurons, labels });
    this.spikes = new Float64Array(nNeurons * labels.length);
    this.shown = new Float64Array(labels.length);
    this.forget();
  }

  /** Forget the presentation that has begun, because another stimulus was set. */
  forget() {
    this.times = [];
    this.neurons = [];
    this.start = Infinity;
    this.label = -1;
  }

  copy() {
    const other = new Tuning(this.nNeurons, this.labels);
    other.spikes.set(this.spikes);
    other.shown.set(this.shown);
    Object.assign(other, {
      times: [...this.times],
      neurons: [...this.neurons],
      start: this.start,
      label: this.label,
    });
    return other;
  }

  spike(time, neuron) {
    this.times.push(time);
    this.neurons.push(neuron);
  }

  /** A presentation begins: the one before it is counted. Call it after all spikes before it. */
  begin(start, label) {
    const n = this.labels.length;
    if (this.label >= 0) {
      for (let i = 0; i < n * this.nNeurons; i++) {
        if (i % n === this.label) this.spikes[i] *= KEEP;
      }
      this.times.forEach((time, i) => {
        if (time >= this.start && time < start) this.spikes[this.neurons[i] * n + this.label] += 1;
      });
      this.shown[this.label] = KEEP * this.shown[this.label] + 1;
    }
    const later = this.times.findIndex((time) => time >= start);
    this.times = later < 0 ? [] : this.times.slice(later);
    this.neurons = later < 0 ? [] : this.neurons.slice(later);
    this.start = start;
    this.label = this.labels.indexOf(label);
  }

  /** Spikes per presentation, [neuron, label]. */
  mean() {
    const n = this.labels.length;
    return Float32Array.from(this.spikes, (m, i) => m / Math.max(this.shown[i % n], 1e-300));
  }
}
