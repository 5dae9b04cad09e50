"""Pages of `make sampling-gain` and `tools.sparse_training`: stored rows become tables."""

from __future__ import annotations

import pandas as pd
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


def test_the_page_has_the_stored_accuracies(tmp_path, monkeypatch):
    text = sparse_training_page.PAGE.read_text(encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    monkeypatch.setattr(sparse_training_page, "PAGE", page)
    sparse_training_page.write_page()
    assert page.read_text(encoding="utf-8") == text


def test_the_table_of_sparse_runs():
    rows = pd.DataFrame({"way": ["a", "a", "b"], "seed": [0, 1, 0], "accuracy": [0.5, 0.7, 0.9]})
    first, second = cells(sparse_training_page.table(rows))
    assert first == ["a", "60.0", "50.0 to 70.0"]
    assert second[0] == "b"
