"""The table of measures gives back what was put into it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synsamp.claims import Ratio
from synsamp.claims.table import Run, from_csv, present, to_csv

numbers = st.integers(-999_999, 999_999).map(lambda k: k / 100)  # seven digits are kept
kinds = st.sampled_from([numbers, st.booleans(), st.builds(Ratio, numbers, numbers)])
values = kinds.flatmap(lambda kind: st.lists(kind | st.none(), min_size=1, max_size=5))
words = st.text("abcxyz_019=.,;\"' ", max_size=12)
runs = st.builds(Run, words, words, words)


@given(st.dictionaries(runs, st.dictionaries(words, values, min_size=1, max_size=3), max_size=3))
def test_what_is_written_is_read(table):
    assert from_csv(to_csv(table)) == table


def test_kinds_stay_kinds_and_gaps_gaps():
    run = Run("walk", "paper")
    table = {run: {"a": [1.0, math.nan], "b": [True, None], "c": [Ratio(1.0, 3.0)], "d": [None]}}
    read = from_csv(to_csv(table))[run]
    assert math.isnan(read["a"][1])
    assert read["b"] == [True, None]
    assert type(read["b"][0]) is bool
    assert present({k: v for k, v in read.items() if k != "a"}) == {
        "b": [True],
        "c": [Ratio(1.0, 3.0)],
    }


def test_seven_digits_are_kept():
    run = Run("walk", "paper")
    assert from_csv(to_csv({run: {"a": [1234567.0, 0.1234567]}}))[run]["a"] == [
        1234567.0,
        0.1234567,
    ]


def test_another_table_raises_an_error():
    with pytest.raises(ValueError, match="must begin with experiment,preset"):
        from_csv("a,b\n1,2\n")
