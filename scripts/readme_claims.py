"""Put the claims of finished runs as a table between the markers of README.md.

    python scripts/readme_claims.py RUNS... [--into FILE]

RUNS are run folders or folders of runs. Nothing is typed by hand: statement, interval, band and
verdict come from each run's claims.json.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from synsamp.errors import SynsampError
from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.report.numbers import band_text, measured_text, paper_text, tally
from synsamp.runs import RunFolder, find_runs
from synsamp.runs.storage.atomic import replacing

BEGIN = "<!-- claims: begin (written by `make claims`) -->"
END = "<!-- claims: end -->"


def table(folders: list[RunFolder]) -> str:
    """Return the Markdown table of all claims, with the runs it comes from."""
    lines = [
        "| where | claim | measured (95 % interval, seeds) | band | the paper | verdict |",
        "| --- | --- | ---: | ---: | ---: | --- |",
    ]
    origins = []
    for folder in folders:
        claims, about = folder.claims(), folder.description
        seeds = about.trials or 1
        origins.append(
            f"`{about.experiment}` ({about.preset} preset, n = {seeds}): {tally(claims)}"
        )
        for claim in claims:
            cells = (
                claim.where,
                claim.statement,
                f"{measured_text(claim)} {claim.unit}".strip(),
                band_text(claim.band),
                paper_text(claim),
                claim.verdict if claim.holds else f"**{claim.verdict}**",
            )
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join([*lines, "", "; ".join(origins) + "."])


def insert(page: str, content: str) -> str:
    """Return the page with what stands between the markers replaced."""
    pattern = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.S)
    if len(pattern.findall(page)) != 1:
        raise SynsampError(f"the page must hold {BEGIN!r} and {END!r} once; put them back")
    return pattern.sub(lambda _: f"{BEGIN}\n{content}\n{END}", page)


def main(arguments: list[str], registry: Registry = REGISTRY) -> None:
    """Read the runs in the order of the paper's figures and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--into", type=Path, default=Path(__file__).parents[1] / "README.md")
    asked = parser.parse_args(arguments)
    folders = [RunFolder(path) for place in asked.runs for path in find_runs(place)]
    names = [entry.name for entry in registry]
    folders.sort(key=lambda folder: names.index(registry.find(folder.description.experiment).name))
    page = insert(asked.into.read_text(), table(folders))
    with replacing(asked.into) as file:
        file.write(page.encode())


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except SynsampError as error:
        sys.exit(str(error))
