"""Pages of `make sampling-gain` and `tools.sparse_training`: stored rows become tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tools import sampling_gain_page, sparse_training_page

ROWS = pd.read_csv(sampling_gain_page.DATA)
SCORES = list(sampling_gain_page.SCORES)
KEY = ["task", "table", "method", "width"]


def test_an_interval_is_that_of_students_t():
    values = pd.Series([1.0, 2.0, 4.0, 5.0])
    low, high = stats.t.interval(0.95, 3, 3.0, stats.sem(values))
    assert sampling_gain_page.interval(values) == f"3.000 ± {(high - low) / 2:.3f}"
    assert sampling_gain_page.interval(-values, ".1f").startswith("−3.0")


def test_every_row_of_the_page_averages_eight_seeds_once():
    scored = ROWS[ROWS["table"] != "tuning"]
    seeds = scored.groupby(KEY)["seed"].agg(["size", "nunique"])
    assert (seeds == 8).all(axis=None)
    assert np.isfinite(scored[SCORES]).all(axis=None)


def test_methods_are_tuned_on_other_seeds():
    tuned = ROWS[ROWS["table"] == "tuning"].sort_values("log score").groupby(["task", "method"])
    best = tuned[["rate", "width"]].first()
    for (task, method), part in ROWS[ROWS["table"] == "methods"].groupby(["task", "method"]):
        assert (part[["rate", "width"]] == best.loc[(task, method)]).all(axis=None), method


@pytest.mark.parametrize("page", [sampling_gain_page, sparse_training_page])
def test_the_page_has_the_stored_numbers(page, tmp_path, monkeypatch):
    text = page.PAGE.read_text(encoding="utf-8")
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    page.PAGE.write_text(text, encoding="utf-8")
    page.write_page()
    assert page.PAGE.read_text(encoding="utf-8") == text


def test_the_table_of_sparse_runs():
    rows = pd.DataFrame({"way": ["a", "a", "b"], "seed": [0, 1, 0], "accuracy": [0.5, 0.7, 0.9]})
    lines = [line.split("|")[1:-1] for line in sparse_training_page.table(rows).splitlines()]
    assert [cell.strip() for cell in lines[2]] == ["a", "60.0", "50.0 to 70.0"]
    assert lines[3][0].strip() == "b"
