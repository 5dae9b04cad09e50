"""Run every experiment of the paper in full, store the measures of every seed, write the pages.

    make reproduce          # short form: seeds as the presets say, 70 min on two cores
    make reproduce-long     # more seeds where the short form leaves claims undecided, about 3 h
    make reproduce-long ONLY="motility adaptation"

Runs every preset whose name starts with ``paper``. If you stop it, the same command continues.
Experiments that you do not name keep their stored results.
Writes docs/data/reproduction.csv and .json, docs/images/reproduction-*.png, the overview and the
claims on the site, the numbers on pages of figures and the five lines of README.md.
After a change to the code of a run, use another --out.

The seeds are new: an earlier run, stored in docs/data/reproduction-first.csv, was used to correct
bands and nulls, so its seeds are not used again. The long form has another seed, which no run
had before.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from synsamp.arguments import one_of
from synsamp.claims.table import Run
from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.report.write import write_report
from synsamp.runs.ensembles.batch import BatchItem
from tools import reproduction_page
from tools.batch import as_command, job, run_all
from tools.images import copy_images
from tools.markdown import ROOT
from tools.stored import store

TRIAL_S = {
    "landscape": 50,
    "theorem1": 15,
    "generalisation": 11,
    "prior_comparison": 48,
    "motility": 205,
    "adaptation": 28,
    "compensation": 180,
}
"""Approximate core seconds per seed, for the estimate of the remaining time."""
SEED = 2015
"""Of all ensembles. The first run used seed 0; small seeds served for development."""
LONG_SEED = 271828
"""Of the long form. Claims, bands and readings were fixed before any run with it."""
LONG_TRIALS = {
    "prior_comparison-paper": 72,
    "motility-paper": 12,
    "adaptation-paper": 24,
    "compensation-paper": 48,
    "compensation-paper_retracted": 24,
}
"""Seeds of the long form where they differ from the preset's, by folder. They were chosen by the
numbers that the short form reported as needed. By its durations (docs/data/reproduction.json) the
long form takes 2.8 hours on two cores: prior_comparison 29 min, motility 20, adaptation 8,
compensation 59 and 31, the rest 25, and the controls that are not judged 11."""


@dataclass(frozen=True)
class Setup:
    """A preset of an experiment, or a variant of it with some parameters changed."""

    experiment: str
    preset: str
    variant: str = ""
    settings: Sequence[str] = ()
    trials: int | None = None

    @property
    def folder(self) -> str:
        """The name of the run's folder."""
        return f"{self.experiment}-{self.preset}" + ("-variant" if self.variant else "")


VARIANTS = (
    Setup(
        "compensation",
        "paper",
        "T = 0 from the start",
        (
            "rule.temperature=0",
            "schedule.no_lesion_s=0",
            "schedule.noise_off_1_s=0",
            "schedule.noise_off_2_s=0",
            "schedule.likelihood_2_s=0",
        ),
    ),
    # As the text says: the prior favours retraction, and retracted synapses have no likelihood.
    Setup(
        "compensation",
        "paper_retracted",
        "prior mean −0.5",
        (
            "rule.prior.mean=-0.5",
            "schedule.after_lesion_2_s=8100",
            "schedule.no_lesion_s=0",
            "schedule.likelihood_2_s=0",
        ),
        trials=4,
    ),
    # Every circuit has a branch for each reading of a retracted synapse.
    Setup("adaptation", "paper", "prior mean −0.5", ("rule.prior.mean=-0.5",), trials=8),
)
"""Not judged, but compared with the numbers of the paper."""
MAX_IMAGE_BYTES = 4_000_000


def plan(
    registry: Registry, long: bool = False, only: Collection[str] = ()
) -> list[tuple[Run, BatchItem]]:
    """List all runs of the paper, in the short or long form; checks parameters and data."""
    names = [entry.name for entry in registry.paper]
    wanted = {one_of("experiment", name, names) for name in only or names}
    found = []
    for entry in registry.paper:
        if entry.name not in wanted:
            continue
        presets = [preset for preset in entry.load().presets if preset.startswith("paper")]
        setups = [Setup(entry.name, preset) for preset in presets]
        setups += [each for each in VARIANTS if each.experiment == entry.name]
        trial_s = TRIAL_S.get(entry.name, 1)
        for s in setups:
            trials = LONG_TRIALS.get(s.folder, s.trials) if long else s.trials
            seed = LONG_SEED if long else SEED
            each = job(entry, s.preset, s.settings, trials, s.folder, trial_s, seed)
            found.append((Run(entry.name, s.preset, s.variant), each))
    return found


def main(arguments: list[str], registry: Registry = REGISTRY, root: Path = ROOT) -> int:
    """Run, store, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="more seeds, about 3 h on two cores")
    parser.add_argument("--out", type=Path, help="folder of the runs")
    parser.add_argument("--workers", type=int, help="processes (default: all cores)")
    parser.add_argument("only", nargs="*", help="experiments (default: all)")
    options = parser.parse_args(arguments)
    command = "make reproduce-long" if options.long else "make reproduce"
    out = options.out or Path("runs/paper-long" if options.long else "runs/paper")
    runs, jobs = zip(*plan(registry, options.long, options.only), strict=True)
    code = run_all(jobs, out, command, options.workers)
    if code:
        return code
    docs = root / "docs"
    store(jobs, out, runs, docs / "data" / "reproduction", command)
    judged = [each for run, each in zip(runs, jobs, strict=True) if not run.variant]
    folders = [out / each.name for each in judged]
    report = write_report(folders, registry, out / "report.html")
    copy_images(folders, docs / "images", "reproduction", MAX_IMAGE_BYTES)
    reproduction_page.write_pages(root, registry)
    print(f"report: {report}\nwritten: docs/data/reproduction.csv, README.md, pages in docs")
    return 0


if __name__ == "__main__":
    as_command(main)
