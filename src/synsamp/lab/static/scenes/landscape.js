// Landscape, Fig. 1: two parameters on a posterior.

import { Landscape } from "../pictures/landscape.js";
import { OverTime, Visits } from "../pictures/visits.js";

export const landscape = {
  name: "landscape",
  title: "Landscape",
  headline: "Two parameters wander over a posterior",
  lead: "The grey hills are the exact posterior. Drift leads uphill and noise leads away again, so that the path visits each place as often as the posterior says.",
  layout: "landscape",
  core: ["map", "visits"],
  want: ["path", "histogram", "density", "curves"],

  pictures: (lab) => [
    new Landscape(lab, { area: "map", title: "Posterior and path", sentence: "Drag a numbered peak of the likelihood, or change T, and see where the path goes.", label: "The path on the posterior" }),
    new Visits(lab, { area: "visits", title: "Where it has been", sentence: "The share of time in each place: map, and each parameter alone with the exact curve.", label: "Visits compared with the exact posterior" }),
    new OverTime(lab, { area: "distance", title: "Difference from the exact posterior", sentence: "It shrinks as visits add up.", label: "Total variation distance" },
      { name: "distance", yLabel: "total variation distance" }),
  ],

  tour: [
    {
      title: "Watch it wander", at: ["map"],
      words: "The dot is one pair of synaptic parameters. It never settles at one best point: learning is a random walk that prefers high ground.",
      equation: "dθ = b ∇ log p(θ | x) dt + √(2 T b) dW",
    },
    {
      title: "See the histogram fill up", at: ["visits", "distance"],
      words: "Set the time scale to full. Bars are the time spent at each value, the line is the exact posterior. They agree in the long run: this is Theorem 1 of the paper.",
      equation: "p*(θ) ∝ p_S(θ) p_N(x | θ)",
    },
    {
      title: "Cool it down", at: ["map"],
      words: "Set T to 0.05. The path stays at one peak: this is maximum-a-posteriori learning, which most models of learning describe.",
      equation: "T → 0: only the highest point remains",
    },
    {
      title: "Heat it up", at: ["map", "visits"],
      words: "Set T to 4. Peaks flatten, and the path crosses between them easily.",
      equation: "p*(θ)^(1/T)",
    },
    {
      title: "Move the data", at: ["map"],
      words: "Drag a peak. The posterior changes at once, and the same rule samples the new one. Learning never has to be restarted.",
      equation: "p_S: the prior, mean μ and width σ; p_N: the peaks",
    },
  ],
};
