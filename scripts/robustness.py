"""How far the claims of Figs. 2, 4 and 5 hold when one thing is changed at a time.

    make robustness

Numbers of the model are halved and doubled, readings and inputs exchanged, one at a time; every
change is an ensemble over which the claims are judged. Stopped or killed, the same command goes on.
What is written: docs/data/robustness-*.csv and .json, docs/images/robustness-*.png and
docs/robustness.md. With names of experiments only their maps are made, and the others stay as they
are: `make robustness ONLY=adaptation`.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

import docs_robustness
from robustness_plan import MAPS, Map
from whole_runs import ROOT, as_command, job, keep, run_all

from synsamp.arguments import one_of
from synsamp.claims.table import Run
from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.runs.ensembles.batch import Job


def plan(maps: Sequence[Map], registry: Registry) -> list[tuple[Run, Job]]:
    """Everything that is run, checked."""
    found = []
    for each in maps:
        entry = registry.find(each.experiment)
        for number, (label, settings, cost) in enumerate(each.variants(registry)):
            slug = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")
            name = f"{each.experiment}-{number:02d}-{slug}"
            asked = job(entry, each.preset, settings, each.trials, name, cost)
            found.append((Run(each.experiment, each.preset, label), asked))
    return found


def _judged_by(run: Run, registry: Registry) -> set[str]:
    """What claims need: the rest would make a large table."""
    claims = registry.find(run.experiment).load().claims
    return {name for claim in claims for name in (claim.measure, claim.null) if name}


def main(
    arguments: list[str],
    registry: Registry = REGISTRY,
    root: Path = ROOT,
    maps: Sequence[Map] = MAPS,
) -> int:
    """Run, keep, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("runs/robustness"), help="folder of runs")
    parser.add_argument("--workers", type=int, help="processes; all cores if not given")
    parser.add_argument("only", nargs="*", help="experiments; all maps if not given")
    asked = parser.parse_args(arguments)
    names = [each.experiment for each in maps]
    wanted = {one_of("experiment", name, names) for name in asked.only or names}
    planned = [(run, job) for run, job in plan(maps, registry) if run.experiment in wanted]
    code = run_all([job for _, job in planned], asked.out, "make robustness", asked.workers)
    if code:
        return code
    for name in wanted:
        runs, jobs = zip(*(each for each in planned if each[0].experiment == name), strict=True)
        target = docs_robustness.table(root, name)
        keep(
            jobs, asked.out, runs, target, "make robustness", lambda run: _judged_by(run, registry)
        )
    docs_robustness.write_page(root, registry, maps)
    print("written: docs/robustness.md, docs/data/robustness-*.csv, docs/images/robustness-*.png")
    return 0


if __name__ == "__main__":
    as_command(main)
