"""Sensitivity analysis: judge the claims of Figs. 2, 4 and 5 with one thing changed at a time.

    make robustness
    make robustness ONLY=adaptation

Each map is a sweep that halves or doubles one parameter, or changes one reading or input, and
judges all claims over seeds under every change. If you stop it, the same command continues. Writes
docs/data/robustness-*.csv and .json, docs/images/robustness-*.png and the pages
docs/paper/sensitivity.md and docs/reference/sensitivity-claims.md.
Experiments that you do not name keep their stored maps.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from synsamp.arguments import one_of
from synsamp.claims.table import Measured, Run
from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.runs import RunFolder
from synsamp.runs.ensembles.batch import BatchItem
from synsamp.runs.ensembles.measured import measures_by_change
from synsamp.runs.ensembles.plan import describe_ensemble, require_data_of_all
from tools import robustness_page
from tools.batch import as_command, run_all
from tools.markdown import ROOT
from tools.robustness_plan import MAPS, Map
from tools.stored import store_table


def plan(each: Map, registry: Registry, seed: int = 0) -> BatchItem:
    """Describe the sweep of a map; checks parameters and data."""
    load = registry.find(each.experiment).load
    changes = each.changes(registry)
    description = describe_ensemble(load(), each.trials, (), each.preset, each.base, seed, changes)
    require_data_of_all(load(), description)
    return BatchItem(each.experiment, load, description, each.trial_s)


def _judged_by(experiment: str, registry: Registry) -> set[str]:
    """The measures that claims use; all measures would make the table large."""
    claims = registry.find(experiment).load().claims
    return {name for claim in claims for name in (claim.key, claim.null_key) if name}


def main(
    arguments: list[str],
    registry: Registry = REGISTRY,
    root: Path = ROOT,
    maps: Sequence[Map] = MAPS,
) -> int:
    """Run, store, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("runs/robustness"), help="folder of runs")
    parser.add_argument("--workers", type=int, help="processes (default: all cores)")
    parser.add_argument("only", nargs="*", help="experiments (default: all maps)")
    options = parser.parse_args(arguments)
    names = [each.experiment for each in maps]
    wanted = {one_of("experiment", name, names) for name in options.only or names}
    chosen = [each for each in maps if each.experiment in wanted]
    jobs = [plan(each, registry) for each in chosen]
    code = run_all(jobs, options.out, "make robustness", options.workers)
    # Trials may fail under a change; the map shows it.
    if code == 130 or any(
        RunFolder(options.out / job.name).status.state != "finished" for job in jobs
    ):
        return code
    for each in chosen:
        folder = RunFolder(options.out / each.experiment)
        needed = _judged_by(each.experiment, registry)
        table: dict[Run, Measured] = {}
        for change, measured in measures_by_change(folder).items():
            kept = {name: values for name, values in measured.items() if name in needed}
            # a change under which every trial failed is a column as well
            nothing: Measured = {min(needed): [None]}
            table[Run(each.experiment, each.preset, change)] = kept or nothing
        target = robustness_page.table(root, each.experiment)
        store_table(table, [folder], target, "make robustness")
    robustness_page.write_page(root, registry, maps)
    print("written: docs/paper/sensitivity.md, docs/data/robustness-*, docs/images/robustness-*")
    return code


if __name__ == "__main__":
    as_command(main)
