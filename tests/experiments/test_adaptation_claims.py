"""Which claims of figure 4 are judged, and that each can hold and fail."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from synsamp.claims import Ratio, judge
from synsamp.paper.fig4_adaptation import EXPERIMENT
from synsamp.paper.fig4_adaptation.claims import CLAIMS
from synsamp.paper.fig4_adaptation.measures import analyse
from synsamp.paper.fig4_adaptation.protocol import run
from synsamp.paper.fig4_adaptation.stdp import measure_stdp
from synsamp.protocol import Branch
from synsamp.runs.overrides import override

BY_ID = {claim.id: claim for claim in CLAIMS}
STDP = {"stdp-window", "stdp-weight", "stdp-regular", "stdp-sign", "stdp-poisson"}
OF_THE_FIRST_PHASE = {"background-eliminated", "relevant-survive", "few-active"}
LATER = {"stays-sparse", "turnover-goes-on"}
OF_THE_RETURN = {"network-returns", "switch-eliminates", "synapse-probes", "synapse-inactive"}
OF_CONTROLS = {
    "maximum-likelihood-brittle",
    "regrowth-undriven",
    "dots-by-noise",
    "noise-rewires-printed",
    "noise-rewires-no-likelihood",
    "noise-retunes-printed",
    "noise-retunes-no-likelihood",
    "prior-sparse-printed",
    "prior-sparse-no-likelihood",
}


def random_records(parameters):
    """Records as a run stores them, with random values."""
    rng, timeline, n_post, n_pre = np.random.default_rng(1), parameters.timeline, 4, 30
    end = timeline.ends_s[-1]

    def record(name, every_s, **others):
        times = np.arange(0, end + 1, every_s)
        values = rng.normal(size=(times.size, *others.values()))
        return xr.Dataset({name: (("time", *others), values)}, coords={"time": times})

    digits = list(timeline.all_digits)
    synapses = {"post": n_post, "pre": n_pre}
    ink = rng.uniform(size=(len(digits), n_pre))
    phases = np.ones((len(timeline.digits), n_pre), bool)
    results = {
        "stdp": measure_stdp(parameters.rule, np.random.SeedSequence(1)),
        "images": xr.Dataset(
            {
                "mean_image": (("digit", "pre"), ink),
                "background": (("phase", "pre"), phases),
                "informative": (("phase", "pre"), phases),
                "new": ("pre", ink[0] > 0.5),
                "candidate_input": ("candidate", [3, 4, 5, 6, 7]),
            },
            coords={"digit": digits},
        ),
    }
    every_s, tested = parameters.snapshot_every_s, {"post": n_post, "digit": len(digits)}
    for branch in branches_of(parameters):
        traced = record("candidates", 10, post=n_post, pre=5).assign_coords(pre=[3, 4, 5, 6, 7])
        results |= {
            f"{branch}/active": np.abs(record("active", 10, post=n_post)),
            f"{branch}/candidates": traced,
            f"{branch}/theta": record("theta", every_s, **synapses),
            f"{branch}/weight": np.abs(record("weight", every_s, **synapses)),
            f"{branch}/tuning": np.abs(record("tuning", every_s, **tested)),
        }
    return results


def branches_of(parameters):
    """The branches of a run, as its protocols list them."""
    protocols = run(parameters, 1)
    trunks = [name for name in ("learning", "no_activity", "alternative_rule") if name in protocols]
    return [
        place
        for trunk in trunks
        for place in [
            trunk,
            *(f"{trunk}/{s.name}" for s in protocols[trunk].steps if isinstance(s, Branch)),
        ]
    ]


@pytest.mark.parametrize(
    ("settings", "absent"),
    [
        ([], set()),
        (["phase_s=600", "snapshot_every_s=300"], set()),
        (["rule.learn_when_retracted=false"], set()),
        (["controls=false"], OF_CONTROLS | {"network-returns", "switch-eliminates"}),
        (["phases=1;1,2"], OF_THE_RETURN),
        (["phases=1;1,2;2"], OF_THE_RETURN),
        (["phases=1;1"], set(BY_ID) - OF_THE_FIRST_PHASE - LATER - STDP),
        (["phases=1,2"], set(BY_ID) - OF_THE_FIRST_PHASE - STDP),
    ],
)
def test_claims_are_judged_where_the_phases_allow_them(settings, absent):
    parameters = override(EXPERIMENT.presets["paper"], settings)
    results = random_records(parameters)
    results |= analyse(parameters, results)
    found = EXPERIMENT.measure(parameters, results)
    taken = {claim.id for claim in CLAIMS if {claim.key, claim.null_key} <= set(found)}
    assert set(BY_ID) - taken == absent
    kinds = {type(value) for value in found.values()}
    assert kinds <= {float, bool, Ratio}


def test_the_branches_are_those_that_the_nulls_need():
    quick, paper = (branches_of(EXPERIMENT.presets[name]) for name in ("quick", "paper"))
    assert quick == ["learning", "learning/control", "no_activity"]
    assert paper == [
        "learning",
        "learning/no_prior",
        "learning/maximum_likelihood",
        "learning/control",
        "learning/noise_off",
        "learning/replicate",
        "learning/digit_persists",
        "no_activity",
        "alternative_rule",
        "alternative_rule/no_prior",
        "alternative_rule/noise_off",
        "alternative_rule/replicate",
    ]


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("background-eliminated", Ratio(0.02, 0.7), Ratio(0.5, 0.7)),
        ("relevant-survive", 0.95, 0.8),
        ("few-active", 0.21, 0.69),
        ("stays-sparse", 0.21, 0.3),
        ("turnover-goes-on", Ratio(80, 100), Ratio(10, 100)),
        ("neurons-turn", True, False),
        ("weights-turn", 0.3, 0.05),
        ("eliminated-return", Ratio(160.0, 600.0), Ratio(9.0, 600.0)),
        ("network-returns", True, False),
        ("switch-eliminates", Ratio(200.0, 230.0), Ratio(50.0, 230.0)),
        ("synapse-stable", 1.0, 0.5),
        ("synapse-probes", 2.0, 0.0),
        ("synapse-inactive", 0.05, 0.9),
        ("regrowth-undriven", Ratio(0.9, 0.95), Ratio(0.6, 0.9)),
        ("maximum-likelihood-brittle", False, True),
        ("dots-by-noise", Ratio(1.0, 100.0), Ratio(90.0, 100.0)),
        ("noise-rewires-printed", Ratio(0.3, 0.9), Ratio(1.0, 0.9)),
        ("noise-rewires-no-likelihood", Ratio(0.2, 0.6), Ratio(0.6, 0.6)),
        ("noise-retunes-printed", Ratio(0.0, 2.0), Ratio(2.0, 2.0)),
        ("noise-retunes-no-likelihood", Ratio(0.0, 2.0), Ratio(2.0, 2.0)),
        ("prior-sparse-printed", Ratio(0.3, 0.2), Ratio(0.2, 0.2)),
        ("prior-sparse-no-likelihood", Ratio(0.4, 0.3), Ratio(0.2, 0.3)),
        ("stdp-window", 1e-7, 0.7),
        ("stdp-weight", 1.0, -1.0),
        ("stdp-regular", 1e-7, 0.6),
        ("stdp-sign", 0.2, -0.3),
        ("stdp-poisson", 1.0, 12.0),
    ],
)
def test_every_claim_can_hold_fail_and_be_not_specific(name, inside, outside):
    claim = BY_ID[name]
    assert judge(claim, [inside] * 20, [outside] * 20).verdict == "holds"
    assert judge(claim, [outside] * 20, [outside] * 20).verdict == "fails"
    assert judge(claim, [inside] * 20, [inside] * 20).verdict == "not specific"
    if not claim.exact:
        assert judge(claim, [inside], [outside]).verdict == "undecided"


def test_every_claim_is_tried_and_says_why_its_band_is_where_it_is_and_what_its_null_is():
    assert len(CLAIMS) == len(BY_ID) == 27
    for claim in CLAIMS:
        assert claim.reason
        assert claim.detail
        assert claim.null_key
        assert claim.null_description


def test_shares_of_circuits_can_be_decided_with_the_seeds_of_the_paper_preset():
    n = EXPERIMENT.trials["paper"]
    for name in ("neurons-turn", "network-returns"):
        most = [True] * (n - 4) + [False] * 4
        assert judge(BY_ID[name], most, [False] * n).verdict == "holds"
        assert judge(BY_ID[name], [not retuned for retuned in most], [False] * n).verdict == "fails"
