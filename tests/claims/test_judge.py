"""Verdicts: by intervals over seeds, against a null, and never by a point."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from synsamp.analysis.intervals import wilson_interval
from synsamp.claims import Claim, Ratio, judge
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


@pytest.mark.parametrize("value", [True, False])
def test_nor_does_one_seed_decide_a_share_though_that_has_an_interval(value):
    band = (0.8, 1.0) if not value else (0.1, 1.0)  # Wilson's ends at 1 of 1 are 0.21 and 1
    judged = judge(claim(band), [value])
    assert (judged.verdict, judged.needed) == ("undecided", None)
    assert judged.measured == (float(value), -np.inf, np.inf)
    assert judge(claim(band), [value] * 5).verdict == ("holds" if value else "fails")


@pytest.mark.parametrize(
    ("value", "verdict"), [(True, "holds"), (False, "fails"), (Ratio(3.0, 2.0), "holds")]
)
def test_what_is_exact_may_be_a_truth_or_a_ratio(value, verdict):
    assert judge(claim(exact=True), [value]).verdict == verdict


def test_what_is_exact_and_differs_is_decided_by_no_number_of_seeds():
    judged = judge(claim(exact=True), [5.0, 0.5])
    assert (judged.measured.low, judged.measured.high) == (0.5, 5.0)
    assert judged.needed is None
    for broken in (np.nan, np.inf, Ratio(1.0, 0.0)):
        assert judge(claim(exact=True), [broken]).verdict == "undecided"


def test_an_exact_null_is_exact_too():
    with_null = claim(exact=True, null_measure="size_without")
    assert judge(with_null, [5.0], [0.5]).verdict == "holds"
    assert judge(with_null, [5.0], [1.0]).verdict == "not specific"  # ends belong to the band


@pytest.mark.parametrize("value", [0.1, 0.3, 1 / 3])
@pytest.mark.parametrize("band", [(None, "v"), ("v", None), ("v", "v")])
def test_constant_values_at_the_bands_end_lie_in_it(value, band):
    ends = tuple(value if end == "v" else end for end in band)
    assert judge(claim(ends), [value] * 7).verdict == "holds"
    beyond = np.nextafter(value, -1.0) if ends[0] is not None else np.nextafter(value, 2.0)
    assert judge(claim(ends), [beyond] * 7).verdict == "fails"


def test_a_constant_measure_is_decided_and_its_null_may_still_need_seeds():
    judged = judge(claim(null_measure="size_without"), [2.0] * 4, [0.9, 0.2, 1.1, 0.4])
    assert judged.verdict == "undecided"
    assert judged.needed > 4
    more = [0.9, 0.2, 1.1, 0.4] * (judged.needed // 4 + 1)
    assert judge(claim(null_measure="size_without"), [2.0] * len(more), more).verdict == "holds"


def test_a_null_without_a_value_in_one_seed_leaves_it_undecided():
    judged = judge(claim(null_measure="size_without"), [1.5, 1.6, 1.55], [0.1, np.nan, 0.2])
    assert (judged.verdict, judged.needed) == ("undecided", None)


def test_a_claim_whose_null_lies_in_the_band_is_not_specific():
    with_null = claim(null_measure="size_without")
    good, bad = [1.5, 1.6, 1.55], [0.1, 0.2, 0.15]
    assert judge(with_null, good, bad).verdict == "holds"
    assert judge(with_null, good, good).verdict == "not specific"
    assert judge(with_null, bad, good).verdict == "fails"
    wide = [0.5, 1.5, 0.4]
    judged = judge(with_null, good, wide)
    assert judged.verdict == "undecided"
    assert judged.needed is not None
    # More seeds would show that it is not specific: no number of them makes it hold.
    inside = [0.7, 1.9, 0.9]
    judged = judge(with_null, good, inside)
    assert (judged.verdict, judged.needed) == ("undecided", None)
    assert judge(with_null, good * 99, inside * 99).verdict == "not specific"
    with pytest.raises(ValueError, match="was not measured"):
        judge(with_null, good)


def test_shares_have_wilsons_interval_and_need_their_seeds():
    all_eight = judge(claim((0.8, 1.0)), [True] * 8)
    assert all_eight.measured.low == pytest.approx(0.676, abs=1e-3)
    assert all_eight.verdict == "undecided"
    assert all_eight.needed == 16
    assert judge(claim((0.8, 1.0)), [True] * 16).verdict == "holds"
    assert judge(claim((0.8, 1.0)), [True] * 15).verdict == "undecided"
    never = judge(claim((None, 0.2)), [False] * 4)
    assert never.measured.low == 0.0
    assert never.needed == 16
    assert judge(claim((None, 0.2)), [False] * 16).verdict == "holds"


@pytest.mark.parametrize(("hits", "n", "band"), [(3, 4, (0.5, 1.0)), (2, 3, (0.4, 0.9))])
def test_the_seeds_that_a_share_needs_are_the_fewest(hits, n, band):
    judged = judge(claim(band), [True] * hits + [False] * (n - hits))
    decided = [m for m in range(n, 200) if claim(band).admits(*wilson_interval(hits / n, m)[1:])]
    assert judged.needed == decided[0]


def test_an_estimate_on_the_bands_end_is_decided_by_no_number_of_seeds():
    judged = judge(claim((1.0, None)), [0.5, 1.5])
    assert (judged.verdict, judged.needed) == ("undecided", None)


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
    assert judge(claim(paper=1.5), [1.5]).paper_is == ""  # one seed has no interval to lie in
    assert judge(claim(paper=1.5), [1.5, np.nan]).paper_is == ""
    assert judge(claim(paper=1.5, exact=True), [1.4]).paper_is == "above"


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
        ((0.0, 1.0), {"null_measure": "size"}, "another"),
    ],
)
def test_claims_that_cannot_be_judged_raise_an_error(band, more, words):
    with pytest.raises(ValueError, match=words):
        claim(band, **more)


@pytest.mark.parametrize("seeds", [2, 3, 5, 12])
def test_the_number_of_seeds_needed_is_that_of_student_s_interval(seeds):
    """Scatter as now, mean as now: at ``needed`` seeds the interval clears the end, not before."""
    values = np.linspace(0.6, 1.8, seeds)
    judged = judge(claim((1.0, None)), list(values))
    assert judged.verdict == "undecided"

    def low(n):
        return values.mean() - stats.t.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n)

    assert low(judged.needed) >= 1.0 > low(judged.needed - 1)


def test_a_mean_at_the_edge_of_its_band_will_never_be_decided():
    rng = np.random.default_rng(1)
    scatter = rng.standard_normal(8)
    scatter -= scatter.mean()
    edge = judge(claim((1.0, None)), list(1.0 + 0.001 + scatter))
    assert (edge.verdict, edge.needed) == ("undecided", None)
    near = judge(claim((1.0, None)), list(1.0 + 0.3 + scatter))  # hundreds of seeds would do
    assert near.verdict == "undecided"
    assert 8 < near.needed < 1000


def test_the_interval_of_a_share_stays_below_1_and_so_decides_less_often():
    values = [0.75, 1.0, 0.99, 0.97, 0.96, 1.0, 0.98, 0.98]
    plain, share = (
        judge(claim((0.85, None), limits=x), values) for x in ((None, None), (0.0, 1.0))
    )
    assert plain.measured.high > 1.0
    assert 0.8 < share.measured.low < 0.85 < 0.954 < share.measured.high < 1.0
    assert (plain.verdict, share.verdict) == ("holds", "undecided")
    enough = judge(claim((0.85, None), limits=(0.0, 1.0)), values * 2)
    assert (enough.verdict, share.needed <= 16) == ("holds", True)


def test_the_null_has_its_own_range():
    null = judge(
        claim(null_measure="size_without", null_limits=(0.0, None)), [2.0, 2.1], [0.0, 0.5]
    ).null
    assert null.low > 0.0
