"""Tables in the formats of image-analysis programs, generated here."""

from __future__ import annotations

import numpy as np
import openpyxl
import pytest

from spines.tables import truth, write
from synsamp.errors import SynsampError
from synsamp.spines import read


@pytest.fixture(scope="module")
def table():
    return truth(n_spines=20, times=np.arange(4) + 1.0)


def check(found, table):
    """Presence and sizes are those of the table, spine by spine."""
    order = [list(found.spine).index(name) for name in table.spine]
    np.testing.assert_array_equal(found.state[order], table.state)
    np.testing.assert_allclose(found.size[order], table.size, rtol=1e-5)


def imagej(table, header=" ,Label,Area,Mean,IntDen,Slice", slices=False):
    """One row per ROI and session, as `Measure` writes with labels and stack positions."""
    lines = [header]
    for k, entry in enumerate(table.frame[table.frame["present"]].itertuples()):
        label = f"stack.tif:{entry.spine}" + f":{entry.time:g}" * slices
        cells = [k + 1, label, 12, 100 + k, f"{entry.size:.7g}", f"{entry.time:g}"]
        lines.append(",".join(map(str, cells[: header.count(",") + 1])))
    return "\n".join(lines) + "\n"


def test_results_of_imagej(table, tmp_path):
    found = read(write(tmp_path, imagej(table), "Results.csv"))
    check(found, table)
    assert found.choices["written by"] == "ImageJ"
    assert found.size_name == "IntDen"
    assert found.time_unit == "session"
    by_label = read(write(tmp_path, imagej(table, " ,Label,Area,Mean,IntDen", slices=True)))
    check(by_label, table)
    with pytest.raises(SynsampError, match=r"must show the session of each ROI.*Stack position"):
        read(write(tmp_path, imagej(table, " ,Label,Area,Mean,IntDen")))
    text = imagej(table).splitlines()
    other = [f"{line.replace('tif:', f'tif:{k}-')}" for k, line in enumerate(text)]
    with pytest.raises(SynsampError, match=r"must name a ROI alike in all sessions.*ROI Manager"):
        read(write(tmp_path, "\n".join(other) + "\n"))


def synapflow(table, folder, sizes=True):
    """One file per time point, with one row per layer in which a spine was detected."""
    folder.mkdir()
    names = "filename,width,height,class,score,xmin,ymin,xmax,ymax,id" + ",size" * sizes
    for time in table.times:
        lines = [names]
        here = table.frame[(table.frame["time"] == time) & table.frame["present"]]
        for entry in here.itertuples():
            for layer in range(2):
                image = f"aid1_tp{time:g}_stack0_layer{layer}.png"
                row = f"{image},512,512,spine,0.9,1,1,9,9,{entry.spine}"
                lines.append(row + f",{entry.size:.7g}" * sizes)
        (folder / f"aid1_tp{time:g}_stack0.csv").write_text("\n".join(lines) + "\n")
    return folder


def test_a_folder_of_synapflow(table, tmp_path):
    folder = synapflow(table, tmp_path / "median")
    found = read(folder)
    check(found, table)
    assert found.animals == ["aid1"]
    assert found.name == "median"
    assert read(str(folder), interval=2).times.tolist() == [0, 2, 4, 6]
    file = folder / "aid1_tp2_stack0.csv"
    file.write_text(file.read_text().rstrip() + "9\n")  # another size in the last layer
    with pytest.raises(SynsampError, match=r"must have one size for the spine.*3D sizes"):
        read(folder)
    with pytest.raises(SynsampError, match=r"columns id and size.*compute_size"):
        read(synapflow(table, tmp_path / "unsized", sizes=False))
    (tmp_path / "empty").mkdir()
    with pytest.raises(SynsampError, match=r"a folder of SynapFlow with files NAME_tp1_stack0.csv"):
        read(tmp_path / "empty")


def test_points_of_mapmanager(table, tmp_path):
    frame = table.frame[table.frame["present"]][["spine", "time", "size"]]
    frame = frame.rename(columns={"spine": "spineID", "time": "t", "size": "intensity"})
    frame.insert(1, "segmentID", 3)
    frame.to_csv(tmp_path / "points.csv", index=False)
    found = read(tmp_path / "points.csv")
    check(found, table)
    assert set(found.dendrite) == {"3"}
    frame.drop(columns="intensity").to_csv(tmp_path / "points.csv", index=False)
    with pytest.raises(SynsampError, match=r"must have a column of sizes.*--columns size=NAME"):
        read(tmp_path / "points.csv")


def spines_export(table, path):
    """A sheet of `Volumes.xls` saved as .xlsx: sizes from cell B3 on, or empty cells."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "auto_intensity"
    for (row, column), size in np.ndenumerate(table.size):
        if np.isfinite(size):
            sheet.cell(row=3 + row, column=2 + column, value=float(size))
    book.create_sheet("auto_fwhm")["B3"] = 1.0
    book.save(path)
    return path


def test_a_sheet_of_spines(table, tmp_path):
    path = spines_export(table, tmp_path / "Volumes.xlsx")
    with pytest.raises(SynsampError, match=r"must name spines and sessions.*'spine' and the days"):
        read(path)
    book = openpyxl.load_workbook(path)
    sheet = book["auto_intensity"]
    for column, cell in enumerate(["spine", *(f"day {t:g}" for t in table.times)], start=1):
        sheet.cell(row=2, column=column, value=cell)
    for row, name in enumerate(table.spine, start=3):
        sheet.cell(row=row, column=1, value=str(name))
    book.save(path)
    found = read(path, sheet="auto_intensity")  # the remedy works
    check(found, table)
    assert found.times.tolist() == table.times.tolist()


def test_bare_sizes_with_an_empty_line(tmp_path):
    path = write(tmp_path, ",,2\n,1.2,3\r\r\n,2.1,\n")
    with pytest.raises(SynsampError, match="must name spines and sessions"):
        read(path)
