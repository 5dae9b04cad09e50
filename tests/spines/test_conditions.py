"""Two genotypes: the comparison comes first, and each condition has its own numbers."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from spines.tables import truth
from synsamp.cli import run_command_line
from synsamp.experiments.registry import Registry
from synsamp.report.spines.headline import headline
from synsamp.report.spines.page import sections
from synsamp.spines import analyse
from synsamp.spines.offsets import corrected, differ


def genotypes(ratio=3.0, mean=-0.3, offsets=None):
    """Four animals each of wt (τ = 24 days) and ko (τ shorter by a factor)."""
    parts = []
    for k, (name, tau) in enumerate((("wt", 24.0), ("ko", 24.0 / ratio))):
        one = truth(n_spines=160, n_animals=4, noise=0.1, relaxation=tau, mean=mean, seed=k,
                    times=np.arange(8) * 3.0)  # fmt: skip
        animal = np.array([f"{name}{a}" for a in one.animal], dtype=np.str_)
        parts.append(replace(one, animal=animal, condition=np.full(160, name, dtype="U2")))
    first, second = parts
    joined = {
        n: np.concatenate([getattr(first, n), getattr(second, n)])
        for n in ("spine", "animal", "dendrite", "condition", "state", "size")
    }
    table = replace(first, **joined)
    if offsets is None:
        return table
    return replace(table, size=table.size * np.exp(offsets[table.animal_number])[:, None])


@pytest.fixture(scope="module")
def found():
    return analyse(genotypes())


def test_the_comparison_comes_first_and_numbers_are_per_condition(found):
    titles = [section.title for section in sections(found)]
    assert titles[:4] == [
        "Conditions",
        "Fitted process of each condition",
        "Rule parameters of each condition",
        "Turnover of each condition",
    ]
    assert "Fitted process, all conditions together" in titles
    assert "Fitted process" not in titles
    words = headline(found)
    assert words.startswith("In ko, ")
    assert "the relaxation time τ is 0." in words
    effect = found.effects.set_index("quantity").loc["relaxation"]
    assert effect["low"] < 1 / 3 < effect["high"]
    assert effect["high"] < 1
    for name, tau in (("wt", 24.0), ("ko", 8.0)):
        low, high = found.by_condition[name].interval("relaxation")
        assert low < tau < high
    rates = found.rates_by_condition.set_index(["condition", "rate"])["value"]
    assert rates["ko", "loss per interval"] > rates["wt", "loss per interval"]


def test_the_command_prints_the_comparison_first(tmp_path, capsys):
    frame = genotypes().frame.drop(columns=["present", "dendrite"])
    frame["size"] = frame["size"].fillna(0)
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert run_command_line(["spines", str(tmp_path / "t.csv")], Registry([])) == 0
    shown = capsys.readouterr().out
    places = [
        shown.index(words)
        for words in ("In ko, ", "Conditions.", "Fitted process of each condition", "Turnover of")
    ]
    assert places == sorted(places)
    assert "wt 2" in shown  # the column's name and the estimate of τ
    assert re.search(r"  turnover ratio: .* \(difference\), .*effect size .*, p ", shown)


def test_equal_conditions_are_not_said_to_differ():
    same = genotypes(ratio=1.0)
    words = headline(analyse(same))
    assert words.startswith("No difference") or words.count(";") == 0


def test_offsets_are_taken_within_conditions():
    """A genotype may be larger by a factor; animals of one genotype differ in brightness."""
    shift = np.r_[np.zeros(4), np.full(4, 0.7)]
    assert differ(genotypes(offsets=shift)) > 0.01  # the genotype explains it
    bright = 0.3 * np.array([1.0, -1.2, 0.5, -0.3, -0.6, 1.1, 0.2, -0.7])
    table = genotypes(offsets=shift + bright)
    assert differ(table) < 1e-4
    assert corrected(table, "animal").offsets.spread == pytest.approx(bright.std(), rel=0.35)
    effects = analyse(table).effects.set_index("quantity")
    assert effects.loc["mean", "low"] < 0.7 < effects.loc["mean", "high"]
    assert effects.loc["relaxation", "high"] < 1
