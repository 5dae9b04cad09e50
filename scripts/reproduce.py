"""Run the whole paper, keep what every seed measured, and write the pages from it.

    make reproduce

Every experiment of the paper at each of its presets whose name begins with ``paper``, with as many
seeds as the preset says. Stopped or killed, the same command goes on. What is written:
docs/data/reproduction.csv and .json, docs/images/reproduction-*.png, docs/reproduction.md, and the
part of README.md that says what came out. Code that changes what runs do needs another --out.
"""

from __future__ import annotations

import argparse
from io import BytesIO
from pathlib import Path

import docs_reproduction
from PIL import Image
from whole_runs import ROOT, as_command, job, keep, run_all

from synsamp.claims.table import Run
from synsamp.errors import refuse
from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.report.write import write_report
from synsamp.runs.ensembles.batch import Job
from synsamp.runs.storage.atomic import replacing

TRIAL_S = {
    "generalization": 12,
    "prior_comparison": 40,
    "motility": 360,
    "adaptation": 60,
    "compensation": 250,
}
"""Seconds of a core per seed, roughly: only the time left goes by them."""
MOST_IMAGE_BYTES = 1_500_000
IMAGE_WIDTH_PX, COLOURS = 760, 64


def plan(registry: Registry) -> list[tuple[Run, Job]]:
    """What the whole paper is; everything is checked, and that the data are there."""
    found = []
    for entry in registry.paper:
        for preset in entry.load().presets:
            if preset.startswith("paper"):
                name = f"{entry.name}-{preset}"
                each = job(entry, preset, (), None, name, TRIAL_S.get(entry.name, 1))
                found.append((Run(entry.name, preset), each))
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
    folders = [asked.out / each.name for each in jobs]
    report = write_report(folders, registry, asked.out / "report.html")
    copy_images(folders, docs / "images")
    docs_reproduction.write_pages(root, registry)
    print(f"report: {report}\nwritten: docs/reproduction.md, docs/data/reproduction.csv, README.md")
    return 0


def copy_images(folders: list[Path], target: Path) -> None:
    """Put small copies of all drawings beside the pages."""
    images = {}
    for folder in folders:
        for path in sorted((folder / "figures").glob("*.png")):
            images[f"reproduction-{folder.name}-{path.stem}.png"] = _small(path)
    size = sum(map(len, images.values()))
    if size > MOST_IMAGE_BYTES:
        rule = f"must take at most {MOST_IMAGE_BYTES:,} bytes"
        raise refuse(
            "drawings for docs", rule, size, "lower IMAGE_WIDTH_PX in scripts/reproduce.py"
        )
    target.mkdir(parents=True, exist_ok=True)
    for old in target.glob("reproduction-*.png"):
        old.unlink()
    for name, content in images.items():
        with replacing(target / name) as file:
            file.write(content)


def _small(path: Path) -> bytes:
    with Image.open(path) as image:
        flat = image.convert("RGB")
    flat.thumbnail((IMAGE_WIDTH_PX, 4 * IMAGE_WIDTH_PX))
    content = BytesIO()
    flat.quantize(COLOURS).save(content, "png", optimize=True)
    return content.getvalue()


if __name__ == "__main__":
    as_command(main)
