"""How far the claims of Figs. 2, 4 and 5 hold when one thing is changed at a time.

    make robustness

Numbers of the model are halved and doubled, readings and inputs exchanged: each map is a sweep that
changes one thing at a time, and under every change the claims are judged over seeds. Stopped or
killed, the same command goes on. What is written: docs/data/robustness-*.csv and .json,
docs/images/robustness-*.png and docs/robustness.md. With names of experiments only their maps are
made, and the others stay as they are: `make robustness ONLY=adaptation`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import docs_robustness
from robustness_plan import MAPS, Map
from whole_runs import ROOT, as_command, keep_table, run_all

from synsamp.arguments import one_of
from synsamp.claims.table import Measured, Run
from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.runs import RunFolder
from synsamp.runs.ensembles.batch import BatchItem
from synsamp.runs.ensembles.measured import measures_by_change
from synsamp.runs.ensembles.plan import describe_ensemble, require_data_of_all


def plan(each: Map, registry: Registry) -> BatchItem:
    """The sweep that a map is made of, checked, and that its data are there."""
    load = registry.find(each.experiment).load
    changes = each.changes(registry)
    asked = describe_ensemble(load(), each.trials, (), each.preset, each.base, 0, changes)
    require_data_of_all(load(), asked)
    return BatchItem(each.experiment, load, asked, each.trial_s)


def _judged_by(experiment: str, registry: Registry) -> set[str]:
    """What claims need: the rest would make a large table."""
    claims = registry.find(experiment).load().claims
    return {name for claim in claims for name in (claim.key, claim.null_key) if name}


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
    chosen = [each for each in maps if each.experiment in wanted]
    jobs = [plan(each, registry) for each in chosen]
    code = run_all(jobs, asked.out, "make robustness", asked.workers)
    # A change may be one under which networks do not live: that is what came out, and is kept.
    if code == 130 or any(
        RunFolder(asked.out / job.name).status.state != "finished" for job in jobs
    ):
        return code
    for each in chosen:
        folder = RunFolder(asked.out / each.experiment)
        needed = _judged_by(each.experiment, registry)
        table: dict[Run, Measured] = {}
        for change, measured in measures_by_change(folder).items():
            kept = {name: values for name, values in measured.items() if name in needed}
            # one under which no seed came to its end is a column, too
            nothing: Measured = {min(needed): [None]}
            table[Run(each.experiment, each.preset, change)] = kept or nothing
        target = docs_robustness.table(root, each.experiment)
        keep_table(table, [folder], target, "make robustness")
    docs_robustness.write_page(root, registry, maps)
    print("written: docs/robustness.md, docs/data/robustness-*.csv, docs/images/robustness-*.png")
    return code


if __name__ == "__main__":
    as_command(main)
