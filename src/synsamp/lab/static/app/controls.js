// Play, pause, step, time scale, and what time it is.

import { h } from "./dom.js";
import { duration, number } from "./format.js";

const SCALES = [
  { speed: 1, words: "1×", help: "As fast as life" },
  { speed: 10, words: "10×", help: "10 times as fast as life" },
  { speed: 100, words: "100×", help: "100 times as fast as life" },
  { speed: 1000, words: "1000×", help: "1,000 times as fast as life" },
  { speed: null, words: "full", help: "As fast as this computer can" },
];

export class Controls {
  constructor(lab) {
    this.lab = lab;
    this.playButton = h("button", { type: "button", class: "play", onclick: () => lab.toggle(), "aria-keyshortcuts": "Space" });
    this.stepButton = h("button", {
      type: "button", class: "step", title: "Pause and simulate one presentation (key S)", onclick: () => lab.session?.step(1),
    }, "Step");
    this.scales = SCALES.map(({ speed, words, help }) =>
      h("button", { type: "button", class: "scale", title: help, "aria-pressed": "false", text: words, onclick: () => lab.session?.setSpeed(speed) }));
    this.clock = h("output", { class: "clock", "aria-label": "Biological time" });
    this.pace = h("span", { class: "pace" });
    this.element = h("div", { class: "controls" }, this.playButton, this.stepButton,
      h("div", { class: "scales", role: "group", "aria-label": "Time scale" }, ...this.scales),
      h("div", { class: "now" }, this.clock, this.pace));
    this.show();
  }

  show() {
    const { session } = this.lab;
    const playing = Boolean(session?.playing);
    this.playButton.textContent = playing ? "❚❚ Pause" : "▶ Play";
    this.playButton.title = playing ? "Pause (space)" : "Play (space)";
    for (const part of [this.playButton, this.stepButton, ...this.scales]) part.disabled = !session || session.ended;
    this.scales.forEach((button, k) => button.setAttribute("aria-pressed", String(Boolean(session) && session.speed === SCALES[k].speed)));
    this.clock.textContent = session ? duration(session.time) : "";
  }

  tell(frame) {
    this.clock.textContent = duration(frame.time_s);
    const pace = frame.speed > 0 && this.lab.session.playing ? `${number(frame.speed, 2)} × life` : "";
    const spikes = pace && frame.spikes_per_s > 0 ? ` · ${number(frame.spikes_per_s, 2)} spikes computed per second` : "";
    this.pace.textContent = pace + spikes;
  }
}
