// Reward: a circuit of two neurons chooses between two actions, and learns which one pays.

import { Bandit } from "../pictures/bandit.js";
import { Law } from "../pictures/law.js";
import { Raster } from "../pictures/raster.js";
import { Trace } from "../pictures/trace.js";
import { OverTime } from "../pictures/visits.js";

export const reward = {
  name: "reward",
  title: "Reward",
  headline: "A synapse learns from reward",
  lead: "Two neurons compete; a spike of the first earns more than a spike of the second. One synapse samples how strongly to prefer the first.",
  layout: "reward",
  core: ["choice", "reward", "law"],
  want: ["spikes", "theta", "weights", "active", "reward", "histogram", "density", "curves"],

  pictures(lab, scene) {
    const [projection] = scene.projections;
    const count = scene.populations.reduce((sum, { size }) => sum + size, 0);
    return [
      new Bandit(lab, { area: "choice", title: "The task", sentence: "Which neuron spikes decides the reward. Only one synapse learns.", label: "Two neurons, and what their spikes earn" }),
      new OverTime(lab, { area: "reward", title: "Spikes of the better neuron", sentence: "Their share in the last minutes. Without reward, the prior alone would decide it.", label: "Share of the better choice over time" },
        { name: "best", yLabel: "share of all spikes", references: [{ name: "best_theory", words: "theory", dy: -7 }, { name: "best_prior", words: "prior alone" }] }),
      new Raster(lab, { area: "raster", title: "Spikes", sentence: "Above the better neuron, below the other.", label: "Spikes of the two neurons" },
        { count, window_s: 4, rowNames: [{ at: 0, name: "better" }, { at: 1, name: "other" }] }),
      new Trace(lab, { area: "trace", title: "The synapse that learns", sentence: "Its parameter θ keeps exploring, even when it has found the better choice.", label: "θ of the synapse over time" },
        { projection: projection.name, describe: () => "input → better neuron" }),
      new Law(lab, { area: "law", title: "Where θ spends its time", sentence: "Prior times a power of the expected reward, derived for small b.", label: "Histogram of θ against theory" }, { name: "theory" }),
    ];
  },

  pointer: (scene) => ({ projection: scene.projections[0].name, post: 0, pre: 0 }),

  tour: [
    {
      title: "Watch the choice", at: ["choice", "reward"],
      words: "The better neuron soon spikes more often than the prior alone predicts. The synapse receives no label, only reward, late and as one global signal (dopamine). What it can use is the correlation of spikes with later reward.",
      equation: "dθ = b ( (μ − θ)/σ² + c g ) dt + √(2 T b) dW",
    },
    {
      title: "Follow the synapse", at: ["trace", "raster"],
      words: "When θ rises, the better neuron spikes more. An eligibility trace keeps a decaying record of unexpected spikes, and reward turns it into an estimate g of the gradient.",
      equation: "g follows dopamine × eligibility, with time constant τ",
    },
    {
      title: "Compare with theory", at: ["law"],
      words: "The synapse does not settle at the best value. It visits values in proportion to prior × expected rewardᵏ.",
      equation: "p*(θ) ∝ ( p_S(θ) V(θ)^κ )^(1/T)",
    },
    {
      title: "Explore more, or less", at: ["trace", "choice"],
      words: "Raise T: the synapse explores more and earns less. Lower T: it stays near the best value, but adapts to a change more slowly.",
      equation: "T weighs exploring against earning",
    },
    {
      title: "Go faster than theory", at: ["law"],
      words: "Raise b. The theory holds for slow learning only: at a large b the noise of single rewards acts like a higher temperature, and the histogram widens.",
      equation: "extra noise ∝ b",
    },
  ],
};
