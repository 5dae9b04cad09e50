// Keys that work anywhere on the page, except while one types.

/** Start listening; returns what stops it. */
export function listenToKeys(lab) {
  const listener = (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    const inside = event.target.closest?.("input:not([type=range]):not([type=checkbox]), select, textarea");
    if (inside) return;
    const act = actionOf(lab, event);
    if (!act) return;
    event.preventDefault();
    act();
  };
  // In a notebook keys belong to the notebook, unless the page itself has the focus.
  const target = lab.model ? lab.root : document;
  target.addEventListener("keydown", listener);
  return () => target.removeEventListener("keydown", listener);
}

function actionOf(lab, { key, target }) {
  const pressed = target.closest?.("button, [role=switch], input[type=checkbox], a");
  if (key === " ") return pressed ? null : () => lab.toggle();
  if (key === "s") return () => lab.session?.step(1);
  if (key === "t") return () => lab.tour.toggle();
  if (key === "p") return () => lab.knobs.focus();
  if (key === "?") return () => lab.shell.showKeys();
  if (key === "Escape") return () => (lab.tour.close(), lab.selection.clear());
  if (/^[1-5]$/.test(key)) return () => lab.shell.openNumber(Number(key) - 1);
  return null;
}
