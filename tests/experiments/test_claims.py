"""A claim holds or does not: the band's ends belong to it, and what is not finite never holds."""

import math
from dataclasses import FrozenInstanceError

import pytest

from synsamp.experiments.base import Claim, Column, Repeats
from synsamp.experiments.landscape import EXPERIMENT


def _claim(value, band):
    return Claim("one", "The value lies in the band", "Fig. 0", value, band)


@pytest.mark.parametrize(
    ("value", "band", "holds"),
    [
        (1.0, (1.0, 2.0), True),
        (2.0, (1.0, 2.0), True),
        (1.5, (1.0, 2.0), True),
        (0.99, (1.0, 2.0), False),
        (2.01, (1.0, 2.0), False),
        (1.0, (1.0, 1.0), True),
        (1e9, (1.0, None), True),
        (1.0, (1.0, None), True),
        (0.5, (1.0, None), False),
        (-1e9, (None, 2.0), True),
        (2.0, (None, 2.0), True),
        (2.5, (None, 2.0), False),
        (math.nan, (None, 2.0), False),
        (math.inf, (1.0, None), False),
        (-math.inf, (None, 2.0), False),
    ],
)
def test_a_claim_holds_within_its_band(value, band, holds):
    assert _claim(value, band).holds is holds


@pytest.mark.parametrize("band", [(None, None), (2.0, 1.0)])
def test_a_band_that_cannot_fail_or_cannot_hold_is_refused(band):
    with pytest.raises(ValueError, match="claim 'one'"):
        _claim(1.0, band)


@pytest.mark.parametrize(
    ("made", "name"),
    [
        (_claim(1.0, (1.0, 2.0)), "value"),
        (Column("f8"), "dtype"),
        (Repeats("trials", "trial"), "parameter"),
        (EXPERIMENT, "claims"),
    ],
)
def test_what_was_checked_cannot_be_changed(made, name):
    with pytest.raises(FrozenInstanceError):
        setattr(made, name, None)
