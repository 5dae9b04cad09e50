// What the reader has marked for a lesion: neurons, or inputs.

export class Selection {
  constructor(lab) {
    this.lab = lab;
    this.neurons = new Set(); // numbers across all populations
    this.inputs = new Map(); // group → set of members
  }

  clear() {
    this.neurons.clear();
    this.inputs.clear();
    this.#changed();
  }

  setNeurons(members, { add = false, toggle = false } = {}) {
    if (!add && !toggle) this.neurons.clear();
    for (const k of members) {
      if (toggle && this.neurons.has(k)) this.neurons.delete(k);
      else this.neurons.add(k);
    }
    this.#changed();
  }

  setInputs(group, members) {
    this.inputs.set(group, new Set(members));
    this.#changed();
  }

  inputsOf(group) {
    return this.inputs.get(group) ?? new Set();
  }

  #changed() {
    this.lab.lesions?.show();
    this.lab.pictures?.forEach((picture) => {
      picture.selected?.();
      picture.stale = true;
    });
    if (this.lab.shell) this.lab.wake();
  }
}
