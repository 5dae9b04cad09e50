"""Programs behind the `make` targets: run everything, store the measures, write the pages."""
