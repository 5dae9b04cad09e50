// Spines, Fig. 3: one dendrite, spines that come and go.

import { Dendrite } from "../pictures/dendrite.js";
import { Law } from "../pictures/law.js";
import { Survival } from "../pictures/survival.js";
import { Trace } from "../pictures/trace.js";

export const spines = {
  name: "spines",
  title: "Spines",
  headline: "Spines come and go, by chance",
  lead: "Every dot along this dendrite is a place where a spine may grow. A prior and noise move its parameter θ; where θ > 0 there is a spine.",
  layout: "spines",
  noun: "spines",
  speeds: [1, 60, 3600],
  core: ["dendrite", "survival", "law"],
  want: ["spikes", "theta", "active", "sizes", "curves", "survival", "histogram", "density"],

  pictures(lab, scene) {
    const [projection] = scene.projections;
    return [
      new Dendrite(lab, { area: "dendrite", title: "One dendrite", sentence: "The head of a spine is as large as its synapse is strong. New spines are green for a moment. Move the pointer over a spine to follow it.", label: "Spines along a dendrite" },
        { projection: projection.name, count: projection.shape[1] }),
      new Survival(lab, { area: "survival", title: "Survival", sentence: "The share of spines that still exist after some time.", label: "Survival curve" }),
      new Law(lab, { area: "law", title: "All places", sentence: "How θ is distributed, and what prior and noise alone give.", label: "Histogram of θ against the exact density" }),
      new Trace(lab, { area: "trace", title: "One place", sentence: "θ of one spine: it exists while θ is above 0.", label: "θ of one spine over time" },
        { projection: projection.name, describe: ({ pre }) => `place ${pre + 1}`, above: "spine above 0", below: "no spine below" }),
    ];
  },

  pointer: (scene) => ({ projection: scene.projections[0].name, post: 0, pre: 0 }),

  tour: [
    {
      title: "Watch one spine", at: ["trace", "dendrite"],
      words: "Its parameter θ walks at random, pulled towards the mean of the prior. When θ crosses 0 from above, the spine is lost; when it returns, the spine is back.",
      equation: "dθ = b (μ − θ)/σ² dt + √(2 T b) dW",
    },
    {
      title: "Count how long they last", at: ["survival"],
      words: "The curve is measured from the spines above; the dashed line is exact for prior and noise. New spines mostly vanish soon, old ones last.",
      equation: "Survival is the first passage of θ below 0.",
    },
    {
      title: "Change the speed", at: ["survival"],
      words: "Set b ten times lower. Everything takes ten times as long, but the number of spines stays: b changes the pace, not the destination.",
      equation: "p*(θ) does not depend on b",
    },
    {
      title: "Make spines rare", at: ["law", "dendrite"],
      words: "Set the prior's mean μ to −1. Most places are now empty, and each spine is short-lived: the prior sets how densely a network is wired.",
      equation: "share of spines = P(θ > 0)",
    },
    {
      title: "Stop the noise", at: ["dendrite"],
      words: "Set T to 0. Without noise every θ moves to the mean of the prior, and turnover ends. In this model, turnover is the visible part of sampling.",
      equation: "√(2 T b) dW = 0",
    },
  ],
};
