"""Verdicts: by intervals over seeds, against a null, and never by a point."""

from __future__ import annotations

import numpy as np
import pytest

from synsamp.claims import Claim, Ratio, judge, judge_all
from synsamp.claims.judge import interval_of


def claim(band=(1.0, None), **more):
    return Claim("id", "It is so", "Fig. 1", "size", band, **more)


def test_inside_outside_and_across():
    assert judge(claim(), [1.5, 1.6, 1.55, 1.52]).verdict == "holds"
    assert judge(claim(), [0.5, 0.6, 0.55, 0.52]).verdict == "fails"
    across = judge(claim(), [0.8, 1.6, 1.2, 1.1])
    assert across.verdict == "undecided"
    assert across.measured.value > 1.0  # the mean alone would have said that it holds


def test_a_mean_inside_with_an_interval_across_the_band_does_not_hold():
    values = [0.74, 0.5, 0.6, 0.55]
    judged = judge(claim((0.5, None)), values)
    assert judged.measured.low < 0.5 < judged.measured.value
    assert judged.verdict == "undecided"
    more = values * (judged.needed // 4 + 1)
    assert judge(claim((0.5, None)), more).verdict == "holds"
    assert judge(claim((0.5, None)), more[: judged.needed // 2]).verdict == "undecided"


def test_an_open_end_is_never_crossed():
    assert judge(claim((None, 2.0)), [-1e9, 1.0, 1.5]).verdict != "holds"  # its upper end is
    assert judge(claim((0.0, None)), [1.0, 1.1, 100.0, 99.0]).verdict == "undecided"
    assert judge(claim((0.0, None)), [1e9, 1.1e9, 1.05e9]).verdict == "holds"


def test_one_seed_decides_nothing_unless_the_measure_is_exact():
    assert judge(claim(), [5.0]).verdict == "undecided"
    assert judge(claim(exact=True), [5.0]).verdict == "holds"
    assert judge(claim(exact=True), [0.5]).verdict == "fails"
    assert judge(claim(exact=True), [5.0, 0.5]).verdict == "undecided"


def test_a_null_inside_the_band_means_that_nothing_can_be_told():
    with_null = claim(null="size_without")
    good, bad = [1.5, 1.6, 1.55], [0.1, 0.2, 0.15]
    assert judge(with_null, good, bad).verdict == "holds"
    assert judge(with_null, good, good).verdict == "cannot tell"
    assert judge(with_null, bad, good).verdict == "fails"
    wide = [0.5, 1.5, 0.4]
    judged = judge(with_null, good, wide)
    assert judged.verdict == "undecided"
    assert judged.needed is not None
    with pytest.raises(ValueError, match="was not measured"):
        judge(with_null, good)


def test_shares_have_wilsons_interval_and_need_their_seeds():
    all_eight = judge(claim((0.8, 1.0)), [True] * 8)
    assert all_eight.measured.low == pytest.approx(0.676, abs=1e-3)
    assert all_eight.verdict == "undecided"
    assert all_eight.needed == 16
    assert judge(claim((0.8, 1.0)), [True] * 16).verdict == "holds"


def test_ratios_are_of_means():
    values = [Ratio(1.0, 1.0), Ratio(9.0, 3.0), Ratio(2.0, 2.0)]
    assert interval_of(values).value == pytest.approx(2.0)  # the mean of ratios would be 5/3


def test_a_seed_without_a_value_leaves_it_undecided():
    judged = judge(claim(), [1.5, np.nan, 1.6])
    assert judged.verdict == "undecided"
    assert judged.needed is None


def test_the_papers_number_has_its_own_word():
    values = [1.4, 1.5, 1.6]
    words = [judge(claim(paper=p), values).paper_is for p in (1.0, 1.5, 3.0, None)]
    assert words == ["below", "inside", "above", ""]


def test_only_what_was_measured_is_judged():
    other = Claim("other", "It is not", "Fig. 2", "colour", (0.0, 1.0))
    assert [j.claim.id for j in judge_all([claim(), other], {"size": [1.0, 2.0]})] == ["id"]


def test_coverage_of_the_verdicts():
    """A true value at the band's edge is called inside in 2.5 % of cases, not in half of them."""
    rng = np.random.default_rng(7)
    n = 4000
    wrong = sum(judge(claim(), list(1.0 + rng.normal(size=5))).verdict == "holds" for _ in range(n))
    expected, error = 0.025 * n, np.sqrt(0.025 * 0.975 * n)
    assert abs(wrong - expected) < 4 * error
    by_point = sum(1.0 + rng.normal(size=5).mean() > 1.0 for _ in range(n))
    assert abs(by_point - expected) > 4 * error  # what judging by the mean alone would do


@pytest.mark.parametrize(
    ("band", "more", "words"),
    [
        ((None, None), {}, "cannot fail"),
        ((2.0, 1.0), {}, "low, high"),
        ((0.0, 1.0), {"null": "size"}, "another"),
    ],
)
def test_claims_that_cannot_be_judged_are_refused(band, more, words):
    with pytest.raises(ValueError, match=words):
        claim(band, **more)
