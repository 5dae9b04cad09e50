// Two senses, Fig. 5: eight circuits hear and see digits, and connect to one another.

import { Connections } from "../pictures/connections.js";
import { Fields } from "../pictures/fields.js";
import { Probes } from "../pictures/probes.js";
import { Raster } from "../pictures/raster.js";
import { Stimulus } from "../pictures/stimulus.js";
import { Trace } from "../pictures/trace.js";
import { Wiring } from "../pictures/wiring.js";

export const senses = {
  name: "senses",
  title: "Two senses",
  headline: "Sound and sight wire up",
  lead: "Four circuits hear a digit and four see it. Connections between them come and go, until a sound alone evokes the code of the picture. Try both lesions of the paper.",
  layout: "senses",
  core: ["wiring", "recall", "connections"],
  want: ["spikes", "theta", "weights", "active", "probe", "stimulus", "tuning"],

  pictures(lab, scene) {
    const { populations } = scene;
    const count = populations.reduce((sum, { size }) => sum + size, 0);
    const by = (modality) => scene.inputs.find((input) => input.modality === modality);
    const [sound, sight] = [by("sound"), by("sight")];
    const lateral = scene.projections.find(({ kind }) => kind === "lateral");
    const seen = scene.projections.find(({ name, pre }) => name === "seen" || pre === sight.name);
    const visual = populations.filter(({ modality }) => modality === "sight");
    const nameOf = (k) => {
      const found = populations.find((p) => k >= p.first && k < p.first + p.size);
      return found ? `${found.name}.${k - found.first + 1}` : String(k + 1);
    };
    return [
      new Stimulus(lab, { area: "sound", title: "Sound", sentence: "What the ear sends now: each row is a pitch.", label: "The sound now" },
        { group: sound.name, shape: sound.shape ?? [sound.size, 1], drawable: false }),
      new Stimulus(lab, { area: "stimulus", title: "Sight", sentence: "The image shown now. Drag a box to mark inputs.", label: "The image now" },
        { group: sight.name, shape: sight.shape ?? [28, 28], drawable: false }),
      new Wiring(lab, { area: "wiring", title: "Wiring between neurons", sentence: "Circuits A hear, circuits V see. New connections flash green, lost ones purple. Filled dots are tuned to 2.", label: "Connections between the neurons of two senses" },
        { projection: lateral.name, populations, count }),
      new Probes(lab, { area: "recall", title: "Recall from sound alone", sentence: "When the network only hears a digit, do its visual neurons show which one?", label: "Recall from sound alone over time" },
        { yLabel: "correct, with 95 % interval" }),
      new Connections(lab, { area: "connections", title: "Lateral connections", sentence: "Active connections between neurons, and how many form and are lost.", label: "Lateral connections and turnover over time" },
        { projection: lateral.name, possible: count * (count - 1) }),
      new Raster(lab, { area: "raster", title: "Spikes", sentence: "One row per neuron.", label: "Spike raster" },
        { count, window_s: 1, rowNames: [{ at: populations[1]?.first ?? 0, name: "sound" }, { at: visual[1]?.first ?? 0, name: "sight" }] }),
      new Fields(lab, { area: "fields", title: "Fields of the visual neurons", sentence: "Their weights from the image. Drag a box over neurons to mark them.", label: "Receptive fields of visual neurons" },
        { projection: seen.name, shape: sight.shape ?? [28, 28], first: visual[0].first, count: seen.shape[0], twin: false, captions: false }),
      new Trace(lab, { area: "trace", title: "One synapse", sentence: "Move the pointer over a neuron to follow its strongest connection.", label: "θ of one synapse over time" },
        { projection: lateral.name, describe: ({ projection, post, pre }) => (projection === lateral.name ? `${nameOf(pre)} → ${nameOf(post)}` : `pixel ${pre} → ${nameOf(visual[0].first + post)}`) }),
    ];
  },

  pointer(scene) {
    const lateral = scene.projections.find(({ kind }) => kind === "lateral");
    const sight = scene.populations.find(({ modality }) => modality === "sight");
    return { projection: lateral.name, post: sight.first, pre: 0 };
  },

  tour: [
    {
      title: "Watch two senses connect", at: ["wiring", "recall"],
      words: "Neurons that spike together connect. Within half an hour of biological time, a sound alone evokes the visual code of its digit: recall is far above chance.",
      equation: "dθ = b ( (μ − θ)/σ² + N w S (x − α eʷ) ) dt + √(2 T b) dW",
    },
    {
      title: "Lesion 1: remove visual neurons tuned to 2", at: ["recall", "fields"],
      words: "Under Lesion press “All visual neurons tuned to 2”. Recall falls. The unlesioned twin continues with the same noise; the gap closes within an hour, as other neurons become tuned to 2.",
      equation: "What remains is the posterior of the smaller network.",
    },
    {
      title: "Lesion 2: cut all lateral connections", at: ["wiring", "connections"],
      words: "Press “All lateral connections” without regrowth. Recall drops to chance. Only connections that were retracted can form now; recall recovers in part, over hours.",
      equation: "θ ≤ 0: retracted, but θ still moves, so the synapse can return.",
    },
    {
      title: "Is the noise needed?", at: ["recall"],
      words: "Go back on the time line to just before the lesion, set T = 0 and cut again. Under the rule as printed the network recovers even without noise, because retracted synapses learn too.",
      equation: "With “retracted synapses learn” off and μ = −0.5, noise is needed.",
    },
    {
      title: "Save the session", at: [],
      words: "“Save as experiment” downloads a Python file that repeats this session, lesions included, on as many seeds as you like: synsamp run FILE --trials 8.",
    },
  ],
};
