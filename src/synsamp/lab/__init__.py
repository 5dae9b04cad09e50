"""The lab: a network learns while you watch, in the browser, from a local server or a notebook."""
