"""Write every page that has numbers of a full run, from the tables in docs/data.

    make pages

The tables are written by `make reproduce`, `make dependence`, `make beyond`, `make robustness`,
`make sampling-gain` and `python -m tools.sparse_training`. Run this after a change to a claim, to a
text in docs/data/*_notes.toml or to a `<!-- measured … -->` comment. It also draws the chart of the
benchmarks.
"""

from __future__ import annotations

from tools import (
    benchmark_chart,
    beyond_page,
    dependence_page,
    reproduction_page,
    robustness_page,
    sampling_gain_page,
    sparse_training_page,
)
from tools.batch import as_command


def main(arguments: list[str]) -> int:
    """Write all pages."""
    reproduction_page.write_pages()
    beyond_page.write_page()
    robustness_page.write_page()
    dependence_page.write_page()
    sampling_gain_page.write_page()
    sparse_training_page.write_page()
    benchmark_chart.main()
    return 0


if __name__ == "__main__":
    as_command(main)
