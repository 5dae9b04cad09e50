"""Run the whole paper, keep what every seed measured, and write the pages from it.

    make reproduce

Every experiment of the paper at each of its presets whose name begins with ``paper``, with as many
seeds as the preset says. Stopped or killed, the same command goes on. What is written:
docs/data/reproduction.csv and .json, docs/images/reproduction-*.png, docs/reproduction.md, numbers
on the pages of the figures, and the part of README.md that says what came out. Code that changes
what runs do needs another --out.

Trials have seeds that no band was set by: those of an earlier run, whose measures are kept in
docs/data/reproduction-first.csv, were looked at when bands and nulls were put right.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import docs_reproduction
from PIL import Image
from whole_runs import ROOT, as_command, job, keep, run_all

from synsamp.claims.table import Run
from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.report.write import write_report
from synsamp.runs.ensembles.batch import BatchItem
from synsamp.runs.storage.atomic import replacing

TRIAL_S = {
    "landscape": 50,
    "theorem1": 15,
    "generalisation": 11,
    "prior_comparison": 48,
    "motility": 205,
    "adaptation": 28,
    "compensation": 180,
}
"""Seconds of a core per seed, roughly: only the time left goes by them."""
SEED = 2015
"""Of all ensembles. Seed 0 is the first run's; small seeds have served to try things out."""


@dataclass(frozen=True)
class Way:
    """How an experiment is run: at a preset as it is, or beside that with something changed."""

    experiment: str
    preset: str
    variant: str = ""
    settings: Sequence[str] = ()
    trials: int | None = None

    @property
    def folder(self) -> str:
        """Where its run lies."""
        return f"{self.experiment}-{self.preset}" + ("-beside" if self.variant else "")


BESIDE = (
    Way(
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
    # What the text describes: a prior that wants synapses retracted, and no likelihood for these.
    Way(
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
    # Here both readings of a retracted synapse are arms of every circuit.
    Way("adaptation", "paper", "prior mean −0.5", ("rule.prior.mean=-0.5",), trials=8),
)
"""Compared with what is judged, not judged: by the paper's own numbers, and on its pages."""
MOST_IMAGE_BYTES = 1_500_000
WIDTHS_PX, COLOURS = (760, 640, 520, 400, 300), 128


def plan(registry: Registry) -> list[tuple[Run, BatchItem]]:
    """What the whole paper is; everything is checked, and that the data are there."""
    found = []
    for entry in registry.paper:
        whole = [preset for preset in entry.load().presets if preset.startswith("paper")]
        ways = [Way(entry.name, preset) for preset in whole]
        ways += [way for way in BESIDE if way.experiment == entry.name]
        trial_s = TRIAL_S.get(entry.name, 1)
        for way in ways:
            each = job(entry, way.preset, way.settings, way.trials, way.folder, trial_s, SEED)
            found.append((Run(entry.name, way.preset, way.variant), each))
    return found


def main(arguments: list[str], registry: Registry = REGISTRY, root: Path = ROOT) -> int:
    """Run, keep, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("runs/paper"), help="folder of the runs")
    parser.add_argument("--workers", type=int, help="processes; all cores if not given")
    asked = parser.parse_args(arguments)
    runs, jobs = zip(*plan(registry), strict=True)
    code = run_all(jobs, asked.out, "make reproduce", asked.workers)
    if code:
        return code
    docs = root / "docs"
    keep(jobs, asked.out, runs, docs / "data" / "reproduction", "make reproduce")
    judged = [each for run, each in zip(runs, jobs, strict=True) if not run.variant]
    folders = [asked.out / each.name for each in judged]
    report = write_report(folders, registry, asked.out / "report.html")
    copy_images(folders, docs / "images", "reproduction", MOST_IMAGE_BYTES)
    docs_reproduction.write_pages(root, registry)
    print(f"report: {report}\nwritten: docs/data/reproduction.csv, README.md, pages in docs")
    return 0


def copy_images(folders: Sequence[Path], target: Path, prefix: str, most_bytes: int) -> None:
    """Put copies of all drawings beside the pages, as large as their room allows."""
    drawings = {
        f"{prefix}-{folder.name}-{path.stem}.png": path
        for folder in folders
        for path in sorted((folder / "figures").glob("*.png"))
    }
    for width in WIDTHS_PX:
        images = {name: _small(path, width) for name, path in drawings.items()}
        if sum(map(len, images.values())) <= most_bytes:
            break
    target.mkdir(parents=True, exist_ok=True)
    for folder in folders:
        for old in target.glob(f"{prefix}-{folder.name}-*.png"):
            old.unlink()
    for name, content in images.items():
        with replacing(target / name) as file:
            file.write(content)


def _small(path: Path, width: int) -> bytes:
    with Image.open(path) as image:
        flat = image.convert("RGB")
    flat.thumbnail((width, 4 * width))
    content = BytesIO()
    flat.quantize(COLOURS).save(content, "png", optimize=True)
    return content.getvalue()


if __name__ == "__main__":
    as_command(main)
