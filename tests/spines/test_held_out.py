"""Models judged by held-out sessions, and the power of a planned comparison."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from spines.tables import truth
from synsamp.cli import run_command_line
from synsamp.errors import SynsampError
from synsamp.experiments.registry import Registry
from synsamp.spines import OneTimeScale, held_out, plan
from synsamp.spines.fit import fit_process
from synsamp.spines.simulate import simulate


@pytest.fixture(scope="module")
def table():
    return truth(n_spines=200, noise=0.2, times=np.arange(9) * 3.0)


@pytest.fixture(scope="module")
def found(table):
    return held_out(table, simulations=1)


def test_one_time_scale_is_not_rejected_where_it_is_true(found):
    assert found.answer.startswith("Nothing speaks against one Ornstein–Uhlenbeck process")
    rows = found.scores.set_index("model")
    assert rows.loc["Kesten process", "difference"] < 0
    assert (rows["predictions"] > 150).all()
    assert "simulated tables each" in found.answer
    assert set(found.power["model"]) == set(rows.index)


def test_two_populations_are_recognised(table):
    rng = np.random.default_rng(1)
    stable = simulate(OneTimeScale(1.5, 0.6, 80.0, 0.1), 0.0, table.times, 100, rng)
    fleeting = simulate(OneTimeScale(-0.6, 0.6, 5.0, 0.1), 0.0, table.times, 100, rng)
    mixed = replace(table, state=np.r_[stable[0], fleeting[0]], size=np.r_[stable[1], fleeting[1]])
    found = held_out(mixed, simulations=0)
    assert found.answer.startswith("No: one Ornstein–Uhlenbeck process")
    assert "Two populations predicts" in found.answer
    assert len(found.power) == 0


def test_a_kesten_process_is_recognised(table):
    """S′ = m + keep (S − m) + sqrt((a² S² + c²)(1 − keep²)) ν, seen above size 1."""
    rng = np.random.default_rng(2)
    size = np.empty((200, 9))
    size[:, 0] = 1 + rng.exponential(1.5, 200)
    keep = np.exp(-3 / 25)
    for k in range(1, 9):
        before = size[:, k - 1]
        spread = np.sqrt((0.5 * before**2 + 0.2) * (1 - keep**2))
        size[:, k] = 2 + keep * (before - 2) + spread * rng.standard_normal(200)
    there = size > 1
    kesten = replace(table, state=there.astype(np.int8), size=np.where(there, size, np.nan))
    found = held_out(kesten, simulations=0)
    rows = found.scores.set_index("model")
    assert rows["difference"].idxmax() == "Kesten process"
    assert "Kesten process predicts" in found.answer


def test_held_out_sessions_need_sessions(table):
    few = replace(table, times=table.times[:3], state=table.state[:, :3], size=table.size[:, :3])
    with pytest.raises(SynsampError, match="at least 5 sessions to hold some out"):
        held_out(few)


def test_the_planned_power_is_that_of_simulated_comparisons():
    """12 comparisons of b·T: the share that finds the effect agrees within binomial error."""
    n, size, ratio, tables = 4, 30, 2.5, 12
    expected = plan(ratio, animals=[n], spines=[size], sessions=8).set_index("quantity")["power"]
    hits = 0
    for k in range(tables):
        fits = [
            fit_process(
                truth(n_spines=n * size, relaxation=tau, noise=0.2, seed=2 * k + i,
                      times=np.arange(8) * 4.0).observations(1.0),
                animal=np.arange(n * size) % n,
                threshold_on="measured",
                missed=False,
                profiled=False,
            )
            for i, tau in enumerate((20.0, 20.0 * ratio))
        ]  # fmt: skip
        change = abs(np.log(fits[1].value("bT") / fits[0].value("bT")))
        hits += change > 1.96 * np.hypot(*(f.errors["bT"] for f in fits))
    p = float(expected["bT"])
    assert abs(hits / tables - p) < 3.3 * np.sqrt(p * (1 - p) / tables) + 0.05


def test_power_grows_with_animals_spines_and_effect():
    found = plan(1.5, animals=[3, 8], spines=[20, 100])
    power = found[found["quantity"] == "bT"].set_index(["animals", "spines"])["power"]
    assert power[8, 100] > power[3, 100]
    assert power[8, 100] > power[8, 20]
    stronger = plan(2.0, animals=[8], spines=[20])
    assert stronger.set_index("quantity")["power"]["bT"] > power[8, 20]
    spread_out = plan(1.5, animals=[8], spines=[100], between=0.3).set_index("quantity")["power"]
    assert spread_out["bT"] < power[8, 100] - 0.1
    # Inverse ratios are alike; a tiny effect is found as rarely as the intervals are wrong.
    assert plan(1.001, animals=[8], spines=[50])["power"].max() < 0.05
    with pytest.raises(SynsampError, match="effect must differ from 1"):
        plan(1.0)


def test_the_command_prints_a_plan(capsys):
    assert run_command_line(["spines", "plan", "--effect", "1.5"], Registry([])) == 0
    shown = capsys.readouterr().out
    assert "animals per condition | 20 spines each" in shown
    assert shown.count("%") > 16
    for words in (["plan"], ["table.csv", "--effect", "2"], ["plan", "--effect", "x"]):
        assert run_command_line(["spines", *words], Registry([])) == 2
        assert "--effect" in capsys.readouterr().err
