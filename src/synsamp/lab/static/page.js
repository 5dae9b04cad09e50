// The page around the widget: the same widget also serves notebooks.

import widget from "./widget.js";

widget.render({ model: null, el: document.getElementById("lab") });
