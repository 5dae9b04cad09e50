// Colours of the drawings, read from the style sheet so that they are written once.

const NAMES = [
  "paper", "surface", "ink", "muted", "rule", "network", "twin", "formed", "lost", "prior", "select",
];

/** The colours that hold now, as `#rrggbb` by name. */
export function readTheme(root) {
  const style = getComputedStyle(root);
  const theme = {};
  for (const name of NAMES) theme[name] = style.getPropertyValue(`--${name}`).trim();
  theme.dark = style.getPropertyValue("--dark").trim() === "1";
  theme.font = style.fontFamily;
  return theme;
}

/** `#rrggbb` as three numbers. */
export function rgb(colour) {
  const bits = parseInt(colour.slice(1), 16);
  return [(bits >> 16) & 255, (bits >> 8) & 255, bits & 255];
}

/** 256 colours from one to another, four bytes each. */
export function ramp(...colours) {
  const stops = colours.map(rgb);
  const table = new Uint8ClampedArray(1024);
  for (let k = 0; k < 256; k++) {
    const at = (k / 255) * (stops.length - 1);
    const i = Math.min(stops.length - 2, Math.floor(at));
    for (let c = 0; c < 3; c++) table[4 * k + c] = stops[i][c] + (at - i) * (stops[i + 1][c] - stops[i][c]);
    table[4 * k + 3] = 255;
  }
  return table;
}

/** Values as pixels of a ramp; `low` and `high` are the ends of the scale. */
export function paint(values, table, low, high, pixels = new Uint8ClampedArray(4 * values.length)) {
  const scale = high > low ? 255 / (high - low) : 0;
  for (let k = 0; k < values.length; k++) {
    const value = values[k];
    const at = value > low ? Math.min(255, ((value - low) * scale) | 0) : 0;
    const from = 4 * at;
    pixels[4 * k] = table[from];
    pixels[4 * k + 1] = table[from + 1];
    pixels[4 * k + 2] = table[from + 2];
    pixels[4 * k + 3] = 255;
  }
  return pixels;
}
