"""Tables as laboratories export them: how they are read, and which raise an error."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from spines.tables import long_text, truth, write
from synsamp.errors import SynsampError
from synsamp.spines import read

SMALL = {"n_spines": 12, "times": np.arange(4) * 2.0}


def same(found, wanted):
    assert found.spine.tolist() == wanted.spine.tolist()
    assert found.times.tolist() == wanted.times.tolist()
    assert found.state.tolist() == wanted.state.tolist()
    np.testing.assert_allclose(found.size, wanted.size, rtol=1e-8)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("absent", ["0", "", "NaN", "n/a", "absent", None])
def test_delimiters_and_ways_to_write_absence(tmp_path, delimiter, absent):
    table = truth(**SMALL)
    text = long_text(table, absent, delimiter)
    same(read(write(tmp_path, text)), table)


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_decimal_commas(tmp_path, delimiter):
    table = truth(**SMALL)
    found = read(write(tmp_path, long_text(table, "0", delimiter, ",")))
    same(found, table)
    assert found.choices["decimal separator"] == "comma"


def test_excel_in_latin_1(tmp_path):
    table = truth(**SMALL)
    text = long_text(table, "n/a", ";", ",", ("Maus", "Spine ID", "Day", "Volume (µm³)"))
    found = read(write(tmp_path, "sep=;\n" + text, encoding="latin-1"))
    same(found, table)
    assert (found.size_unit, found.time_unit) == ("µm³", "day")
    assert "Windows-1252" in found.choices["encoding"]
    assert found.choices["columns not used"] == "Maus"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_marks_of_unicode(tmp_path, encoding):
    table = truth(**SMALL)
    same(read(write(tmp_path, long_text(table), encoding=encoding)), table)


def test_dates_are_days_from_an_animals_first(tmp_path):
    rows = ("a,1,2024-02-28,3", "a,1,2024-03-01,4", "b,1,2024-06-01,5", "b,1,2024-06-03,0")
    text = "\n".join(("mouse,id,date,size", *rows))
    found = read(write(tmp_path, text))
    assert found.times.tolist() == [0, 2]
    assert found.state.tolist() == [[1, 1], [1, 0]]
    assert found.time_unit == "day"


@pytest.mark.parametrize(
    ("first", "second", "days"),
    [("1.3.2024", "5.3.2024", 4), ("13/3/2024", "14/3/2024", 1), ("3/13/2024", "3/15/2024", 2)],
)
def test_local_dates_that_can_be_one_day_only(tmp_path, first, second, days):
    found = read(write(tmp_path, f"id,date,size\na,{first},1.5\na,{second},2.5\n"))
    assert found.times.tolist() == [0, days]


@pytest.mark.parametrize(
    ("dates", "days"),
    [
        (("03/01/2024", "03/09/2024", "03/13/2024"), [0, 8, 12]),  # the last has no month 13
        (("03/01/2024", "09/01/2024", "13/01/2024"), [0, 6, 10]),
    ],
)
def test_one_unambiguous_date_sets_the_order_of_all(tmp_path, dates, days):
    text = "id,date,size\n" + "".join(f"a,{date},1.5\n" for date in dates)
    found = read(write(tmp_path, text))
    assert found.times.tolist() == days
    assert any("/day/year" in str(d) or "/month/year" in str(d) for d in found.warnings)


def test_dates_of_both_orders_raise_an_error(tmp_path):
    with pytest.raises(SynsampError, match=r"line 3, must have a time.*03/25/2024"):
        read(write(tmp_path, "id,date,size\na,25/03/2024,1\na,03/25/2024,2\n"))


@pytest.mark.parametrize(
    ("clocks", "days"),
    [
        (("2024-03-01 09:30", "2024-03-05 17:00"), [0, 4]),
        (("2024-03-01 06:00", "2024-03-01 18:00"), [0, 0.5]),  # two sessions on one day
    ],
)
def test_the_clock_counts_only_within_a_day(tmp_path, clocks, days):
    text = "id,date,size\n" + "".join(f"a,{when},1.5\n" for when in clocks)
    found = read(write(tmp_path, text))
    assert found.times.tolist() == days
    assert any("clock times are ignored" in str(d) for d in found.warnings) == (days[1] == 4)


def test_an_ambiguous_date_raises_an_error(tmp_path):
    with pytest.raises(SynsampError, match=r"spines.csv, line 2, must have a time.*YYYY-MM-DD"):
        read(write(tmp_path, "id,date,size\na,03/04/2024,1\na,05/04/2024,2\n"))


@pytest.mark.parametrize(
    "header",
    [
        "Day 0,Day 4",
        "d0,d4",
        "0,4",
        "2024-01-01,2024-01-05",
        "day_0,day_4",
        "vol_d0,vol_d4",
        "Volume day 0 (µm³),Volume day 4 (µm³)",
        "1/10/2024,1/14/2024",
    ],
)
def test_one_column_per_session(tmp_path, header):
    found = read(write(tmp_path, f"Spine ID,{header}\na,0.5,0.25\nb,,0.75\n"))
    assert found.times.tolist() == [0, 4]
    assert found.state.tolist() == [[1, 1], [0, 1]]
    assert found.size[0].tolist() == [0.5, 0.25]


def test_what_a_session_s_column_holds_is_taken_from_its_name(tmp_path):
    found = read(write(tmp_path, "id,area_d0,area_d4,vol_d0,vol_d4\na,1.5,2,3,4\nb,2,2,3,3\n"))
    assert found.size_name == "vol"
    assert found.size.tolist() == [[3, 4], [3, 3]]
    assert "columns not used: area_d0, area_d4" in found.summary()


def test_letters_for_presence(tmp_path):
    found = read(write(tmp_path, "spine,day,state\na,0,P\na,1,A\nb,0,A\nb,1,P\n"))
    assert found.state.tolist() == [[1, 0], [0, 1]]


def test_a_wide_table_of_ones_and_zeros_is_presence(tmp_path):
    found = read(write(tmp_path, "spine,session 1,session 2\na,1,0\nb,0,1\n"))
    assert found.state.tolist() == [[1, 0], [0, 1]]
    assert not found.has_sizes
    assert any("per session" in str(warning) for warning in found.warnings)


def test_ids_of_another_animal_are_other_spines(tmp_path):
    text = "mouse,spine,day,volume\n" + "".join(
        f"{m},1,{d},{0.1 + d}\n" for m in ("a", "b") for d in (0, 1)
    )
    found = read(write(tmp_path, text))
    assert found.animal.tolist() == ["a", "b"]
    assert found.animals == ["a", "b"]


def test_columns_can_be_named(tmp_path):
    text = "who;what;when;how\nm;s;0;1,5\nm;s;2;2,5\n"
    names = {"animal": "who", "spine": "what", "time": "when", "size": "how"}
    found = read(write(tmp_path, text), columns=names)
    assert found.size.tolist() == [[1.5, 2.5]]
    assert found.animals == ["m"]


def test_a_session_that_was_not_imaged_is_no_absence(tmp_path):
    rows = ["spine,dendrite,day,size"]
    rows += [f"{s},A,{d},{0 if (s, d) == (1, 2) else 1.5}" for s in (1, 2, 3) for d in (0, 2, 4)]
    rows += [f"{s},B,{d},2.5" for s in (1, 2) for d in (0, 4)]  # day 2 was not imaged
    found = read(write(tmp_path, "\n".join(rows)), absent="row")
    assert found.state.tolist() == [[1, 0, 1], [1, 1, 1], [1, 1, 1], [1, -1, 1], [1, -1, 1]]


def test_an_empty_session_is_reported_and_not_read_as_absence(tmp_path):
    text = "spine,0,4,8\n" + "".join(f"{s},1.5,,{'2.5' if s else ''}\n" for s in range(4))
    found = read(write(tmp_path, text))
    assert found.state.tolist() == [[1, -1, 0], *[[1, -1, 1]] * 3]
    (listed,) = (str(warning) for warning in found.warnings if "not imaged" in str(warning))
    assert listed.startswith("lines 2, 3, 4, 5: every cell of the table at 4 is empty")
    assert "--absent zero,empty" in listed


@pytest.mark.parametrize("word", ["not imaged", "out of view", "Out of FOV"])
def test_outside_the_field_of_view_is_no_absence(tmp_path, word):
    text = f"spine,day,size\na,0,1.5\na,1,{word}\na,2,0\nb,0,1\nb,1,1\nb,2,1\n"
    assert read(write(tmp_path, text)).state.tolist() == [[1, -1, 0], [1, 1, 1]]


def test_sizes_that_contradict_presence_are_reported_with_their_lines(tmp_path):
    text = "spine,day,present,size\na,0,1,1.5\na,1,0,0.7\na,2,yes,\nb,0,1,0\nb,1,1,2\nb,2,0,\n"
    found = read(write(tmp_path, text))
    assert found.state.tolist() == [[1, 0, 1], [1, 1, 0]]
    listed = [str(warning) for warning in found.warnings]
    assert any(t.startswith("line 3: not present, but with a size") for t in listed)
    assert any(t.startswith("line 5: present, but of size 0") for t in listed)


@pytest.mark.parametrize(
    ("absent", "states"),
    [
        (None, [[1, -1, 0], [1, 1, -1]]),
        ("zero", [[1, -1, 0], [1, 1, -1]]),
        ("empty", [[1, 0, 0], [1, 1, -1]]),
        ("empty,row", [[1, 0, 0], [1, 1, 0]]),
    ],
)
def test_the_user_chooses_what_marks_absence(tmp_path, absent, states):
    text = "spine,day,size\na,0,1.5\na,1,\na,2,0\nb,0,1\nb,1,1\n"
    assert read(write(tmp_path, text), absent=absent).state.tolist() == states


def test_warnings_are_listed_with_their_lines(tmp_path):
    table = truth(n_spines=60, times=np.arange(6) * 2.0)
    text = long_text(table).replace("m1,s1,0,", "m1,S2,0,1\nm1,S2,2,0\nm1,s1,0,", 1)
    lines = text.splitlines()
    lines[-1] = ",".join([*lines[-1].split(",")[:3], "1e9"])
    found = read(write(tmp_path, "\n".join(lines)))
    listed = "\n".join(map(str, found.warnings))
    assert f"line {len(lines)}: sizes very far from the others" in listed
    assert "differ only in case" in listed


def test_a_frame_of_pandas():
    table = truth(**SMALL)
    frame = table.frame.drop(columns=["present", "condition", "dendrite"])
    same(read(frame), table)
    wide = frame.pivot(index="spine", columns="time", values="size").reset_index()
    assert read(wide).state.sum() == table.state.sum()


def test_a_workbook(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    table = truth(**SMALL)
    book = openpyxl.Workbook()
    book.active.title = "notes"
    sheet = book.create_sheet("spines")
    sheet.append(["animal", "spine", "day", "size"])
    for entry in table.frame.itertuples():
        sheet.append([entry.animal, entry.spine, entry.time, entry.size if entry.present else None])
    book.save(tmp_path / "book.xlsx")
    same(read(tmp_path / "book.xlsx", sheet="spines"), table)
    with pytest.raises(SynsampError, match="notes, spines"):
        read(tmp_path / "book.xlsx", sheet="none")
    book["notes"].append(["see the other sheet"])
    book["notes"].append(["thanks"])
    book.save(tmp_path / "book.xlsx")
    with pytest.raises(SynsampError, match=r"with --sheet: spines$"):
        read(tmp_path / "book.xlsx")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must hold a header"),
        ("a\nb\n", "must be a header of several columns"),
        ("spine,time\na,0\n", "must have a column of sizes.*--columns size=NAME"),
        ("time,size\n0,1\n", "must have a column of spine names.*--columns spine=NAME"),
        ("spine,size\na,1\n", "must have a column of times.*--columns time=NAME"),
        ("a,b\n1,2\n", "spine names; a column of times.*sizes.*spine=NAME,time=NAME,size=NAME"),
        ("Exported by X\nspine,time,size\na,0,1\n", "at least two sessions"),
        ("spine,time,size\na,0,1\na,1,0.4 µm\n", "line 3.*without a unit"),
        ('spine,time,size\na,0,1.5\na,1,"1,234.5"\n', "line 3.*thousands separator"),
        ("spine,time,size\n", "must hold observations"),
        ("spine,time,size\na,0,1\n", "at least two sessions"),
        ("spine,time,size\na,0,1\na,1,1\na,0,2\n", "line 4, must not repeat.*line 2.*animal=NAME"),
        ("spine,time,size\na,0,1\na,1,-0.2\n", "line 3, must have a size >= 0.*-0.2"),
        ("spine,time,size\na,0,1\na,1,big\n", "line 3, must have a number.*'big'"),
        ("spine,time,size\na,0,1\na,1,inf\n", "line 3, must have a number"),
        ("spine,time,size\na,0,1\na,1,1_0\n", "line 3, must have a number"),
        ("spine,time,present\na,0,1\na,1,2\n", "line 3, must have 1 or 0"),
        ("spine,time,size\na,0,1\na,soon,1\n", "line 3, must have a time"),
        ("spine,time,size\na,0,1\n,1,1\n", "line 3, must name its spine"),
        ("spine,time,size\na,0,1\na,1\n", "line 3, must have 3 cells"),
        (
            "spine;time;size\na;0;1,5\na;1;1.5\nb;0;1,5\n",
            "line 3, must use the decimal",
        ),
        ("spine,time,size\na,2024-01-01,1\na,4,1\n", "line 3, must give its time like"),
        ("spine,spine,time,size\na,b,0,1\n", "must have one column 'spine'.*--columns"),
        ("spine,time,size\na,0,1\na,1,\0\n", "line 3, must be text.*zero byte"),
    ],
)
def test_bad_tables_raise_an_error_with_line_rule_and_remedy(tmp_path, text, words):
    with pytest.raises(SynsampError, match=words) as refusal:
        read(write(tmp_path, text))
    assert str(refusal.value).startswith("spines.csv")
    assert "; " in str(refusal.value)  # a remedy
    assert "\n" not in str(refusal.value)


def test_a_condition_belongs_to_a_spine(tmp_path):
    text = "spine,day,size,drug\na,0,1,x\na,1,2,y\n"
    with pytest.raises(SynsampError, match="line 3, must have the condition 'x'"):
        read(write(tmp_path, text), by="drug")
    with pytest.raises(SynsampError, match="its header is: spine, day, size, drug"):
        read(write(tmp_path, text), by="genotype")


def test_an_empty_frame_raises_an_error():
    with pytest.raises(SynsampError, match="frame must hold columns and rows"):
        read(pd.DataFrame())
