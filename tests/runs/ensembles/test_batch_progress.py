"""How far several ensembles are together, in words and on a terminal."""

from __future__ import annotations

import io

from rich.console import Console

from synsamp.runs.ensembles import progress
from synsamp.runs.ensembles.plan import describe_ensemble, trials_of
from synsamp.runs.ensembles.progress import EnsembleProgress, Whole
from toys.coins import EXPERIMENT


def trials(n):
    return trials_of(EXPERIMENT, describe_ensemble(EXPERIMENT, n))


def test_what_costs_more_counts_more_and_what_was_done_before_says_nothing_of_the_speed(
    monkeypatch,
):
    clock = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    whole = Whole(Console(file=io.StringIO()), {"a": 10.0, "b": 30.0}, {"a": 1.0, "b": 0.0})
    assert whole.text == "25 % of all"
    clock[0] += 60.0
    whole.report("b", 0.5)
    assert whole.text == "62 % of all, about 60 s left"  # 15 of 30 in a minute, 15 are left
    clock[0] += 60.0
    whole.report("b", 1.0)
    assert whole.text == "100 % of all, about 0 s left"


def test_without_a_terminal_a_line_reports_the_run_and_the_batch(monkeypatch):
    monkeypatch.setattr(progress, "LINE_EVERY_S", -1.0)
    said = io.StringIO()
    console = Console(file=said, width=200)
    whole = Whole(console, {"a": 10.0, "b": 30.0}, {"a": 0.0, "b": 0.0})
    found = trials(4)
    with whole, EnsembleProgress(console, found, (), (whole, "a")) as one:
        one.ended(found[0].name, "finished", "")
    assert said.getvalue().startswith("1 of 4 trials; 6 % of all, about ")


def test_on_a_terminal_both_have_a_bar_and_what_has_ended_leaves_none():
    said = io.StringIO()
    console = Console(file=said, force_terminal=True, width=100)
    whole = Whole(console, {"a": 10.0, "b": 30.0}, {"a": 0.0, "b": 0.0})
    with whole:
        for name in ("a", "b"):
            with EnsembleProgress(console, trials(2), (), (whole, name)):
                assert [task.description for task in whole.bars.tasks] == ["all", "0 of 2 trials"]
        assert [task.description for task in whole.bars.tasks] == ["all"]
