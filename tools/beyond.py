"""Run the experiments beyond the paper in full, store the measures of every seed, write the page.

    make beyond
    make beyond ONLY="bandit lever"

Each experiment runs at its preset `paper`, with the number of seeds set by the preset. If you stop
it, the same command continues. Writes docs/data/beyond-*.csv and .json, small figures in
docs/images and docs/reference/beyond-claims.md. Experiments that you do not name keep their
stored results.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from synsamp.arguments import one_of
from synsamp.claims.table import Run
from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.report.write import write_report
from tools import beyond_page
from tools.batch import as_command, job, run_all
from tools.images import copy_images
from tools.markdown import ROOT
from tools.stored import store

PRESET = "paper"
TRIAL_S = {
    "bandit": 20,
    "reward_patterns": 120,
    "lever": 400,
    "sheet": 300,
    "rewiring_mnist": 400,
    "ensemble_mnist": 100,
}
"""Approximate core seconds per seed, for the estimate of the remaining time."""
MAX_IMAGE_BYTES = 600_000
"""Per experiment."""


def main(arguments: list[str], registry: Registry = REGISTRY, root: Path = ROOT) -> int:
    """Run, store, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("runs/beyond"), help="folder of the runs")
    parser.add_argument("--workers", type=int, help="processes (default: all cores)")
    parser.add_argument("only", nargs="*", help="experiments (default: all)")
    options = parser.parse_args(arguments)
    names = [entry.name for entry in registry.beyond]
    wanted = [one_of("experiment", name, names) for name in options.only or names]
    jobs = [
        job(registry.find(name), PRESET, (), None, f"{name}-{PRESET}", TRIAL_S.get(name, 1))
        for name in wanted
    ]
    code = run_all(jobs, options.out, "make beyond", options.workers)
    if code:
        return code
    folders = [options.out / each.name for each in jobs]
    report = write_report(folders, registry, options.out / "report.html")
    for name, each in zip(wanted, jobs, strict=True):
        command = f"make beyond ONLY={name}"
        store([each], options.out, [Run(name, PRESET)], beyond_page.table(root, name), command)
        images = root / "docs" / "images"
        copy_images([options.out / each.name], images, "beyond", MAX_IMAGE_BYTES)
    beyond_page.write_page(root, registry)
    print(f"report: {report}")
    print("written: docs/reference/beyond-claims.md, docs/data/beyond-*, docs/images/beyond-*")
    return 0


if __name__ == "__main__":
    as_command(main)
