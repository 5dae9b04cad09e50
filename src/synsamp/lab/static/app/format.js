// Numbers and times as people write them.

const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A number in as few characters as it needs: 0.0001 is 10⁻⁴, 12500 is 12,500. */
export function number(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e6) return power(value, digits);
  const text = size >= 1000 ? Math.round(size).toLocaleString("en-GB") : trim(String(Number(size.toPrecision(digits))));
  return value < 0 ? `−${text}` : text;
}

function power(value, digits) {
  let [mantissa, exponent] = Math.abs(value).toExponential(digits - 1).split("e");
  mantissa = trim(mantissa);
  const raised = [...String(Number(exponent))].map((c) => (c === "-" ? "⁻" : SUPERSCRIPT[Number(c)]));
  const shown = mantissa === "1" ? `10${raised.join("")}` : `${mantissa}·10${raised.join("")}`;
  return value < 0 ? `−${shown}` : shown;
}

function trim(text) {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** A number as one types it, for a text field. */
export function typed(value) {
  if (!Number.isFinite(value)) return "";
  return String(Number(value.toPrecision(6))); // JavaScript writes 0.000001 in full, and less as 1e-7
}

/** Seconds of biological time: 42 s, 12 min 05 s, 3 h 20 min, 2 d 4 h. */
export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  const s = Math.max(0, seconds);
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 60) return `${Math.floor(s)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${two(Math.floor(s % 60))} s`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${two(Math.floor((s % 3600) / 60))} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}

const two = (n) => String(n).padStart(2, "0");

/** The unit in which a span of time is best drawn: its length in seconds and its name. */
export function timeUnit(span) {
  if (span >= 3 * 86400) return { seconds: 86400, name: "days" };
  if (span >= 2 * 3600) return { seconds: 3600, name: "h" };
  if (span >= 180) return { seconds: 60, name: "min" };
  return { seconds: 1, name: "s" };
}

/** A share as a percentage. */
export function percent(share) {
  return Number.isFinite(share) ? `${Math.round(100 * share)} %` : "–";
}
