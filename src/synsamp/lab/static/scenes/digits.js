// Digits, Fig. 4: ten neurons learn receptive fields, and adapt when the digits change.

import { Connections } from "../pictures/connections.js";
import { Fields } from "../pictures/fields.js";
import { Probes } from "../pictures/probes.js";
import { ThetaHistogram } from "../pictures/law.js";
import { Raster } from "../pictures/raster.js";
import { Stimulus } from "../pictures/stimulus.js";
import { Trace } from "../pictures/trace.js";

export const digits = {
  name: "digits",
  title: "Digits",
  headline: "Ten neurons learn handwritten digits",
  lead: "Their connections come and go at random, pulled by the images and by a prior. Remove some neurons and watch how the others replace them.",
  layout: "digits",
  core: ["fields", "connections", "recall"],
  want: ["spikes", "theta", "weights", "active", "probe", "stimulus", "tuning"],

  pictures(lab, scene) {
    const [input] = scene.inputs;
    const [projection] = scene.projections;
    const [population] = scene.populations;
    const [posts, pres] = projection.shape;
    return [
      new Stimulus(lab, { area: "stimulus", title: "Input", sentence: "Four images per second. Draw your own with the mouse.", label: "The image shown now" },
        { group: input.name, shape: input.shape, drawable: scene.draw !== false }),
      new Fields(lab, { area: "fields", title: "Receptive fields", sentence: "How strongly each pixel is connected. New connections flash green, lost ones purple. Drag a box over neurons to mark them.", label: "Receptive fields" },
        { projection: projection.name, shape: input.shape, first: population.first ?? 0, count: posts }),
      new Raster(lab, { area: "raster", title: "Spikes", sentence: "The neurons compete: about 100 spikes per second in all.", label: "Spike raster" }, { count: posts, window_s: 2 }),
      new Trace(lab, { area: "trace", title: "One synapse", sentence: "Move the pointer over a field to follow a synapse.", label: "θ of one synapse over time" },
        { projection: projection.name, describe: ({ post, pre }) => `pixel ${pre} → neuron ${post + 1}` }),
      new ThetaHistogram(lab, { area: "theta", title: "All synapses", sentence: "The prior alone gives the dashed curve.", label: "Histogram of θ" }, { projection: projection.name }),
      new Connections(lab, { area: "connections", title: "Connections", sentence: "How many are active, and how many form and are lost.", label: "Active connections and turnover over time" },
        { projection: projection.name, possible: posts * pres }),
      new Probes(lab, { area: "recall", title: "Test", sentence: "How often the spikes tell which digit an unseen image shows.", label: "Decoded test images over time" },
        { yLabel: "correct, with 95 % interval" }),
    ];
  },

  pointer(scene) {
    const [projection] = scene.projections;
    return { projection: projection.name, post: 0, pre: Math.min(projection.shape[1] - 1, 13 * 28 + 14) };
  },

  tour: [
    {
      title: "Watch fields appear", at: ["fields", "stimulus"],
      words: "At first the connections are random. Within about an hour of biological time each neuron becomes tuned to one way of writing a digit.",
      equation: "u = Σ w x: the input x of a pixel counts with the weight w of its connection.",
    },
    {
      title: "Remove the neurons tuned to 2", at: ["fields"],
      words: "Under Lesion press “All neurons tuned to 2”. Below, an unlesioned twin continues with the same noise. Watch neurons that were tuned to 1 become tuned to 2.",
      equation: "Rates add up to 100 Hz: ρₖ = 100 Hz · exp(uₖ) / Σ exp(u). The remaining neurons spike more.",
    },
    {
      title: "Follow one synapse", at: ["trace"],
      words: "Move the pointer over a pixel. Its parameter θ keeps moving: prior and likelihood pull it, and noise adds random steps. Below 0 the synapse is retracted, but it may return.",
      equation: "dθ = b ( (μ − θ)/σ² + N w S (x − α eʷ) ) dt + √(2 T b) dW",
    },
    {
      title: "Change what the network sees", at: ["stimulus", "fields"],
      words: "Draw a 1 or a 2: which neurons answer? Set the time scale to full, and the network learns your drawing. Or show only 1, wait, then add 2 again, as in Figure 4.",
      equation: "w = exp(θ − θ₀) if θ > 0, otherwise 0",
    },
    {
      title: "Turn off the noise", at: ["theta", "connections"],
      words: "Set T to 0: only prior and likelihood move θ now, and fewer connections form and are lost. Set T to 5: the noise outweighs both, and the fields blur.",
      equation: "In the long run p(θ) ∝ (prior × likelihood)^(1/T)",
    },
  ],
};
