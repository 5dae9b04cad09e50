"""Every parameter of every experiment is bounded, and every accepted run ends."""

from __future__ import annotations

import types
import typing

import annotated_types
import pytest
from pydantic import BaseModel

from synsamp.errors import SynsampError
from synsamp.experiments.registry import REGISTRY
from synsamp.runs.ensembles.plan import describe_ensemble
from synsamp.runs.execute import describe_run, execute

EXPERIMENTS = [entry.load() for entry in REGISTRY]


def open_ends(annotation, marks, name):
    """Yield what a type leaves unbounded: an end of a number, the length of a tuple or text."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        yield from open_ends(inner[0], [*marks, *inner[1:]], name)
    elif origin in (typing.Union, types.UnionType):
        for kind in inner:
            yield from open_ends(kind, marks, name)
    elif origin is typing.Literal or annotation in (bool, type(None)):
        return
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for field, info in annotation.model_fields.items():
            yield from open_ends(info.annotation, info.metadata, f"{name}.{field}")
    elif annotation in (int, float):
        marks = [*marks, *(m for mark in marks for m in getattr(mark, "metadata", ()))]
        for ends in (
            (annotated_types.Ge, annotated_types.Gt),
            (annotated_types.Le, annotated_types.Lt),
        ):
            if not any(isinstance(mark, ends) for mark in marks):
                yield f"{name} has no {ends[0].__name__}"
    elif annotation is str or (origin is tuple and Ellipsis in inner):
        if not any(isinstance(mark, annotated_types.MaxLen) for mark in marks):
            yield f"{name} has no greatest length"
        if inner:
            yield from open_ends(inner[0], [], f"{name}[]")
    elif origin is tuple:
        for kind in inner:
            yield from open_ends(kind, [], f"{name}[]")
    else:
        yield f"{name} has a type that this test does not know: {annotation}"


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.name)
def test_every_number_has_a_lowest_and_a_highest_value(experiment):
    assert sorted(set(open_ends(experiment.parameters, [], experiment.name))) == []


MANY = ",".join(str(T) for T in range(50))


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("fig1", ["rule.dt=1e-300"]),
        ("fig1", ["rule.dt=1e-4", "chains=1024", "chain_time=1e5"]),
        ("fig1", ["chains=1024", "chain_time=1e5"]),
        ("fig1", ["rule.speed=1e-300"]),
        ("fig1", ["peaks.heights=1e300,1,1,1"]),
        ("theorem1", ["copies=1000000", "relaxations=50", "dt=1e-4"]),
        ("theorem1", ["batch=100", "copies=100000", "online_dt=1e-5"]),
        ("fig2", ["training_images=1000", "learning.updates=100000000"]),
        ("fig2x", ["machine.hidden_units=20", "evaluations=1000", f"temperatures={MANY}"]),
        ("fig2x", ["machine.cycles=1000", "learning.updates=100000000"]),
        ("fig3", ["fast.record_every_s=1e-300", "fast.session_every_s=1e-300"]),
        ("fig3", ["settle_s=1e8"]),
        ("fig3", ["circuit.neurons=1000", "slow.tracked_s=1e6", "fast.tracked_s=1e6"]),
        ("fig4", ["phase_s=1000000000"]),
        ("fig4", ["input.digit_s=1e-300"]),
        ("fig4", ["phases=1@1e9;1", "phase_s=1e9"]),
        ("fig4", ["phases=/dev/zero"]),
        ("fig5", ["schedule.learning_s=99999900"]),
        ("fig5", ["input.padding_s=1e-300"]),
        ("fig5", ["test.blocks=50", "test.block_s=1e5"]),
        ("patterns", ["learning_s=1e7", "population=1000", "cues.inputs=10000"]),
        ("patterns", ["learning_s=55"]),
        ("lever", ["schedule.learning_s=1e7", "wiring.hidden=1000", "wiring.motor=1000"]),
        ("lever", ["schedule.random_s=30"]),
        ("sheet", ["schedule.settle_s=1e7", "network.excitatory=100000"]),
        ("sheet", ["schedule.after_s=55"]),
        ("sheet", ["lesion_mm=0.5"]),
        ("sheet", ["network.reach_mm=0.01", "network.excitatory=100"]),
        ("rewiring", ["epochs=1000", "digits.training=11000", "hidden=2000,2000", "batch=10000"]),
        ("rewiring", ["digits.training=12000", "digits.test=1000"]),
        ("ensemble", ["samples=1000", "steps_between=1000000", "batch=10000"]),
    ],
)
def test_a_run_without_end_raises_an_error_of_one_line(name, settings):
    experiment = REGISTRY.find(name).load()
    with pytest.raises(SynsampError, match=r"must .*, got ") as caught:
        describe_run(experiment, "quick", settings)
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.name)
def test_there_is_room_above_the_paper(experiment):
    """Four times as many seeds as in the paper's preset must be possible."""
    describe_ensemble(experiment, 4 * experiment.trials["paper"], preset="paper")


def test_a_landscape_whose_chains_never_mix_raises_an_error(tmp_path):
    experiment = REGISTRY.find("fig1").load()
    settings = ["peaks.centres=[[-3,-3],[3,3]]", "peaks.widths=0.2,0.2", "peaks.heights=1,1"]
    with pytest.raises(SynsampError, match="must let chains move between the peaks"):
        execute(experiment, tmp_path / "a", settings=settings)
