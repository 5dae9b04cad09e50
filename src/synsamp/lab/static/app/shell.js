// The frame of the page: scenes, headline, pictures, parameters, time line.

import { writeAddress } from "./address.js";
import { h } from "./dom.js";
import { SCENES } from "../scenes/scenes.js";

const KEYS = [
  ["Space", "play or pause"], ["S", "one step"], ["1 … 5", "choose a scene"], ["T", "open or close the tour"],
  ["P", "go to the parameters"], ["Esc", "clear the marks, close the tour"],
  ["← →, Enter", "on the time line: choose a moment and return to it"],
];

/** Build the frame of a lab; pictures come when a session is ready. */
export function buildShell(lab) {
  const tabs = SCENES.map(({ name, title }, k) =>
    h("button", { type: "button", class: "tab", title: `${title} (key ${k + 1})`, onclick: () => lab.openScene(name) }, title));
  const scenes = h("nav", { class: "tabs", "aria-label": "Scenes" }, ...tabs);
  const title = h("h1", { text: "synsamp lab" });
  const lead = h("p", { class: "lead", text: "" });
  const message = h("p", { class: "message", role: "status" });
  const stage = h("div", { class: "stage" });
  const keys = h("dialog", { class: "keys", "aria-label": "Keys" },
    h("h2", { text: "Keys" }),
    h("dl", {}, ...KEYS.flatMap(([key, words]) => [h("dt", {}, h("kbd", { text: key })), h("dd", { text: words })])),
    h("form", { method: "dialog" }, h("button", { class: "act" }, "Close")));
  const start = h("button", { type: "button", class: "tour-button", title: "What to watch and what to try (key T)", onclick: () => lab.tour.toggle() }, "Take the tour");
  const engine = h("span", { class: "engine" });
  const whole = h("a", { class: "whole", target: "_blank", rel: "noopener", title: "All pictures, parameters, the time line and a tour" }, "Open the whole lab ↗");
  const root = h("div", { class: "synsamp-lab" },
    h("header", { class: "bar" },
      h("span", { class: "brand" }, h("span", { class: "dot", "aria-hidden": "true" }), "synsamp ", h("b", { text: "lab" })),
      scenes,
      whole,
      h("div", { class: "menu" }, engine,
        h("button", { type: "button", class: "quiet", title: "Copy the address of this session", onclick: () => lab.exports.copyAddress() }, "Copy link"),
        h("button", { type: "button", class: "quiet", title: "A Python file that repeats this session: synsamp run FILE", onclick: () => lab.exports.experiment() }, "Save as experiment"),
        h("button", { type: "button", class: "quiet", title: "All pictures as one SVG file", onclick: () => lab.exports.svg() }, "Save figure"),
        h("button", { type: "button", class: "quiet", title: "All pictures as one PNG file", "aria-label": "All pictures as PNG", onclick: () => lab.exports.png() }, "PNG"),
        h("button", { type: "button", class: "quiet theme", title: "Dark or light", "aria-label": "Dark or light", onclick: () => lab.exports.turnTheme() }, "◐"),
        h("button", { type: "button", class: "quiet", title: "Keys", "aria-label": "Keys", onclick: () => keys.showModal() }, "?"))),
    h("div", { class: "headline" }, h("div", {}, title, lead, lab.gap.element), h("div", { class: "beside" }, message, start), lab.tour.element),
    h("main", { class: "body" }, stage, h("aside", { class: "side", "aria-label": "Parameters and lesions" }, lab.knobs.element, lab.lesions.element)),
    h("footer", { class: "foot" }, lab.controls.element, lab.timeline.element),
    keys);

  return {
    root,
    /** Show a sentence to the reader; an empty one removes it. */
    say(words, kind = "") {
      message.textContent = words;
      message.className = `message ${kind}`;
      message.hidden = words === "";
    },
    /** Show a sentence in the place of the pictures. */
    wait(words) {
      stage.className = "stage";
      stage.replaceChildren(h("p", { class: "wait", text: words }));
    },
    compose(composed, session, pictures) {
      scenes.hidden = !SCENES.some(({ name }) => name === session.scene.name);
      start.hidden = !composed.tour?.length;
      title.textContent = composed.title;
      lead.textContent = composed.lead;
      tabs.forEach((tab, k) => {
        const here = SCENES[k].name === session.scene.name;
        tab.setAttribute("aria-current", here ? "page" : "false");
        if (here) scenes.scrollLeft += tab.getBoundingClientRect().right - scenes.getBoundingClientRect().right;
      });
      root.classList.toggle("compact", lab.compact);
      whole.href = `${location.href.replace(/#.*$/, "")}${writeAddress({ scene: session.scene.name, seed: session.seed })}`;
      for (const picture of pictures) picture.element.classList.toggle("extra", !composed.core.includes(picture.area));
      stage.className = `stage scene-${composed.layout}`;
      stage.replaceChildren(...pictures.map((picture) => picture.element));
      const host = { wasm: "WebAssembly in this browser", native: "native engine, local server", recorded: "recorded run" }[session.engine];
      engine.textContent = `${host ?? session.engine}, seed ${session.seed}`;
    },
    showKeys: () => keys.showModal(),
    openNumber: (k) => tabs[k]?.click(),
  };
}
