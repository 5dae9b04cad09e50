// Elements without markup strings: every text that arrives from outside stays text.

const SVG = "http://www.w3.org/2000/svg";

/** An element with properties and children; strings become text nodes. */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** The same for an element of SVG. */
export function svg(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "text") element.textContent = String(value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** A drawing of 16 × 16 units made of one path, hidden from screen readers. */
export function icon(path) {
  const drawn = svg("path", { d: path, fill: "currentColor" });
  return svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true", class: "icon" }, drawn);
}

let numbered = 0;
/** An id that no other element of this page has. */
export function newId(stem) {
  numbered += 1;
  return `lab-${stem}-${numbered}`;
}

/** Whether the reader asked for less motion. */
export function reducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
