/* Turnover: synapses that became functional, or stopped being so, between equal time points. */

export class Turnover {
  constructor(every) {
    Object.assign(this, { every, before: {}, totals: {} });
  }

  isDue(tick) {
    return tick % this.every === 0;
  }

  nextAfter(tick) {
    return (Math.floor(tick / this.every) + 1) * this.every;
  }

  count(matrices) {
    const totals = {};
    for (const [name, theta] of Object.entries(matrices)) {
      const now = new Uint8Array(theta.length);
      const was = this.before[name];
      let { formed, lost } = this.totals[name] ?? { formed: 0, lost: 0 };
      for (let i = 0; i < theta.length; i++) {
        now[i] = theta[i] > 0 ? 1 : 0;
        if (was && now[i] > was[i]) formed += 1;
        if (was && now[i] < was[i]) lost += 1;
      }
      totals[name] = { formed, lost };
      this.before = { ...this.before, [name]: now };
    }
    this.totals = totals;
  }

  copy() {
    return Object.assign(new Turnover(this.every), { before: this.before, totals: this.totals });
  }
}
