"""What an experiment declares is checked once and cannot be changed after."""

from dataclasses import FrozenInstanceError, replace

import pytest
from pydantic import Field

from synsamp.claims import Claim
from synsamp.columns import Column, Table
from synsamp.experiments.base import Experiment, Parameters
from synsamp.paper.fig1_landscape import EXPERIMENT

CLAIM = Claim("one", "The value lies in the band", "Fig. 0", "value", (1.0, 2.0))


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (CLAIM, "band"),
        (Column("f8"), "dtype"),
        (Table("row", {}), "columns"),
        (EXPERIMENT, "claims"),
    ],
)
def test_what_was_checked_cannot_be_changed(made, name):
    with pytest.raises(FrozenInstanceError):
        setattr(made, name, None)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"claims": (CLAIM, CLAIM)}, "two claims have one id"),
        ({"trials": {"quikc": 2}}, "trials names no preset: 'quikc'"),
        ({"presets": {"quick": CLAIM}}, "preset quick must be a LandscapeParameters"),
        ({"name": "my experiment"}, "letters, digits"),
    ],
)
def test_a_declaration_that_contradicts_itself_raises_an_error(changes, words):
    with pytest.raises(ValueError, match=words):
        replace(EXPERIMENT, **changes)


@pytest.mark.parametrize("band", [(None, None), (2.0, 1.0)])
def test_a_band_that_cannot_fail_or_cannot_hold_raises_an_error(band):
    with pytest.raises(ValueError, match="claim 'one'"):
        replace(CLAIM, band=band)


@pytest.mark.parametrize(
    ("low", "high", "admitted"),
    [(1.0, 2.0, True), (1.5, 1.5, True), (0.99, 1.5, False), (1.5, 2.01, False)],
)
def test_the_ends_of_a_band_belong_to_it(low, high, admitted):
    assert CLAIM.admits(low, high) is admitted
    assert replace(CLAIM, band=(1.0, None)).admits(low, high) is (low >= 1.0)
    assert replace(CLAIM, band=(None, 2.0)).admits(low, high) is (high <= 2.0)


def test_defaults_are_checked_like_given_values_and_run_says_whether_it_takes_a_context():
    class Wrong(Parameters):
        rate_hz: float = Field(-1.0, ge=0.0)

    with pytest.raises(ValueError, match="greater than or equal to 0"):
        Wrong()
    without = Experiment("a", "A", run=lambda parameters, seed: None)
    with_context = Experiment("a", "A", run=lambda parameters, seed, context: None)
    assert (without.takes_context, with_context.takes_context) == (False, True)
