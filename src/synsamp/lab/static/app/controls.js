// Play, pause, step, time scale, and what time it is.

import { h } from "./dom.js";
import { duration, number } from "./format.js";

const SCALES = [1, 10, 100, 1000];
const FULL = { speed: null, words: "full", help: "As fast as this computer can" };

export class Controls {
  constructor(lab) {
    this.lab = lab;
    this.playButton = h("button", { type: "button", class: "play", onclick: () => lab.toggle(), "aria-keyshortcuts": "Space" });
    this.stepButton = h("button", {
      type: "button", class: "step", title: "Pause and simulate one presentation (key S)", onclick: () => lab.session?.step(1),
    }, "Step");
    this.group = h("div", { class: "scales", role: "group", "aria-label": "Time scale" });
    this.offer(SCALES);
    this.clock = h("output", { class: "clock", "aria-label": "Biological time" });
    this.pace = h("span", { class: "pace" });
    this.element = h("div", { class: "controls" }, this.playButton, this.stepButton,
      this.group,
      h("div", { class: "now" }, this.clock, this.pace));
    this.show();
  }

  /** Offer these time scales (biological seconds per second), and full speed. */
  offer(speeds = SCALES) {
    const factors = speeds.map((speed) => ({
      speed, words: `${speed}×`, help: speed === 1 ? "As fast as life" : `${number(speed)} times as fast as life`,
    }));
    this.scales = [...factors, FULL].map(({ speed, words, help }) => {
      const choose = () => this.lab.session?.setSpeed(speed);
      return Object.assign(h("button", { type: "button", class: "scale", title: help, "aria-pressed": "false", text: words, onclick: choose }), { speed });
    });
    this.group.replaceChildren(...this.scales);
  }

  show() {
    const { session } = this.lab;
    const playing = Boolean(session?.playing);
    this.playButton.textContent = playing ? "❚❚ Pause" : "▶ Play";
    this.playButton.title = playing ? "Pause (space)" : "Play (space)";
    for (const part of [this.playButton, this.stepButton, ...this.scales]) part.disabled = !session || session.ended;
    for (const button of this.scales) button.setAttribute("aria-pressed", String(Boolean(session) && session.speed === button.speed));
    this.clock.textContent = session ? duration(session.time) : "";
  }

  tell(frame) {
    this.clock.textContent = duration(frame.time_s);
    const pace = frame.speed > 0 && this.lab.session.playing ? `${number(frame.speed, 2)} × life` : "";
    const spikes = pace && frame.spikes_per_s > 0 ? ` · ${number(frame.spikes_per_s, 2)} spikes computed per second` : "";
    this.pace.textContent = pace + spikes;
  }
}
