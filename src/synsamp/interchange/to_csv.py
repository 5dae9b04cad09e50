"""A folder of tables: a CSV file per dataset, ``claims.csv`` and ``run.json``.

Arrays become long tables with a column per dimension; rows without any value (θ where no synapse
can exist) are left out. The trials of an ensemble have a folder each.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import xarray as xr

from synsamp.interchange.recorded import Recorded, claim_rows
from synsamp.runs.storage.folder import RunFolder

SUFFIX = "-csv"
BLOCK_ROWS = 500_000
"""Rows that are held in memory at a time."""


def write(
    folder: RunFolder, trials: list[Recorded], target: Path, advance: Callable[[float], None]
) -> None:
    """Write the folder."""
    target.mkdir()
    shutil.copyfile(folder.path / "run.json", target / "run.json")
    pd.DataFrame(claim_rows(folder.claims())).to_csv(target / "claims.csv", index=False)
    ensemble = folder.description.trials is not None
    for trial in trials:
        place = target / trial.name if ensemble else target
        sizes = {name: sum(v.size for v in d.variables.values()) for name, d in _all(trial)}
        for name, data in _all(trial):
            path = place / f"{name}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            for part, rows in _tables(data):
                _write_table(path if not part else path.with_stem(f"{path.stem}-{part}"), rows)
            advance(sizes[name] / max(sum(sizes.values()), 1))


def _all(trial: Recorded) -> Iterator[tuple[str, xr.Dataset]]:
    return iter(trial.results.items())


def _tables(data: xr.Dataset) -> Iterator[tuple[str, Iterator[pd.DataFrame]]]:
    """Variables of the same dimensions in one table, named by these if there are several."""
    plain = data.reset_coords(drop=False)
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, variable in plain.data_vars.items():
        groups.setdefault(tuple(map(str, variable.dims)), []).append(str(name))
    for dims, names in groups.items():
        part = "_".join(dims) or "single" if len(groups) > 1 else ""
        yield part, _blocks(plain[names], dims)


def _blocks(data: xr.Dataset, dims: tuple[str, ...]) -> Iterator[pd.DataFrame]:
    if not dims:
        yield pd.DataFrame([{str(k): v.item() for k, v in data.data_vars.items()}])
        return
    row = math.prod(data.sizes[dim] for dim in dims[1:])
    step = max(1, BLOCK_ROWS // max(row, 1))
    for start in range(0, max(data.sizes[dims[0]], 1), step):
        block = data.isel({dims[0]: slice(start, start + step)}).load()
        table = block.to_dataframe(dim_order=list(dims)).reset_index()
        yield table.dropna(how="all", subset=list(map(str, data.data_vars)))


def _write_table(path: Path, blocks: Iterator[pd.DataFrame]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        for i, block in enumerate(blocks):
            block.to_csv(file, index=False, header=i == 0)
