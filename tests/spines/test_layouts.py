"""Layouts of laboratories: no header, titles, units, merged cells, sheets, numbered sessions."""

from __future__ import annotations

import hashlib
import re
import shlex
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pandas as pd
import pytest

from spines.tables import PUBLISHED, long_text, published_text, truth, write
from synsamp.cli import run_command_line
from synsamp.data import fetch
from synsamp.data.sources import DataSet, RemoteFile
from synsamp.errors import SynsampError
from synsamp.experiments.registry import Registry
from synsamp.spines import read, reading, turnover


@pytest.fixture(scope="module")
def table():
    return truth(n_spines=30, n_animals=3, times=np.arange(5) * 4.0)


def same(found, table):
    for name in ("spine", "animal", "times", "state"):
        np.testing.assert_array_equal(getattr(found, name), getattr(table, name))
    np.testing.assert_allclose(found.size, table.size, rtol=1e-6)


# --- no header


def headless(table):
    return "\n".join(long_text(table).splitlines()[1:]) + "\n"


def test_a_file_without_a_header_is_read_by_position(table, tmp_path):
    path = write(tmp_path, headless(table))
    columns = {"animal": 1, "spine": 2, "time": 3, "size": 4}
    same(read(path, columns=columns, header=False), table)
    same(read(path, columns={k: str(v) for k, v in columns.items()}, header=False), table)
    with pytest.raises(SynsampError, match=r"--columns spine=NUMBER,time=NUMBER,size=NUMBER"):
        read(path, header=False)
    with pytest.raises(SynsampError, match=r"must have one column for size, got '9'"):
        read(path, columns={**columns, "size": 9}, header=False)


def test_the_remedy_of_the_message_works(tmp_path):
    """Cell, dendrite, spine, session, size: the arguments in the message read the file."""
    rows = [f"1,{k % 3},{k},{t},{1 + k % 5 + 0.1 * t}" for k in range(12) for t in range(4)]
    path = write(tmp_path, "\n".join(rows) + "\n")
    with pytest.raises(SynsampError, match="--no-header") as refusal:
        read(path)
    assert "\n" not in str(refusal.value)
    (given,) = re.findall(r"--columns (\S+)", str(refusal.value))
    columns = dict(pair.split("=") for pair in shlex.split(given)[0].split(","))
    found = read(path, columns=columns, header=False)
    assert found.state.shape == (12, 4)
    assert found.size[3, 2] == pytest.approx(1 + 3 + 0.2)


def test_positions_also_choose_columns_of_a_file_with_a_header(table, tmp_path):
    text = long_text(table, header=("a", "b", "c", "d"))
    same(
        read(write(tmp_path, text), columns={"animal": 1, "spine": 2, "time": 3, "size": 4}), table
    )


# --- titles, units, merged cells, sheets


def test_titles_above_the_header_are_skipped_with_a_note(table, tmp_path):
    text = "Spine volumes; exported 2024\n\nJ. Doe\n" + long_text(table)
    found = read(write(tmp_path, text))
    same(found, table)
    assert any("rows above the header are skipped: Spine volumes" in str(w) for w in found.warnings)


@pytest.mark.parametrize("units", [",,(days),(µm³)", ",,d,a.u.", "-,-,days,µm³"])
def test_units_in_a_second_row_are_used(table, tmp_path, units):
    lines = long_text(table, header=("animal", "spine", "time", "volume")).splitlines()
    found = read(write(tmp_path, "\n".join([lines[0], units, *lines[1:]]) + "\n"))
    same(found, table)
    assert found.time_unit == "day"
    assert found.size_unit in ("µm³", "a.u.")
    assert any("units are read from this row" in str(w) for w in found.warnings)


def test_a_first_row_of_data_is_not_taken_for_units(tmp_path):
    found = read(write(tmp_path, "spine,day 0,day 4\na,lost,1\nb,2,lost\nc,1,1\n"))
    assert found.state.tolist() == [[0, 1], [1, 0], [1, 1]]


def workbook(table, path, *, animals=True):
    """One sheet per animal, with a title, merged cells and a row of units."""
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = "read me"
    book.active.append(["Imaged by J. Doe"])
    for animal in table.animals:
        sheet = book.create_sheet(animal)
        sheet.append([f"Mouse {animal}, left hemisphere"])
        sheet.merge_cells("A1:D1")
        sheet.append([])
        sheet.append(["Spine", "Day", "Volume"] if animals else ["Mouse", "Spine", "Day", "Volume"])
        sheet.append(["", "d", "µm³"] if animals else ["", "", "d", "µm³"])
        part = table.part(table.animal == animal)
        for spine in part.spine:
            start = sheet.max_row + 1
            for entry in part.frame[part.frame["spine"] == spine].itertuples():
                size = entry.size if entry.present else 0
                row = [entry.spine, entry.time, size]
                sheet.append(row if animals else [f"x{animal}", *row])
            column = 1 if animals else 2
            sheet.merge_cells(
                start_row=start, end_row=sheet.max_row, start_column=column, end_column=column
            )
    book.save(path)


def test_one_sheet_per_animal(table, tmp_path):
    workbook(table, tmp_path / "book.xlsx")
    found = read(tmp_path / "book.xlsx", sheets="all")
    order = np.argsort(table.animal, kind="stable")
    same(found, replace(table, spine=table.spine[order], animal=table.animal[order],
                        state=table.state[order], size=table.size[order]))  # fmt: skip
    assert found.choices["sheet"] == "3 sheets, each of one animal"
    assert found.size_unit == "µm³"
    assert any("'read me'" in str(w) for w in found.warnings)  # not read, and said
    alone = read(tmp_path / "book.xlsx", sheet="m2")
    assert len(alone.spine) == (table.animal == "m2").sum()
    with pytest.raises(SynsampError, match="sheets must be all, animal or condition"):
        read(tmp_path / "book.xlsx", sheets="some")
    with pytest.raises(SynsampError, match=r"needs an \.xlsx file"):
        read(write(tmp_path, long_text(table)), sheets="all")


def test_sheets_are_conditions_if_they_name_animals(table, tmp_path):
    workbook(table, tmp_path / "book.xlsx", animals=False)
    found = read(tmp_path / "book.xlsx", sheets="all")
    assert found.conditions == ["m1", "m2", "m3"]
    assert found.animals == ["xm1", "xm2", "xm3"]


def test_an_error_in_a_sheet_names_the_sheet(table, tmp_path):
    from openpyxl import load_workbook

    workbook(table, tmp_path / "book.xlsx")
    book = load_workbook(tmp_path / "book.xlsx")
    book["m2"]["C7"] = "large"
    book.save(tmp_path / "book.xlsx")
    with pytest.raises(SynsampError, match=r"book.xlsx, sheet m2, line 7, must have a number"):
        read(tmp_path / "book.xlsx", sheets="all")


# --- numbered sessions


def numbered(table, tmp_path):
    frame = table.frame.assign(time=(table.frame["time"] / 4).astype(int) + 1)
    frame = frame.rename(columns={"time": "session"}).drop(columns=["present", "dendrite"])
    frame["size"] = frame["size"].fillna(0)
    frame.drop(columns="condition").to_csv(tmp_path / "numbered.csv", index=False)
    return tmp_path / "numbered.csv"


def test_days_of_numbered_sessions(table, tmp_path):
    path = numbered(table, tmp_path)
    assert read(path).time_unit == "session"
    for given in ({"interval": 4}, {"days": [0, 4, 8, 12, 16]}):
        found = read(path, **given)
        same(found, table)
        assert found.time_unit == "day"
        assert not any("session numbers" in str(w) for w in found.warnings)
    assert read(path, days=[0, 1, 5, 6, 9.5]).times.tolist() == [0, 1, 5, 6, 9.5]
    for given, words in (
        ({"days": [0, 4]}, "must be 5 increasing numbers.*the sessions are 1, 2, 3, 4, 5"),
        ({"days": [0, 4, 4, 8, 9]}, "increasing"),
        ({"interval": 0}, "interval must be"),
        ({"interval": 4, "days": [1]}, "without interval"),
    ):
        with pytest.raises(SynsampError, match=words):
            read(path, **given)
    with pytest.raises(SynsampError, match="must number its sessions"):
        read(write(tmp_path, long_text(table)), interval=4)


# --- normalisation


def test_sizes_are_divided_by_the_intensity_of_the_dendrite(table, tmp_path):
    rng = np.random.default_rng(1)
    frame = table.frame.drop(columns=["present", "condition", "dendrite"])
    shaft = rng.lognormal(0, 0.5, len(frame))
    frame["size"] = (frame["size"] * shaft).fillna(0)
    frame = frame.rename(columns={"time": "day"})
    frame["shaft intensity"] = shaft
    found = read(frame)
    same(found, table)
    assert "divided by 'shaft intensity'" in str(found.warnings[0])
    raw = read(frame, columns={"reference": "none"})
    assert np.nanmax(np.abs(np.log(raw.size / table.size))) > 0.5
    frame.loc[frame["size"].idxmax(), "shaft intensity"] = np.nan
    with pytest.raises(SynsampError, match=r"intensity of the dendrite > 0.*reference=none"):
        read(frame)


# --- the published table


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A generated table on a local server in place of the authors' page."""
    content = published_text().encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/publication_data.csv"
    file = RemoteFile("publication_data.csv", (url,), hashlib.sha256(content).hexdigest())
    data_set = DataSet("loewenstein2015", "", (file,), "", "")
    for module in (fetch, reading):
        monkeypatch.setattr(module, "LOEWENSTEIN", data_set)
    monkeypatch.setenv("SYNSAMP_DATA", str(tmp_path / "data"))
    yield data_set
    server.shutdown()
    server.server_close()


def test_the_published_table_is_fetched_by_its_hash_and_read_in_one_command(served, monkeypatch):
    with pytest.raises(SynsampError, match="synsamp data fetch loewenstein2015"):
        read("loewenstein2015")
    assert run_command_line(["data", "fetch", "loewenstein2015"], Registry([])) == 0
    found = read("loewenstein2015")
    assert found.renamed  # no spine ever returns
    assert (found.state == 1).sum() == 8699
    assert len(found.animals) == 8
    counts = turnover(found).intervals.groupby("from")[["before", "lost", "gained"]].sum()
    assert counts.to_numpy().tolist() == [list(row) for row in PUBLISHED]
    assert read("loewenstein2015", interval=4).times.tolist() == [0, 4, 8, 12, 16, 20]
    wrong = replace(served.files[0], sha256="0" * 64)
    monkeypatch.setattr(fetch, "LOEWENSTEIN", replace(served, files=(wrong,)))
    with pytest.raises(SynsampError, match="wrong checksum"):
        fetch.fetch_loewenstein()


def test_the_real_address_and_hash_are_those_that_were_noted():
    from synsamp.data.sources import LOEWENSTEIN

    (file,) = LOEWENSTEIN.files
    assert file.urls == ("https://decision-making-lab.com/data/spines/publication_data.csv",)
    assert file.sha256.startswith("2f634360")
    assert len(bytes.fromhex(file.sha256)) == 32


def test_the_options_of_the_command(table, tmp_path, capsys):
    path = numbered(table, tmp_path)
    for given, words in (
        (["--days", "a"], "--days must be numbers of days"),
        (["--interval", "x"], "for example 4"),
        (["--offsets", "mouse"], "--offsets must be animal, session or none"),
        (["--returns", "no"], "returns must be kept or renamed"),
        (["--sheets", "all"], "needs an .xlsx file"),
        (["--no-header"], "--columns spine=NUMBER"),
    ):
        assert run_command_line(["spines", str(path), *given], Registry([])) == 2
        assert words in capsys.readouterr().err
    assert pd.read_csv(path).shape[1] == 4
