"""The report of a spine table: figures, one page, CSV, NetCDF and a Methods paragraph."""
