"""Misuses of networks in space: bad positions, lists, rules of distance and new neurons.

Each must end in a `SynsampError` of one line, before anything large is allocated.
"""

# ruff: noqa: E501
from __future__ import annotations

import tracemalloc

import pytest

from synsamp.errors import SynsampError
from synsamp.priors import Gaussian
from synsamp.protocol import AddNeurons
from synsamp.spiking import (
    CustomPlasticity,
    DistanceRule,
    EdgeList,
    InputGroup,
    Line,
    Network,
    Plane,
    Positions,
    Projection,
    RandomPairs,
    RemoveNeurons,
    Ring,
    Simulation,
    StochasticNeurons,
    SynapseModel,
    Torus,
    Volume,
    available,
)
from torture.public_calls import BAD, Call


def flat(d):
    return 0.5 + 0.0 * d


HALF, BELOW, ABOVE = RandomPairs(0.5), Plane(seed=1), Plane(seed=2)


def network(potential=HALF, pre=BELOW, post=ABOVE, **more):
    model = SynapseModel(Gaussian(0.0, 1.0), plasticity=CustomPlasticity())
    return Network(
        [InputGroup("x", 12, pre)],
        [StochasticNeurons("h", 9, positions=post)],
        [Projection("x", "h", model, potential=potential, **more)],
    )


def edges(pre=(0, 1), post=(2, 3)):
    return network(EdgeList(pre, post))


def distance(probability=flat, within=0.7, seed=0):
    return network(DistanceRule(probability, within, seed))


def random(probability=0.5, seed=0):
    return network(RandomPairs(probability, seed))


def probability(value):
    return distance(lambda d: value)


def delay(value):
    return network(delay_s=lambda d: value)


def mean(value):
    return network(prior_mean=lambda d: value)


def positions(points=((0.0, 1.0),) * 9, period=None):
    return network(post=Positions(points, period), pre=Positions(((0.0, 1.0),) * 12, period))


def add(population="h", neurons=(3,), seed=1):
    sim = Simulation(network())
    sim.lesion(RemoveNeurons("h", [3, 4]))
    sim.add_neurons(population, neurons, seed)


LENGTHS = {"width": "positive", "height": "positive", "seed": "seed"}
INDICES = {"pre": "array", "post": "array"}
CALLS = [
    Call("Line", Line, {}, {"length": "positive"}),
    Call("Ring", Ring, {}, {"length": "positive"}),
    Call("Plane", Plane, {}, LENGTHS),
    Call("Torus", Torus, {}, LENGTHS),
    Call("Volume", Volume, {}, LENGTHS | {"depth": "positive"}),
    Call("Positions", positions, {}, {"points": "array", "period": "array"}, {"period": {"None"}}),
    Call("EdgeList", edges, {}, INDICES),
    Call("RandomPairs", random, {}, {"probability": "number", "seed": "seed"}),
    Call("DistanceRule", distance, {}, {"probability": "function", "within": "positive", "seed": "seed"},
         {"within": {"inf", "1e300"}}),
    Call("probability by distance", probability, {"value": 0.5}, {"value": "number"}, {"value": {"True"}}),
    Call("delay by distance", delay, {"value": 0.001}, {"value": "positive"}, {"value": {"True", "0"}}),
    Call("prior_mean", mean, {"value": 0.1}, {"value": "number"}, {"value": {"True"}}),
    Call("Projection", network, {},
         {"potential": "object", "contacts": "whole", "delay_s": "number", "delay_resolution_s": "positive",
          "prior_mean": "function"},
         {"potential": {"None"}, "prior_mean": {"None"}, "contacts": {"2.0"}}),
    Call("add_neurons", add, {}, {"population": "object", "neurons": "array", "seed": "seed"}),
    Call("AddNeurons", AddNeurons, {"population": "h", "what": [1]}, {"population": "object", "what": "array"},
         {"population": {"text"}}),
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_bad_values_end_in_one_line(call, tally):
    call.function(**call.good)
    wrong = []
    for _, argument, label in call.cases():
        try:
            call.function(**{**call.good, argument: BAD[call.kinds[argument]][label]})
        except SynsampError as error:
            if "\n" in str(error) or len(str(error)) > 400 or "must" not in str(error):
                wrong.append(f"{argument}={label}: {error}")
        except Exception as error:
            wrong.append(f"{argument}={label}: {type(error).__name__}: {str(error)[:80]}")
        else:
            wrong.append(f"{argument}={label}: continued")
    tally("misuses of networks in space", len(call.cases()))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "potential",
    [RandomPairs(1.0), DistanceRule(flat), RandomPairs(1.0, 3)],
    ids=["all", "distance", "seed"],
)
def test_what_is_too_large_is_never_allocated(potential, monkeypatch):
    monkeypatch.setattr(available, "available_bytes", lambda: 10**6)
    tracemalloc.start()
    try:
        with pytest.raises(
            SynsampError, match=r"bytes are wanted, 1,000,000 are available.*would fit"
        ):
            Network(
                [InputGroup("x", 20_000, Plane())],
                [StochasticNeurons("h", 20_000, positions=Plane(seed=1))],
                [Projection("x", "h", plastic=False, potential=potential)],
            )
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 20e6  # some rows of distances; 400 million pairs take 16 GB
