// A custom network: fields if its inputs form an image, spikes, θ and connections.

import { Connections } from "../pictures/connections.js";
import { Fields } from "../pictures/fields.js";
import { ThetaHistogram } from "../pictures/law.js";
import { Raster } from "../pictures/raster.js";
import { Trace } from "../pictures/trace.js";

const MOST_FIELDS = 60;

export const own = {
  name: "own",
  layout: "own",
  want: ["spikes", "theta", "weights", "active", "probe", "stimulus"],
  lead: "Your own network, simulated by the native engine on this computer.",
  tour: [],

  pictures(lab, scene) {
    const pictures = [];
    const [projection] = scene.projections ?? [];
    const populations = scene.populations ?? [];
    const count = populations.reduce((sum, { size }) => sum + size, 0);
    if (projection) {
      const [posts, pres] = projection.shape;
      const input = (scene.inputs ?? []).find(({ name }) => name === projection.pre);
      const shape = input?.shape?.length === 2 ? input.shape : nearlySquare(pres);
      pictures.push(
        new Fields(lab, { area: "fields", title: "Receptive fields", sentence: `Weights of ${projection.name}, one image per neuron.` },
          { projection: projection.name, shape, first: 0, count: Math.min(posts, MOST_FIELDS) }),
        new Trace(lab, { area: "trace", title: "One synapse", sentence: "Move the pointer over a field to follow a synapse." },
          { projection: projection.name, describe: ({ post, pre }) => `input ${pre} → neuron ${post + 1}` }),
        new ThetaHistogram(lab, { area: "theta", title: "All synapses", sentence: "θ of all synapses; the dashed curve is the prior." }, { projection: projection.name }),
        new Connections(lab, { area: "connections", title: "Connections", sentence: "Active connections, and how many form and are lost." }, { projection: projection.name, possible: posts * pres }),
      );
    }
    if (count) pictures.push(new Raster(lab, { area: "raster", title: "Spikes", sentence: "Each line is a spike." }, { count, window_s: 2 }));
    return pictures;
  },

  pointer: (scene) => (scene.projections?.length ? { projection: scene.projections[0].name, post: 0, pre: 0 } : null),
};

/** Rows and columns for an image of inputs that have no shape. */
function nearlySquare(inputs) {
  let rows = Math.floor(Math.sqrt(inputs));
  while (inputs % rows) rows -= 1;
  return [rows, inputs / rows];
}
