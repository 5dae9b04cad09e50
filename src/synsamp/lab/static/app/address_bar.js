// The address of the page repeats the session: it follows scene, seed, settings and actions. That of
// a notebook is left alone.

import { readAddress } from "./address.js";

const EVERY_MS = 400; // browsers limit how often a page may change its address

export class AddressBar {
  constructor(lab) {
    this.lab = lab;
    this.timer = null;
  }

  /** Something was done: show it soon. */
  changed() {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.show();
    }, EVERY_MS);
  }

  show() {
    const { lab } = this;
    if (lab.model || !lab.session?.scene || lab.session.engine === "recorded") return;
    const { compact, theme } = readAddress(location.hash);
    const hash = lab.addressOf({ compact, theme }) ?? lab.addressOf({ compact, theme, actions: [] });
    history.replaceState(null, "", hash);
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
  }
}
