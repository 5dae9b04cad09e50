// The scenes, in the order of the keys 1 to 5, and how to draw a custom network.

import { digits } from "./digits.js";
import { landscape } from "./landscape.js";
import { own } from "./own.js";
import { reward } from "./reward.js";
import { senses } from "./senses.js";
import { spines } from "./spines.js";

export const SCENES = [landscape, spines, digits, senses, reward];

/** How the page draws a scene that the engine described. */
export function sceneOf(scene) {
  const known = SCENES.find(({ name }) => name === scene.name) ?? own;
  return {
    title: known.headline ?? scene.title,
    lead: known.lead ?? "",
    layout: known.layout,
    noun: known.noun ?? "connections",
    speeds: known.speeds,
    core: known.core ?? [],
    want: known.want,
    tour: known.tour,
    pictures: known.pictures,
    pointer: known.pointer?.(scene),
  };
}
