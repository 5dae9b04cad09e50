"""Pages of `make sampling-gain` and `tools.sparse_training`: stored rows become tables."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from scipy import stats

from tools import sampling_gain_page, sparse_training_page


def cells(table):
    """The rows of a Markdown table below its header."""
    return [[c.strip() for c in line.split("|")[1:-1]] for line in table.splitlines()[2:]]


def test_an_interval_is_that_of_students_t():
    values = pd.Series([1.0, 2.0, 4.0, 5.0])
    low, high = stats.t.interval(0.95, 3, 3.0, stats.sem(values))
    assert sampling_gain_page.interval(values) == f"3.000 ± {(high - low) / 2:.3f}"
    assert sampling_gain_page.interval(-values, ".1f").startswith("−3.0")


def test_methods_are_compared_with_adam_seed_by_seed():
    scores = {"accuracy": 0.9, "calibration error": 0.01, "letters": 0.8, "rate": 0.1, "width": 4.0}
    rows = [
        {"method": method, "seed": seed, "log score": seed + more, **scores}
        for method, more in (("Adam", 0.0), ("other", -0.25))
        for seed in (1, 0, 2)
    ]
    adam, other = cells(sampling_gain_page.methods(pd.DataFrame(rows)))
    assert adam[:2] == ["Adam", "90.00 ± 0.00"]
    assert adam[5] == "–"
    assert other[5] == "−0.250 ± 0.000"  # seeds differ more, but are paired
    assert other[6:] == ["0.1", "4"]


def test_widths_are_those_at_the_best_rate():
    rows = [("a", 0.1, 4.0, 0.3), ("a", 0.3, 4.0, 0.2), ("a", 0.3, 8.0, 0.15), ("a", 0.3, 2.0, 1.0)]
    tuning = pd.DataFrame(rows, columns=["method", "rate", "width", "log score"])
    assert cells(sampling_gain_page.widths(tuning, ["a"])) == [["a", "1.000", "0.200", "0.150"]]


@pytest.mark.parametrize("writer", [sampling_gain_page, sparse_training_page])
def test_the_page_has_the_stored_numbers(writer, tmp_path, monkeypatch):
    text = writer.PAGE.read_text(encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    monkeypatch.setattr(writer, "PAGE", page)
    writer.write_page()
    assert page.read_text(encoding="utf-8") == text


def test_the_table_of_sparse_runs():
    rows = pd.DataFrame({"way": ["a", "a", "b"], "seed": [0, 1, 0], "accuracy": [0.5, 0.7, 0.9]})
    first, second = cells(sparse_training_page.table(rows))
    assert first == ["a", "60.0", "50.0 to 70.0"]
    assert second[0] == "b"


def test_the_example_of_the_page_runs(capsys):
    text = sampling_gain_page.PAGE.read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
    exec(code, {})
    assert float(capsys.readouterr().out) > 0.97  # correct ones and twos


def test_every_stored_score_is_of_eight_seeds_and_of_the_tuned_rate_and_width():
    rows = pd.read_csv(sampling_gain_page.DATA)
    scored = rows[rows["table"] != "tuning"]
    seeds = scored.groupby(["table", "method", "rate", "width"])["seed"].agg(["size", "nunique"])
    assert (seeds == sampling_gain_page.SEEDS).all(axis=None)
    tuned = rows[rows["table"] == "tuning"].sort_values("log score").groupby("method")
    best = tuned[["rate", "width"]].first()
    for method, part in rows[rows["table"] == "methods"].groupby("method"):
        assert (part[["rate", "width"]] == best.loc[method]).all(axis=None), method
