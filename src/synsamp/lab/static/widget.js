// The one front end, as an anywidget: `render` fills an element and returns what removes it again.

import { Lab } from "./app/lab.js";
import { connect } from "./app/connect.js";
import { readAddress } from "./app/address.js";

function render({ model, el }) {
  const asked = model ? (model.get("state") ?? {}) : readAddress(location.hash);
  const lab = new Lab(el, { model, connect: () => connect(model) });
  lab.start(asked);
  return () => lab.dispose();
}

export default { render };
