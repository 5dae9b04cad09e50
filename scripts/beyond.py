"""Run what goes beyond the paper whole, keep what every seed measured, and write its page.

    make beyond
    make beyond ONLY="bandit lever"

Every such experiment at its preset `paper`, with as many seeds as the preset says. Stopped or
killed, the same command goes on. What is written: docs/data/beyond-*.csv and .json, copies of the
drawings in docs/images, docs/beyond.md. Those that are not named stay as they are.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import docs_beyond
from reproduce import copy_images
from whole_runs import ROOT, as_command, job, keep, run_all

from synsamp.arguments import one_of
from synsamp.claims.table import Run
from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.report.write import write_report

PRESET = "paper"
TRIAL_S = {
    "bandit": 20,
    "reward_patterns": 120,
    "lever": 400,
    "rewiring_mnist": 400,
    "ensemble_mnist": 100,
}
"""Seconds of a core per seed, roughly: only the time left goes by them."""
MOST_IMAGE_BYTES = 300_000
"""For one experiment."""


def main(arguments: list[str], registry: Registry = REGISTRY, root: Path = ROOT) -> int:
    """Run, keep, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("runs/beyond"), help="folder of the runs")
    parser.add_argument("--workers", type=int, help="processes; all cores if not given")
    parser.add_argument("only", nargs="*", help="experiments; all if not given")
    asked = parser.parse_args(arguments)
    names = [entry.name for entry in registry.beyond]
    wanted = [one_of("experiment", name, names) for name in asked.only or names]
    jobs = [
        job(registry.find(name), PRESET, (), None, f"{name}-{PRESET}", TRIAL_S.get(name, 1))
        for name in wanted
    ]
    code = run_all(jobs, asked.out, "make beyond", asked.workers)
    if code:
        return code
    folders = [asked.out / each.name for each in jobs]
    report = write_report(folders, registry, asked.out / "report.html")
    for name, each in zip(wanted, jobs, strict=True):
        command = f"make beyond ONLY={name}"
        keep([each], asked.out, [Run(name, PRESET)], docs_beyond.table(root, name), command)
        images = root / "docs" / "images"
        copy_images([asked.out / each.name], images, "beyond", MOST_IMAGE_BYTES)
    docs_beyond.write_page(root, registry)
    print(f"report: {report}")
    print("written: docs/beyond.md, docs/data/beyond-*.csv, docs/images/beyond-*.png")
    return 0


if __name__ == "__main__":
    as_command(main)
