/* Random numbers that Python and JavaScript share.
 *
 * drawn(seed, number, which): synsamp.environments.drawn, a function of three whole numbers.
 * SeedSequence: NumPy's, from which the kernel's own streams start.
 */

const M1 = 0xbf58476d1ce4e5b9n;
const M2 = 0x94d049bb133111ebn;
const GOLDEN = 0x9e3779b97f4a7c15n;
const WORD = (1n << 64n) - 1n;

/** A random number in [0, 1) that depends only on three whole numbers below 2**53. */
export function drawn(seed, number, which = 0) {
  let state = 0n;
  for (const part of [seed, number, which]) {
    state = (state + BigInt(part) + GOLDEN) & WORD;
    state = ((state ^ (state >> 30n)) * M1) & WORD;
    state = ((state ^ (state >> 27n)) * M2) & WORD;
    state ^= state >> 31n;
  }
  return Number(state >> 11n) * 2 ** -53;
}

/** A standard normal draw by the Box–Muller transform. */
export function normal(seed, number, which = 0) {
  const first = drawn(seed, 2 * number, which);
  const second = drawn(seed, 2 * number + 1, which);
  return Math.sqrt(-2 * Math.log(1 - first)) * Math.cos(2 * Math.PI * second);
}

const POOL = 4;
const hashed = (value) => (value ^ (value >>> 16)) >>> 0;

function words(value) {
  const found = [];
  do {
    found.push(value % 2 ** 32);
    value = Math.floor(value / 2 ** 32);
  } while (value > 0);
  return found;
}

/** NumPy's SeedSequence (O'Neill's seed_seq_fe): whole numbers and a spawn key. */
export class SeedSequence {
  constructor(entropy, spawnKey = []) {
    this.entropy = [entropy].flat();
    this.spawnKey = spawnKey;
    const given = this.entropy.flatMap(words);
    const key = spawnKey.flatMap(words);
    while (key.length > 0 && given.length < POOL) given.push(0);
    given.push(...key);
    let constant = 0x43b0d7e5;
    const mixIn = (value) => {
      value = (value ^ constant) >>> 0;
      constant = Math.imul(constant, 0x931e8875) >>> 0;
      return hashed(Math.imul(value, constant) >>> 0);
    };
    const mix = (x, y) => hashed((Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y)) >>> 0);
    const pool = new Uint32Array(POOL);
    for (let i = 0; i < POOL; i++) pool[i] = mixIn(i < given.length ? given[i] : 0);
    for (let from = 0; from < POOL; from++) {
      for (let to = 0; to < POOL; to++) {
        if (from !== to) pool[to] = mix(pool[to], mixIn(pool[from]));
      }
    }
    for (let from = POOL; from < given.length; from++) {
      for (let to = 0; to < POOL; to++) pool[to] = mix(pool[to], mixIn(given[from]));
    }
    this.pool = pool;
  }

  /** The child with this number. */
  child(number) {
    return new SeedSequence(this.entropy, [...this.spawnKey, number]);
  }

  /** The first ``count`` 32-bit words. */
  state(count) {
    const out = new Uint32Array(count);
    let constant = 0x8b51f9dd;
    for (let i = 0; i < count; i++) {
      let value = (this.pool[i % POOL] ^ constant) >>> 0;
      constant = Math.imul(constant, 0x58f38ded) >>> 0;
      value = Math.imul(value, constant) >>> 0;
      out[i] = hashed(value);
    }
    return out;
  }

  /** The state of a kernel's stream (`synsamp.noise.streams.new_stream`). */
  stream() {
    const state = this.state(256);
    for (let i = 192; i < 256; i++) state[i] = (state[i] | 1) >>> 0;
    return state;
  }
}
