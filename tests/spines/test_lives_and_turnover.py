"""Survival and turnover of small tables by hand, and of simulated ones by their law."""

from __future__ import annotations

import numpy as np
import pytest

from spines.tables import truth, write
from synsamp.analysis.survival import Lifetimes
from synsamp.errors import SynsampError
from synsamp.spines import read, survival, turnover
from synsamp.spines.conditions import compare_conditions
from synsamp.spines.laws import fit_laws
from synsamp.spines.lives import new_lives


def table(tmp_path, rows, times=None):
    """From ``rows`` of 1, 0 and - (not looked at), one per spine."""
    text = ["spine,day,present"]
    for name, row in rows.items():
        text += [
            f"{name},{k if times is None else times[k]},{'?' if c == '-' else c}"
            for k, c in enumerate(row)
        ]
    return read(write(tmp_path, "\n".join(text)))


def test_lives_of_new_spines_by_hand(tmp_path):
    found = table(tmp_path, {"old": "11000", "new": "01100", "back": "01011", "gap": "01-10"})
    lives = new_lives(found)
    got = sorted(
        zip(
            lives.spine.tolist(),
            lives.born,
            lives.times.last_seen,
            lives.times.first_missed,
            strict=True,
        )
    )
    assert got == [
        (1, 1, 1, 2),
        (2, 1, 0, 1),
        (2, 3, 1, np.inf),  # it came back: another life
        (3, 1, 2, 3),
    ]


def test_nan_for_absent_gives_lives(tmp_path):
    """As pandas writes it: these were taken as present, and no life was found."""
    text = "spine,day,volume\n" + "".join(
        f"{s},{d},{'' if d < 1 or d > 2 else 0.5}\n" for s in range(5) for d in range(4)
    )
    text += "".join(f"stays,{d},0.7\n" for d in range(4))
    assert len(survival(write(tmp_path, text)).lives.times) == 5


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


def test_rates_are_per_time_where_intervals_differ(tmp_path):
    found = turnover(table(tmp_path, {"a": "101", "b": "111"}, times=[0, 2, 8]))
    rates = found.rates.set_index("rate")
    assert rates.loc["loss per unit of time", "value"] == pytest.approx(1 / (2 * 2 + 1 * 6))


def test_animals_are_the_unit_from_three_on():
    rates = turnover(truth(n_spines=200, n_animals=4)).rates
    assert (rates["unit"] == "animal").all()
    assert ((rates["low"] <= rates["value"]) & (rates["value"] <= rates["high"])).all()


LAWS = {
    "exponential": lambda r, n: r.exponential(6.0, n),
    "power law": lambda r, n: 3.0 * (r.random(n) ** (-1 / 0.8) - 1),
    "Weibull": lambda r, n: 6.0 * r.weibull(0.4, n),
    "log-normal": lambda r, n: r.lognormal(1.5, 0.5, n),
    "double exponential": lambda r, n: r.exponential(np.where(r.random(n) < 0.6, 1.0, 60.0)),
}  # fmt: skip


@pytest.mark.parametrize("law", LAWS)
def test_the_law_that_made_the_lives_is_among_the_best(law):
    rng = np.random.default_rng(1)
    lives = LAWS[law](rng, 3000)
    seen, end = np.floor(lives), 40.0
    missed = np.where(seen + 1 <= end, seen + 1, np.inf)
    laws = fit_laws(Lifetimes(np.minimum(seen, end), missed))
    above = {one.law: one.aic - laws[0].aic for one in laws}
    assert above[law] < 5
    others = [name for name in above if name != law]
    assert max(above[name] for name in others) > 10  # and some law is ruled out
    true = np.median(lives)
    fitted = next(one for one in laws if one.law == law)
    assert fitted.median == pytest.approx(true, rel=0.15)


def test_cohorts_and_shares_come_with_intervals():
    found = survival(truth(n_spines=400, n_animals=5))
    assert len(found.cohorts) == 2
    shares = found.shares
    assert (shares["unit"] == "animal").all()
    assert ((shares["low"] <= shares["share"]) & (shares["share"] <= shares["high"])).all()
    assert (np.diff(shares["share"]) <= 0).all()
    assert found.frame["survival"].iloc[0] == 1


def test_two_conditions_that_differ_and_two_that_do_not():
    fast = [truth(n_spines=60, relaxation=4.0, seed_=s) for s in range(4)]
    slow = [truth(n_spines=60, relaxation=60.0, seed_=s) for s in range(4, 8)]
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


def test_too_few_lives_are_said():
    with pytest.raises(SynsampError, match="must hold at least 3 that were seen to end"):
        fit_laws(Lifetimes(np.array([1.0, 2.0]), np.array([2.0, np.inf])))
