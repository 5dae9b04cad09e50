"""Damaged tables in the layouts of laboratories and trackers: read, or refused in one line."""

from __future__ import annotations

import random

import numpy as np
import pytest

from spines.test_detection import NAMES, hits, make
from spines.test_trackers import imagej, synapflow
from synsamp.errors import SynsampError
from synsamp.spines import fit, read, simulated_table
from torture.scale import LONG, many
from torture.test_bad_tables import HARMS, check_error, damaged, good


def small(rng):
    times = np.array(sorted(rng.sample(range(1, 12), 4)), float)
    return simulated_table(n_spines=rng.randint(2, 9), times=times, seed=rng.randrange(10**6))


def headless(rng):
    lines, sign = good(rng)
    wide = "Spine ID" in lines[0]
    columns = {"spine": 1} if wide else {"animal": 1, "spine": 2, "time": 3, "size": 4}
    return lines[1:], sign, {"header": False, "columns": columns}


def titled(rng):
    lines, sign = good(rng)
    titles = [rng.choice(("Mouse 7", "exported; by hand", "", "a,b", "size")) for _ in range(3)]
    units = (
        [sign.join(["", *("(d)" for _ in lines[0].split(sign)[1:])])] if rng.random() < 0.5 else []
    )
    return [*titles, lines[0], *units, *lines[1:]], sign, {}


def by_imagej(rng):
    slices = rng.random() < 0.5
    header = " ,Label,Area,Mean,IntDen" + ",Slice" * (not slices)
    return imagej(small(rng), header, slices).splitlines(), ",", {}


def by_mapmanager(rng):
    seen = small(rng).frame.query("present")
    rows = [f"{e.spine},3,{e.time:g},{e.size:.5g}" for e in seen.itertuples()]
    return ["spineID,segmentID,t,intensity", *rows], ",", {}


def by_spines(rng):
    """SpineS exports sizes alone; in half of the files names were added, as the message asks."""
    table = small(rng)
    named = rng.random() < 0.5
    lines = [",".join(["spine" * named, *(f"{t:g}" * named for t in table.times)])]
    for name, sizes in zip(table.spine, table.size, strict=True):
        cells = ["" if np.isnan(size) else f"{size:.5g}" for size in sizes]
        lines.append(",".join([str(name) * named, *cells]))
    return lines, ",", {}


def numbered(rng):
    lines, sign = good(rng)
    given = {"interval": rng.choice((0, -1, 4, 1e-300))} if rng.random() < 0.5 else {"days": [0, 4]}
    return [line.replace("day", "session") for line in lines], sign, given


def one_line(error):
    text = str(error)
    assert "\n" not in text
    assert "; " in text, text  # a remedy
    assert len(text) < 700


def consistent(table):
    assert ((table.state >= -1) & (table.state <= 1)).all()
    assert not np.isfinite(table.size[table.state != 1]).any()
    assert (table.size[np.isfinite(table.size)] > 0).all()
    assert table.summary()
    assert np.isfinite(table.times).all()
    if table.has_sizes and table.ever_seen.any():
        assert table.part(table.ever_seen).observations().length.min() >= 1


@pytest.mark.parametrize(
    "layout", [headless, titled, by_imagej, by_mapmanager, by_spines, numbered]
)
def test_a_damaged_layout_is_read_or_raises_an_error_in_one_line(tmp_path, layout, tally):
    tried, refused = many(80, 800), 0
    path = tmp_path / "table.csv"
    for seed in range(tried):
        rng = random.Random(seed)
        lines, sign, options = layout(rng)
        for _ in range(rng.randint(0, 3)):
            if lines:
                rng.choice(HARMS)(rng, lines, sign)
        path.write_bytes(damaged(rng, lines))
        try:
            consistent(read(path, **options))
        except SynsampError as error:
            refused += 1
            one_line(error)
    assert 0 < refused <= tried
    tally(f"damaged spine tables, {layout.__name__}", refused)


def test_damaged_folders_of_synapflow(tmp_path, tally):
    tried = many(20, 200)
    for seed in range(tried):
        rng = random.Random(seed)
        folder = synapflow(small(rng), tmp_path / str(seed))
        for path in rng.sample(sorted(folder.iterdir()), 2):
            lines = path.read_text().splitlines()
            for _ in range(rng.randint(0, 2)):
                if lines:
                    rng.choice(HARMS)(rng, lines, ",")
            path.write_bytes(damaged(rng, lines))
        try:
            consistent(read(folder))
        except SynsampError as error:
            one_line(error)
    tally("damaged folders of SynapFlow", tried)


def test_damaged_workbooks_with_merged_cells(tmp_path, tally):
    from openpyxl import Workbook

    tried = many(15, 150)
    for seed in range(tried):
        rng = random.Random(seed)
        book = Workbook()
        book.remove(book.active)
        for name in rng.sample(("m1", "m2", "notes", "Ünïcode", "x"), 3):
            sheet = book.create_sheet(name)
            lines, sign = good(rng)
            for _ in range(rng.randint(0, 2)):
                if lines:
                    rng.choice(HARMS)(rng, lines, sign)
            for line in lines:
                sheet.append(["".join(c for c in t if c.isprintable()) for t in line.split(sign)])
            for _ in range(rng.randint(0, 3)):
                row, column = rng.randint(1, 30), rng.randint(1, 6)
                sheet.merge_cells(
                    start_row=row,
                    start_column=column,
                    end_row=row + rng.randint(0, 4),
                    end_column=column + rng.randint(0, 2),
                )
        book.save(tmp_path / "book.xlsx")
        for options in ({"sheets": "all"}, {}):
            try:
                consistent(read(tmp_path / "book.xlsx", **options))
            except SynsampError as error:
                check_error(error, "book.xlsx")
    tally("damaged workbooks", tried)


@pytest.mark.skipif(not LONG, reason="the short form is in tests/spines/test_detection.py")
@pytest.mark.parametrize("kind", ["renamed", "offsets", "missed"])
def test_intervals_cover_the_truth_in_the_share_they_state(kind, tally):
    """Binomial with 95 %: four standard deviations below it, for each parameter."""
    tables = 60
    found = np.array(
        [hits(fit(table), true) for table, true in (make(kind, 1000 + k) for k in range(tables))]
    )
    least = 0.95 * tables - 4 * np.sqrt(0.05 * 0.95 * tables)
    assert (found.sum(axis=0) >= least).all(), dict(zip(NAMES, found.mean(axis=0), strict=True))
    tally(f"fitted tables, {kind}", tables)
