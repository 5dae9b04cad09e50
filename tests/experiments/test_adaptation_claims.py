"""Which claims of figure 4 are judged, and that each can hold and fail."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from synsamp.claims import Ratio, judge
from synsamp.experiments.adaptation import EXPERIMENT
from synsamp.experiments.adaptation.analysis import analyse
from synsamp.experiments.adaptation.claims import CLAIMS
from synsamp.experiments.adaptation.measures import measures
from synsamp.runs.overrides import override

BY_ID = {claim.id: claim for claim in CLAIMS}
OF_THE_FIRST_PHASE = {"background-eliminated", "relevant-survive"}
SETTLED = {"few-active", "turnover-goes-on"}
OF_THE_RETURN = {"network-returns", "synapse-probes", "synapse-inactive"}


def made_up(parameters):
    """Records as a run stores them, with random numbers."""
    rng, course, n_post, n_pre = np.random.default_rng(1), parameters.course, 4, 30
    end = course.ends_s[-1]

    def record(name, every_s, **others):
        times = np.arange(0, end + 1, every_s)
        values = rng.normal(size=(times.size, *others.values()))
        return xr.Dataset({name: (("time", *others), values)}, coords={"time": times})

    digits = list(course.all_digits)
    synapses = {"post": n_post, "pre": n_pre}
    traced = record("candidates", 10, post=n_post, pre=5).assign_coords(pre=[3, 4, 5, 6, 7])
    spikes = np.abs(record("tuning", parameters.snapshot_every_s, post=n_post, digit=len(digits)))
    ink = rng.uniform(size=(len(digits), n_pre))
    phases = np.ones((len(course.digits), n_pre), bool)
    return {
        "learning/active": np.abs(record("active", 10, post=n_post)),
        "learning/candidates": traced,
        "learning/turnover": np.abs(record("born", 100, post=n_post)),
        "learning/theta": record("theta", parameters.snapshot_every_s, **synapses),
        "learning/weight": np.abs(record("weight", parameters.snapshot_every_s, **synapses)),
        "learning/tuning": spikes,
        "learning/control/theta": xr.Dataset(
            {"theta": (("mark", "post", "pre"), rng.normal(size=(1, n_post, n_pre)))}
        ),
        "images": xr.Dataset(
            {
                "mean_image": (("digit", "pre"), ink),
                "background": (("phase", "pre"), phases),
                "matters": (("phase", "pre"), phases),
                "new": ("pre", ink[0] > 0.5),
            },
            coords={"digit": digits},
        ),
    }


@pytest.mark.parametrize(
    ("settings", "absent"),
    [
        ([], set()),
        (["phase_s=2000"], set()),
        (["phase_s=600", "snapshot_every_s=300"], SETTLED),
        (["phases=1;1,2"], OF_THE_RETURN),
        (["phases=1;1,2;2"], OF_THE_RETURN),
        (["phases=1;1"], set(BY_ID) - OF_THE_FIRST_PHASE - SETTLED),
        (["phases=1,2"], set(BY_ID) - OF_THE_FIRST_PHASE - SETTLED),
    ],
)
def test_claims_are_judged_where_the_phases_allow_them(settings, absent):
    parameters = override(EXPERIMENT.presets["paper"], settings)
    results = made_up(parameters)
    results |= analyse(parameters, results)
    found = measures(parameters, results)
    assert {claim.id for claim in CLAIMS if claim.measure not in found} == absent
    kinds = {type(value) for value in found.values()}
    assert kinds <= {float, bool, Ratio}


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("background-eliminated", Ratio(0.02, 0.7), Ratio(0.5, 0.7)),
        ("relevant-survive", 0.95, 0.8),
        ("few-active", 0.21, 0.3),
        ("turnover-goes-on", 20.0, 0.0),
        ("neurons-turn", True, False),
        ("weights-turn", 0.3, 0.05),
        ("network-returns", True, False),
        ("eliminated-return", Ratio(160.0, 8.0), Ratio(9.0, 8.0)),
        ("synapse-stable", 1.0, 0.5),
        ("synapse-probes", 5.0, 0.0),
        ("synapse-inactive", 0.05, 0.9),
    ],
)
def test_every_claim_can_hold_and_fail(name, inside, outside):
    claim = BY_ID[name]
    assert judge(claim, [inside] * 8).verdict == "holds"
    assert judge(claim, [outside] * 8).verdict == "fails"
    assert judge(claim, [inside]).verdict == "undecided"


def test_every_claim_is_tried_and_says_why_its_band_is_where_it_is():
    assert len(CLAIMS) == len(BY_ID) == 11
    for claim in CLAIMS:
        assert claim.reason
        assert claim.detail
