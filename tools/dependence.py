"""What the numbers of Fig. 5 depend on: three normalisations with three voices, θ0, the sign.

    make dependence
    make dependence ONLY="channel training"

Runs 24 networks of Fig. 5 for each combination of normalisation and voice, for θ0 = 3, 4 and 5 and
for the printed sign of the prior, and 12 circuits of Fig. 4 for the last four. Their seed was not
used before. If you stop it, the same command continues; parts that you do not name keep their
stored results. Writes docs/data/dependence-*.csv and .json and docs/paper/dependence.md.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from synsamp.arguments import one_of
from synsamp.claims.table import Run
from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.runs import RunFolder
from synsamp.runs.ensembles.measured import measures_by_change
from tools import dependence_page
from tools.batch import as_command, run_all
from tools.dependence_page import MAPS
from tools.markdown import ROOT
from tools.robustness import plan
from tools.stored import store_table

SEED = 314159
"""Claims, bands and readings were fixed before any run with it."""


def main(arguments: list[str], registry: Registry = REGISTRY, root: Path = ROOT) -> int:
    """Run, store, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("runs/dependence"), help="folder of runs")
    parser.add_argument("--workers", type=int, help="processes (default: all cores)")
    parser.add_argument("only", nargs="*", help="parts (default: all)")
    options = parser.parse_args(arguments)
    wanted = {one_of("part", name, list(MAPS)) for name in options.only or MAPS}
    chosen = {name: each for name, each in MAPS.items() if name in wanted}
    jobs = [replace(plan(each, registry, SEED), name=name) for name, each in chosen.items()]
    code = run_all(jobs, options.out, "make dependence", options.workers)
    # Trials may fail under a change; the page counts the others.
    if any(RunFolder(options.out / job.name).status.state != "finished" for job in jobs):
        return code
    for name, each in chosen.items():
        folder = RunFolder(options.out / name)
        measured = measures_by_change(folder)
        table = {Run(each.experiment, each.preset, label): m for label, m in measured.items()}
        store_table(table, [folder], dependence_page.table(root, name), "make dependence")
    dependence_page.write_page(root, registry)
    print("written: docs/paper/dependence.md, docs/data/dependence-*.csv")
    return code


if __name__ == "__main__":
    as_command(main)
