"""Survival and turnover of small tables by hand, and of simulated ones from theory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from spines.tables import truth, write
from synsamp.analysis.survival import Lifetimes
from synsamp.spines import read, simulated_table, survival, turnover
from synsamp.spines.compare import statistics_of
from synsamp.spines.conditions import compare_conditions
from synsamp.spines.lifetimes import new_spine_lifetimes, proportions_at
from synsamp.spines.proportions import proportions_with_intervals, resampled, surviving_at


def table(tmp_path, rows, times=None):
    """From ``rows`` of 1, 0 and - (not imaged), one per spine."""
    text = ["spine,day,present"]
    for name, row in rows.items():
        text += [
            f"{name},{k if times is None else times[k]},{'?' if c == '-' else c}"
            for k, c in enumerate(row)
        ]
    return read(write(tmp_path, "\n".join(text)))


def test_lifetimes_of_new_spines_by_hand(tmp_path):
    found = table(tmp_path, {"old": "11000", "new": "01100", "back": "01011", "gap": "01-10"})
    lifetimes = new_spine_lifetimes(found)
    got = sorted(
        zip(
            lifetimes.spine.tolist(),
            lifetimes.born,
            lifetimes.durations.last_seen,
            lifetimes.durations.first_missed,
            strict=True,
        )
    )
    assert got == [
        (1, 1, 1, 2),
        (2, 1, 0, 1),
        (2, 3, 1, np.inf),  # it returned: a new lifetime
        (3, 1, 2, 3),
    ]


def test_nan_marks_absence(tmp_path):
    """As pandas writes it."""
    text = "spine,day,volume\n" + "".join(
        f"{s},{d},{'' if d < 1 or d > 2 else 0.5}\n" for s in range(5) for d in range(4)
    )
    text += "".join(f"stays,{d},0.7\n" for d in range(4))
    assert len(survival(write(tmp_path, text)).lifetimes.durations) == 5


def test_turnover_by_hand(tmp_path):
    found = turnover(table(tmp_path, {"a": "110", "b": "101", "c": "011", "d": "111", "e": "01-"}))
    rows = found.intervals
    assert rows["before"].tolist() == [3, 3]
    assert rows["gained"].tolist() == [2, 1]
    assert rows["lost"].tolist() == [1, 1]
    rates = found.rates.set_index("rate")
    assert rates.loc["gain per interval", "value"] == pytest.approx(3 / 6)
    assert rates.loc["loss per interval", "value"] == pytest.approx(2 / 6)
    assert rates.loc["turnover ratio", "value"] == pytest.approx(5 / 13)
    assert rates.loc["persistent fraction", "value"] == pytest.approx(1 / 5)
    assert rates.loc["transient fraction", "value"] == pytest.approx(2 / 5)  # b and e
    assert (rates["unit"] == "spine").all()


def test_dendrites_of_an_animal_may_be_imaged_on_different_days(tmp_path):
    """Spines were imaged in successive sessions of the dendrite, not of the animal."""
    text = ["mouse,dendrite,spine,day,present"]
    for dendrite, first in (("d1", 0), ("d2", 1)):
        for spine, row in {"a": "110", "b": "011"}.items():
            text += [f"m,{dendrite},{spine},{first + 4 * k},{c}" for k, c in enumerate(row)]
    found = turnover(read(write(tmp_path, "\n".join(text))))
    assert found.intervals["from"].tolist() == [0, 4, 1, 5]
    assert found.intervals["before"].tolist() == [1, 2, 1, 2]
    assert found.intervals["gained"].tolist() == [1, 0, 1, 0]
    rates = found.rates.set_index("rate")
    assert rates.loc["loss per interval", "value"] == pytest.approx(2 / 6)
    assert rates.loc["loss per interval", "low"] >= 0  # over spines, by the same pairs


def test_statistics_do_not_depend_on_whether_animals_share_their_days():
    together = truth(n_spines=80, n_animals=2)
    moved = together.animal == "m2"
    apart = replace(
        together,
        times=np.sort(np.concatenate([together.times, together.times + 1])),
        state=np.full((80, 24), -1, np.int8),
        size=np.full((80, 24), np.nan),
    )
    for shift, rows in ((0, ~moved), (1, moved)):
        apart.state[np.ix_(rows, np.arange(12) * 2 + shift)] = together.state[rows]
        apart.size[np.ix_(rows, np.arange(12) * 2 + shift)] = together.size[rows]
    wanted, found = statistics_of(together), statistics_of(apart)
    assert wanted["turnover ratio"] > 0.1
    assert found == pytest.approx(wanted, nan_ok=True)


def test_bootstrapped_proportions_match_kaplan_meier():
    lifetimes = Lifetimes([0, 4, 0, 8, 4, 12.0], [4, 8, 4, np.inf, np.inf, 16])
    at = np.array([2, 4, 8, 12, 16.0])
    everything = np.zeros(6, np.int64)  # one unit: every draw is the table itself
    drawn = resampled(lifetimes, everything, at, np.random.default_rng(0))
    np.testing.assert_allclose(drawn[0], surviving_at(lifetimes, at))
    apart = resampled(lifetimes, np.arange(6), at, np.random.default_rng(0))
    assert apart[:, 1].std() == pytest.approx(np.sqrt(2 / 6 * 4 / 6 / 6), rel=0.15)


def test_few_animals_enlarge_the_interval_of_a_proportion_but_never_shrink_it():
    """Ten lifetimes per animal: identical in one table, entirely different in the other."""
    at, spine = np.array([4.0]), np.arange(30)
    animal = np.repeat([0, 1, 2], 10)
    width = {}
    for name, lost in {"alike": spine % 2 == 0, "unlike": animal == 0}.items():
        lifetimes = Lifetimes(np.where(lost, 0.0, 8.0), np.where(lost, 4.0, np.inf))
        for unit, whose in {"animals": animal, "one": np.zeros(30, np.int64)}.items():
            row = proportions_with_intervals(lifetimes, spine, whose, at, 0).iloc[0]
            assert row["unit"] == ("animal" if unit == "animals" else "spine")
            assert row["low"] < row["proportion"] < row["high"]
            width[name, unit] = row["high"] - row["low"]
    assert width["alike", "animals"] == pytest.approx(width["alike", "one"])
    assert width["unlike", "animals"] > 1.8 * width["unlike", "one"]


def test_rates_are_per_time_where_intervals_differ(tmp_path):
    found = turnover(table(tmp_path, {"a": "101", "b": "111"}, times=[0, 2, 8]))
    rates = found.rates.set_index("rate")
    assert rates.loc["loss per unit of time", "value"] == pytest.approx(1 / (2 * 2 + 1 * 6))


def test_animals_are_the_unit_from_three_on():
    rates = turnover(truth(n_spines=200, n_animals=4)).rates
    assert (rates["unit"] == "animal").all()
    assert ((rates["low"] <= rates["value"]) & (rates["value"] <= rates["high"])).all()


def test_cohorts_and_proportions_have_intervals():
    found = survival(truth(n_spines=400, n_animals=5))
    assert len(found.cohorts) == 2
    proportions = found.proportions
    assert (proportions["unit"] == "animal").all()
    assert (
        (proportions["low"] <= proportions["proportion"])
        & (proportions["proportion"] <= proportions["high"])
    ).all()
    assert (np.diff(proportions["proportion"]) <= 0).all()
    assert found.frame["survival"].iloc[0] == 1


def test_two_conditions_that_differ_and_two_that_do_not():
    fast = [truth(n_spines=60, relaxation=4.0, seed=s) for s in range(4)]
    slow = [truth(n_spines=60, relaxation=60.0, seed=s) for s in range(4, 8)]
    effects = compare_conditions(_joined(fast, slow), {})
    row = effects.set_index("quantity").loc["turnover ratio"]
    assert row["value"] < 0
    assert row["high"] < 0
    assert row["size"] < -1
    same = compare_conditions(_joined(fast[:2], fast[2:]), {}).set_index("quantity")
    assert same.loc["turnover ratio", "low"] < 0 < same.loc["turnover ratio", "high"]


def _joined(first, second):
    tables = [*first, *second]
    n = [len(t.spine) for t in tables]
    names = np.repeat(["first"] * len(first) + ["second"] * len(second), n)
    return type(tables[0])(
        **{
            **tables[0].__dict__,
            "spine": np.concatenate([t.spine for t in tables]),
            "animal": np.repeat([f"m{k}" for k in range(len(tables))], n),
            "dendrite": np.full(sum(n), ""),
            "condition": names,
            "state": np.concatenate([t.state for t in tables]),
            "size": np.concatenate([t.size for t in tables]),
        }
    )


def test_95_percent_intervals_of_proportions_cover_the_truth():
    """200 tables of 100 spines; this test would detect intervals of half the width."""
    times, at = np.arange(10) * 4.0, np.array([8.0])
    many = new_spine_lifetimes(simulated_table(n_spines=100_000, times=times, seed=10**6))
    true = float(surviving_at(many.durations, at)[0])
    rows = []
    for k in range(200):
        table = simulated_table(n_spines=100, times=times, seed=k)
        found = proportions_at(table, new_spine_lifetimes(table), at)
        rows.append((found.proportion[0], found.low[0], found.high[0]))
    value, low, high = np.array(rows).T

    def missed(scale):
        return (
            (true < value - scale * (value - low)) | (true > value + scale * (high - value))
        ).sum()

    # 0.1 % points of the binomial of 200 tables at 5 %
    assert 2 <= missed(1.0) <= 21
    assert missed(0.5) > 21
