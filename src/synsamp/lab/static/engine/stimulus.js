/* What a spiking scene shows: rows of levels, presentations made of them, and their order.
 *
 *     rate = level/255 · peak_hz + noise_hz,  each channel drives `repeat` inputs
 */

import { drawn } from "./random.js";
import { pairwiseSum } from "./sums.js";

const [ORDER, SOUND, IMAGE] = [0, 1, 2];
const below = (n, ...draw) => Math.floor(n * drawn(...draw));

/** Levels of one input group; the last row is that of a drawn picture. */
export class Rows {
  constructor({ levels, repeat, peak_hz: peak, noise_hz: noise }, data) {
    const [count, channels] = levels.shape;
    Object.assign(this, { count: count + 1, channels, repeat, peak, noise });
    this.levels = new Uint8Array((count + 1) * channels);
    this.levels.set(new Uint8Array(data, levels.at, count * channels));
    this.picture = count;
    this.version = 0;
  }

  /** Write the rates (Hz) of a row. */
  write(row, rates) {
    const { channels, repeat, peak, noise, levels } = this;
    for (let c = 0, i = 0; c < channels; c++) {
      const rate = (levels[row * channels + c] / 255) * peak + noise;
      for (let k = 0; k < repeat; k++) rates[i++] = rate;
    }
  }
}

/** Python's rounding: halves go to the even neighbour. */
export function roundHalfEven(x) {
  const low = Math.floor(x);
  const part = x - low;
  return part < 0.5 || (part === 0.5 && low % 2 === 0) ? low : low + 1;
}

/** Presentations of one group in random order. */
export function shuffled({ by_label: byLabel, presentations }, labels, seed, start) {
  const shown = labels.flatMap((label) => byLabel[label]);
  const of = labels.flatMap((label) => byLabel[label].map(() => label));
  return {
    presentation: (n) => {
      const index = below(shown.length, seed, start + n, ORDER);
      return { parts: [presentations[shown[index]]], label: of[index] };
    },
  };
}

/** A sound and an image of the same label, each drawn from those of the label. */
export function paired({ sounds, images, by_label: byLabel, sound_first: first }, labels, seed, start) {
  return {
    presentation: (n) => {
      const label = labels[below(labels.length, seed, start + n, ORDER)];
      const mine = byLabel[label];
      const sound = sounds[mine.sounds[below(mine.sounds.length, seed, start + n, SOUND)]];
      const image = images[mine.images[below(mine.images.length, seed, start + n, IMAGE)]];
      const seen = seenWith(sound, image);
      return { parts: first ? [sound, seen] : [seen, sound], lead: first ? 0 : 1, label };
    },
  };
}

/** An image for as long as a sound lasts, with noise alone before and after. */
function seenWith(sound, { row, dark }) {
  const padding = sound[0][1];
  const length = pairwiseSum(sound.slice(1, -1).map(([, seconds]) => seconds));
  return [[dark, padding], [row, length], [dark, padding]];
}
