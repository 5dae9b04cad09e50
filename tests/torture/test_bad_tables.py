"""Spine tables with something wrong in them: read, or refused in one line that says where."""

from __future__ import annotations

import random
import re
from collections import Counter

import numpy as np
import pytest

from synsamp.cli import run_command_line
from synsamp.errors import SynsampError
from synsamp.experiments.registry import Registry
from synsamp.spines import read
from torture.scale import many

WORDS = (
    "", "nan", "n/a", "-", "0", "-1", "inf", "1e999", "1e-400", "0x10", "1_000", "1.234,5", "1,5",
    "٣", "½", "<0.05", "#REF!", "=1+1", "\"", "'", "\u202e", "\x1b[31m", "a\tb", "spine",
    "<b>x</b>", "2024-02-30", "03/04/2024", "2024-01-01 25:00", "not imaged", "true", "9" * 400,
    "NULL", "\ufeff",
)  # fmt: skip


def good(rng):
    """A table that is in order, in one of the layouts that laboratories use."""
    sign, decimal = rng.choice([(",", "."), (";", ","), ("\t", "."), ("|", ".")])
    times = sorted(rng.sample(range(40), rng.randint(2, 6)))
    spines = [f"s{k}" for k in range(rng.randint(1, 12))]

    def size():
        return (
            f"{rng.lognormvariate(0, 1):.4f}".replace(".", decimal) if rng.random() < 0.7 else "0"
        )

    if rng.random() < 0.4:
        rows = [["Spine ID", *(f"day {t}" for t in times)]]
        rows += [[s, *(size() for _ in times)] for s in spines]
    else:
        rows = [["animal", "spine", "day", "volume"]]
        rows += [[rng.choice("ab"), s, str(t), size()] for s in spines for t in times]
        rows = [rows[0], *({(r[0], r[1], r[2]): r for r in rows[1:]}.values())]
    return [sign.join(row) for row in rows], sign


def cell(rng, lines, sign):
    at = rng.randrange(len(lines))
    cells = lines[at].split(sign)
    cells[rng.randrange(len(cells))] = rng.choice(WORDS)
    lines[at] = sign.join(cells)


def cut(rng, lines, sign):
    at = rng.randrange(len(lines))
    lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]


def repeat(rng, lines, sign):
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))


def drop(rng, lines, sign):
    del lines[rng.randrange(len(lines))]


def other_sign(rng, lines, sign):
    at = rng.randrange(len(lines))
    lines[at] = lines[at].replace(sign, rng.choice(",;\t| "))


def spare(rng, lines, sign):
    lines[rng.randrange(len(lines))] += sign + rng.choice(WORDS)


def swap(rng, lines, sign):
    rng.shuffle(lines)


HARMS = (cell, cell, cell, cut, repeat, drop, other_sign, spare, swap)


def damaged(rng, lines):
    """Bytes, some of them not of the encoding or not text at all."""
    content = "\n".join(lines).encode(rng.choice(["utf-8", "utf-8", "utf-16", "cp1252"]), "replace")
    if rng.random() < 0.2 and content:
        at = rng.randrange(len(content))
        noise = bytes(rng.choices([0, 9, 10, 13, 34, 44, 128, 255], k=rng.randint(1, 9)))
        content = content[:at] + noise + content[at + rng.randrange(3) :]
    return content


def harm(seed):
    rng = random.Random(seed)
    lines, sign = good(rng)
    for _ in range(rng.randint(1, 4)):
        if lines:
            rng.choice(HARMS)(rng, lines, sign)
    return damaged(rng, lines)


SIZES = ("big", "inf", "-1", "1_000", "#REF!", "=1+1", "0x10", "9" * 400, "<5", "5 um")
TIMES = ("soon", "2024-02-30", "day", "nan", "")
FAULTS = {
    "size": "must have a ",
    "time": "must have a time",
    "name": "must name its spine",
    "short": "must have [0-9]+ cells",
    "long": "must have [0-9]+ cells",
    "repeat": "must not repeat a spine and time",
}
"""What is wrong with one line, and the rule that the error must name."""


def with_a_fault(seed):
    """A table in order, the same with one fault, which it is, and the line in which it stands."""
    rng = random.Random(seed)
    lines, sign = good(rng)
    wide = "Spine ID" in lines[0]
    kind = rng.choice([f for f in FAULTS if not (wide and f == "time")])
    at = rng.randrange(1, len(lines))
    broken, cells = list(lines), lines[at].split(sign)
    if kind == "size":
        cells[rng.randrange(1, len(cells)) if wide else 3] = rng.choice(SIZES)
    elif kind == "time":
        cells[2] = rng.choice(TIMES)
    elif kind == "name":
        cells[0 if wide else 1] = rng.choice(["", "n/a"])
    elif kind == "short":
        cells = cells[:-1]
    elif kind == "long":
        cells.append("more")
    if kind == "repeat":
        at = rng.randrange(at + 1, len(lines) + 1)
        broken.insert(at, sign.join(cells))
    else:
        broken[at] = sign.join(cells)
    before = rng.choice([[], ["# exported today"], ["", "# by hand", ""]])
    return [*before, *lines], [*before, *broken], kind, len(before) + at + 1


def check_error(error, name):
    text = str(error)
    assert text.startswith(name), text
    assert "\n" not in text
    assert "; " in text, text  # a remedy
    assert ", got " in text, text
    assert len(text) < 700, text


def test_one_fault_raises_an_error_with_its_rule_and_line(tmp_path, tally):
    tried = many(200, 2000)
    kinds = Counter()
    path = tmp_path / "table.csv"
    for seed in range(tried):
        whole, broken, kind, line = with_a_fault(seed)
        path.write_text("\n".join(whole))
        read(path)  # without the fault the table is valid
        path.write_text("\n".join(broken))
        with pytest.raises(SynsampError) as refusal:
            read(path)
        text = str(refusal.value)
        check_error(refusal.value, f"table.csv, line {line}, ")
        assert re.match(f"table.csv, line {line}, {FAULTS[kind]}", text), text
        kinds[kind] += 1
    assert min(kinds[kind] for kind in FAULTS) >= tried // 20, kinds
    tally("spine tables with one fault", tried)


def test_a_damaged_table_is_read_or_raises_an_error_in_one_line(tmp_path, tally):
    tried, refused = 0, 0
    wanted = many(200, 600)  # refusals; some harm does no harm
    while refused < wanted:
        seed = tried
        tried += 1
        assert tried <= 4 * wanted, "most of the harm is not seen"
        path = tmp_path / "table.csv"
        path.write_bytes(harm(seed))
        try:
            table = read(path)
        except SynsampError as error:
            refused += 1
            check_error(error, "table.csv")
            continue
        # The table is consistent: states and sizes match, and it can be summarised.
        assert ((table.state >= -1) & (table.state <= 1)).all()
        assert not np.isfinite(table.size[table.state != 1]).any()
        assert (table.size[np.isfinite(table.size)] > 0).all()
        assert table.summary()
        assert all(str(warning) for warning in table.warnings)
    assert tried > refused  # tables that are still whole are read
    tally("bad spine tables", refused)


def test_the_command_ends_in_one_line_and_writes_nothing(tmp_path, capsys, tally):
    tried, refused = many(12, 120), 0
    for seed in range(10_000, 10_000 + 6 * tried):
        path = tmp_path / "table.csv"
        path.write_bytes(harm(seed))
        try:
            read(path)
            continue  # the command would analyse it; here only refusals are of interest
        except SynsampError:
            refused += 1
        assert run_command_line(["spines", str(path)], Registry([])) == 2
        printed = capsys.readouterr()
        assert printed.err.startswith("synsamp: table.csv")
        assert printed.err.count("\n") == 1
        assert printed.err.isprintable() or printed.err.rstrip("\n").isprintable()
        assert sorted(p.name for p in tmp_path.iterdir()) == ["table.csv"]
        if refused == tried:
            break
    assert refused == tried
    tally("bad spine tables at the command", tried)


@pytest.mark.parametrize(
    "content",
    [b"PK\x03\x04rest", b"\xd0\xcf\x11\xe0", b"\xff\xfe\x00", bytes(range(256)) * 3, b"\xff"],
)
def test_files_that_are_no_tables(tmp_path, content):
    for name in ("x.csv", "x.xlsx"):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(SynsampError) as refusal:
            read(path)
        check_error(refusal.value, name)


def test_a_million_columns_end_in_an_error_at_once(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(f"spine,{','.join(map(str, range(10**6)))}\na{',1' * 10**6}\n")
    with pytest.raises(SynsampError, match="at most 16,384 columns, got '1,000,001'"):
        read(path)
