"""Every claim of every experiment that comes with the package can fail, and can be decided."""

from __future__ import annotations

from dataclasses import replace

import pytest

from synsamp.analysis.intervals import wilson_interval
from synsamp.claims import Claim
from synsamp.experiments.registry import REGISTRY

CLAIMS = [
    pytest.param(entry.load(), claim, id=f"{entry.name}-{claim.id}")
    for entry in REGISTRY
    for claim in entry.load().claims
]


def faults(claim, seeds):
    """What a claim lacks; ``seeds``: how many the preset runs."""
    low, high = claim.band
    if not (claim.null_key and claim.null_description):
        yield "it has no null, or no words for it"
    if not claim.reason:
        yield "its band has no reason"
    if claim.exact:
        return
    if seeds < 2:
        yield "one seed decides nothing"
    if low == high:  # no interval fits into it: a share of seeds would, or a tolerance
        yield "a band without width suits only what is exact"
        return
    # A band that ends at 1 or begins at 0 is that of a share: even if all seeds agree, Wilson's
    # interval must fit into it.
    if high == 1.0 and low is not None and wilson_interval(1.0, seeds).low < low:
        yield f"{seeds} of {seeds} seeds could not decide it"
    if low == 0.0 and high is not None and wilson_interval(0.0, seeds).high > high:
        yield f"0 of {seeds} seeds could not decide it"


def presets(experiment):
    """Those that the whole run takes; of what goes beyond the paper, the one with most seeds."""
    named = [name for name in experiment.presets if name.startswith("paper")]
    trials = {name: experiment.trials.get(name, 1) for name in experiment.presets}
    return {name: trials[name] for name in named or [max(trials, key=trials.__getitem__)]}


@pytest.mark.parametrize(("experiment", "claim"), CLAIMS)
def test_a_claim_has_a_null_a_reason_and_enough_seeds(experiment, claim):
    wrong = {name: list(faults(claim, seeds)) for name, seeds in presets(experiment).items()}
    assert {name: said for name, said in wrong.items() if said} == {}


GOOD = Claim(
    "id",
    "It is so",
    "Fig. 1",
    "size",
    (0.8, 1.0),
    reason="nearly all",
    null_measure="other",
    null_description="off",
)


@pytest.mark.parametrize(
    ("changes", "seeds", "words"),
    [
        ({}, 16, []),
        ({}, 15, ["15 of 15 seeds could not decide it"]),
        ({"null_description": ""}, 16, ["it has no null, or no words for it"]),
        ({"null_measure": None}, 16, ["it has no null, or no words for it"]),
        ({"reason": ""}, 16, ["its band has no reason"]),
        ({"band": (0.0, 0.2)}, 16, []),
        ({"band": (0.0, 0.2)}, 15, ["0 of 15 seeds could not decide it"]),
        ({"band": (2.0, None)}, 1, ["one seed decides nothing"]),
        ({"band": (2.0, None), "exact": True}, 1, []),
        ({"band": (1.0, 1.0)}, 16, ["a band without width suits only what is exact"]),
    ],
)
def test_the_check_above_can_fail(changes, seeds, words):
    assert list(faults(replace(GOOD, **changes), seeds)) == words
