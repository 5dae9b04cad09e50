"""One folder per figure of the paper; `registry` lists them, `base` says what one is."""
