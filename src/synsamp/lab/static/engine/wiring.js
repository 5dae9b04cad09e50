/* The wiring and the parameters of a network, as the build wrote them. */

const shapesOf = (arrays) => Object.fromEntries(Object.entries(arrays).map(([k, a]) => [k, a.shape]));

/** What never changes about a network, shared by all that run it. */
export class Wiring {
  /** ``image``: the network of a scene as the build wrote it; ``data``: its binary part. */
  constructor(engine, image, data) {
    Object.assign(this, { engine, image });
    this.constants = engine.manifest.constants;
    const kinds = ["Wiring", "Numbers"];
    const bytes = kinds.reduce((sum, k) => sum + engine.sizeOf(k, shapesOf(image[k])), 0);
    const room = engine.room(bytes);
    for (const kind of kinds) {
      this[kind] = engine.record(kind, shapesOf(image[kind]), room);
      for (const [name, { dtype, at, shape }] of Object.entries(image[kind])) {
        const size = shape.reduce((a, b) => a * b, 1);
        const place = this[kind][name];
        const source = new place.view.constructor(data.slice(at, at + place.view.byteLength));
        place.view.set(source.subarray(0, size));
      }
    }
    for (const [name, functions] of Object.entries(image.functions)) {
      functions.forEach((f, i) => (this.Wiring[name].view[i] = BigInt(engine.index(f))));
    }
    this.groups = image.inputs;
    this.projections = image.projections;
    this.nNeurons = this.Wiring.circuit_of.size;
  }

  firstInput(group) {
    return Number(this.Wiring.first_input.view[group]);
  }
}

/** w = f(θ) of the paper's mapping, exp(θ − θ0). */
export const weightOf = (p, theta) => Math.exp(theta - p.theta_0);

/** Why the event loop did not come to its end. */
export const stopped = (why) =>
  why === "BROKEN"
    ? new Error("the potentials are no longer finite; use a lower speed or data size")
    : new Error(`the event loop stopped with status ${why}: please report this bug`);
