"""The numbers of the plasticity, and that what it does at a spike reaches the potentials."""

import math
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from numba import njit

from synsamp.errors import SynsampError
from synsamp.mappings import CustomMapping, Exponential
from synsamp.spiking import (
    ChangeClip,
    Simulation,
    SpikeLikelihood,
    SynapseModel,
    TermClip,
    winner_take_all_network,
)


def test_defaults_are_the_papers():
    rule = SpikeLikelihood()
    assert (rule.data_size, rule.alpha, rule.learn_when_retracted) == (100.0, math.exp(-2.0), True)
    assert rule.clip == TermClip(5.0)
    assert TermClip().limit == ChangeClip().limit == 5.0


def test_the_clip_of_the_term_is_a_bound_on_w():
    rule = SpikeLikelihood(alpha=0.5, clip=TermClip(2.0))
    assert 0.5 * math.exp(rule.most_expected_at) == pytest.approx(2.0)
    assert rule.numbers == (100.0, 0.5, rule.most_expected_at, 2.0)
    assert SpikeLikelihood(clip=ChangeClip(2.0)).most_expected_at == math.inf
    assert SpikeLikelihood(clip=TermClip(math.inf)).most_expected_at == math.inf


def test_bounds_belong_to_what_is_allowed():
    for good in (dict(data_size=0), dict(data_size=1e9), dict(alpha=1e6), dict(alpha=1e-300)):
        SpikeLikelihood(**good)
    for name, bad in [
        ("data_size", -1e-9),
        ("data_size", 1.01e9),
        ("alpha", 0.0),
        ("alpha", 1.01e6),
    ]:
        with pytest.raises(SynsampError, match=f"^{name} must be a finite number"):
            SpikeLikelihood(**{name: bad})
    for clip in (TermClip, ChangeClip):
        assert clip(math.inf).limit == math.inf
        for limit in (0.0, -1.0, math.nan, -math.inf):
            with pytest.raises(SynsampError, match="limit must be a finite number > 0"):
                clip(limit)
    with pytest.raises(SynsampError, match="clip must be a TermClip or a ChangeClip"):
        SpikeLikelihood(clip=5.0)
    with pytest.raises(SynsampError, match="learn_when_retracted must be True or False"):
        SpikeLikelihood(learn_when_retracted=1)


@pytest.mark.parametrize(
    ("rule", "name"),
    [(SpikeLikelihood(), "data_size"), (TermClip(), "limit"), (ChangeClip(), "limit")],
)
def test_numbers_cannot_be_changed_past_their_checks(rule, name):
    with pytest.raises(FrozenInstanceError):
        setattr(rule, name, -1.0)


@pytest.mark.parametrize("clip", [TermClip(), ChangeClip()])
@pytest.mark.parametrize("learn_when_retracted", [True, False])
def test_synapses_that_grow_at_spikes_count_at_once_under_any_mapping(clip, learn_when_retracted):
    """Nothing but spikes moves θ here, and rows are never refreshed: all turn functional by spikes.

    A custom mapping takes another way through the engine than the built-in one, unless its
    slope is the very same function.
    """
    own = CustomMapping(
        njit(lambda theta, p: np.exp(theta - 3.0)), njit(lambda theta, p: np.exp(theta - 3.0))
    )
    below, mixed = np.full((4, 30), -0.5), np.tile(np.where(np.arange(30) % 2, 0.3, -0.5), (4, 1))
    start = below if learn_when_retracted else mixed
    sims = []
    for mapping in (Exponential(3.0), own):
        rule = SpikeLikelihood(clip=clip, learn_when_retracted=learn_when_retracted)
        model = SynapseModel(mapping=mapping, speed=2e-3, temperature=0.0, plasticity=rule)
        net = winner_take_all_network(30, 4, model)
        sim = Simulation(net, np.full(30, 60.0), 3, theta={"x->z": start}, drift_interval_s=1000.0)
        sims.append(sim.run(4.0 if learn_when_retracted else 1.6))
    built_in, mine = (sim.theta("x->z") for sim in sims)
    born = int(((built_in > 0) & (start < 0)).sum())
    assert born > 40 if learn_when_retracted else born == 0
    np.testing.assert_allclose(mine, built_in, atol=2e-5)
