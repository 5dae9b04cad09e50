"""What an experiment is: parameters, a run, claims. Everything else is generated from these.

An experiment file holds one module-level ``EXPERIMENT`` built from the classes here::

    class Rule(Parameters):
        temperature: float = Field(1.0, ge=0.0, description="T, the noise temperature")

    class ToyParameters(Parameters):
        steps: int = Field(1000, ge=1, le=10**9, description="steps of the sampler")
        rule: Rule = Rule()

    def run(parameters, context):
        rng = np.random.default_rng(context.seed_for("path"))
        ...
        return {"path": xr.Dataset(...)}

    def claims(parameters, results):
        return [Claim("mean", "The path stays near 0", "Fig. 1F", value, (-0.1, 0.1))]

    EXPERIMENT = Experiment(name="toy", ..., run=run, claims=claims, draw=draw)

and is listed in ``synsamp.experiments.registry`` by name. Its drawing stands beside it, in
``figures.py``, as ``draw(parameters, results) -> {"A": Figure, "CF": Figure}`` and never computes.
``docs/runs.md`` walks through all of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import xarray as xr
from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator

Results = Mapping[str, xr.Dataset]
"""Named datasets. ``run`` returns them; ``claims`` and ``draw`` get them read back from disk."""

Band = tuple[float | None, float | None]
"""Lowest and highest value at which a claim holds; ``None`` leaves that side open."""

State = Mapping[str, Any]
"""A checkpoint: arrays, numbers (integers of any size), strings, booleans, None and nested
mappings with string keys. Nothing is pickled."""


class Parameters(BaseModel):
    """Base of every parameter class and section: frozen, no unknown keys, finite numbers only.

    Give each field a bound (``ge``, ``le``), a unit in its name and a ``description``: bad input
    is then refused in one line, and the report can explain the value. Sections are fields whose
    type is again a ``Parameters`` class, set by ``--set rule.temperature=4``.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, validate_default=True
    )

    @field_validator("*", mode="before")
    @classmethod
    def _truth_is_no_number(cls, value: Any, info: ValidationInfo) -> Any:
        kind = cls.model_fields[str(info.field_name)].annotation
        if isinstance(value, bool) and kind in (int, float):
            raise ValueError("must be a number, not true or false")
        return value


@dataclass(frozen=True)
class Claim:
    """One statement of the paper with the value measured and the band it must fall in."""

    id: str
    statement: str
    where: str
    value: float
    band: Band
    unit: str = ""
    detail: str = ""

    def __post_init__(self) -> None:
        lowest, highest = self.band
        if lowest is None and highest is None:
            raise ValueError(f"claim {self.id!r}: a band open on both sides cannot fail")
        if lowest is not None and highest is not None and not lowest <= highest:
            raise ValueError(f"claim {self.id!r}: band must be (low, high), got {self.band!r}")

    @property
    def holds(self) -> bool:
        """True if the value lies in the band; a value that is not finite never does."""
        lowest, highest = self.band
        return (
            math.isfinite(self.value)
            and (lowest is None or lowest <= self.value)
            and (highest is None or self.value <= highest)
        )


class ProgressBar(Protocol):
    """One line of progress."""

    def advance(self, amount: float = 1.0) -> None:
        """Add to what is done; on resume, advance once by what the checkpoint already holds."""


@dataclass(frozen=True)
class Column:
    """One recorded quantity of a stream: its dtype and its named dimensions after the first."""

    dtype: str
    dimensions: Mapping[str, int] = field(default_factory=dict)
    unit: str = ""
    description: str = ""


class Stream(Protocol):
    """A table in the results that grows while the run goes on; memory stays bounded."""

    def append(self, **columns: Any) -> None:
        """Add rows: one array per column, all with the same first length."""

    def __len__(self) -> int: ...


class Checkpoints(Protocol):
    """Where a long run leaves what it needs to go on bit for bit after being killed."""

    def load(self) -> State | None:
        """Return the newest intact state, or None on a fresh start. Call before ``stream``."""

    def due(self) -> bool:
        """Return True when enough wall time has passed that a ``save`` is worth its cost."""

    def save(self, state: State) -> None:
        """Write the state and the present length of every stream as one atomic step."""


class Job(Protocol):
    """One simulation among several that share nothing but the code.

    It goes on in short steps and can give away all it needs to continue, so that the jobs of a
    run give the same bits on any number of workers and after any stop.
    """

    @property
    def work(self) -> float:
        """What all its steps add up to."""

    @property
    def done(self) -> float:
        """How much of it is done."""

    def step(self) -> None:
        """Go on for a second of wall time or less."""

    def state(self) -> State:
        """A copy of all that is needed to go on, results so far included."""


Seeds = Callable[..., np.random.SeedSequence]
"""``seeds("trial", 3)``; see `RunContext.seed_for`."""

Maker = Callable[[State | None], Job]
"""Makes a job from the start (None) or from a state.

It is sent to another process: a ``functools.partial`` of a function of a module, over parameters
and numbers rather than over arrays.
"""


class RunContext(Protocol):
    """All that a run may ask of the outside; randomness, progress, workers, disk."""

    @property
    def threads(self) -> int:
        """Threads the run may use. Results must not depend on it."""

    @property
    def checkpoint(self) -> Checkpoints:
        """The checkpoints of this run."""

    @property
    def seed_for(self) -> Seeds:
        """Gives the seed of a named part of the run, e.g. ``seed_for("trial", 3)``.

        It depends on the run's seed and the key alone, never on the order of calls: a resumed
        run, a run on other workers and a run with more parts get the same draws.
        """

    def run_jobs(self, description: str, makers: Sequence[Maker]) -> list[State]:
        """Run jobs on all workers and return their last states, in order.

        Each job leaves its state on disk about every 20 s of wall time, so a run that uses this
        needs no checkpoint of its own.
        """

    def progress(self, description: str, total: float) -> AbstractContextManager[ProgressBar]:
        """Show a progress bar for the body of a ``with``."""

    def stream(self, name: str, columns: Mapping[str, Column], dimension: str) -> Stream:
        """Open a stream; its dataset is added to the results under ``name``.

        ``dimension`` names the axis that grows. After a resume the stream holds exactly the rows
        it held when the loaded checkpoint was saved, so the run appends as if never stopped.
        About a megabyte per column is held in memory (and is part of each checkpoint).
        """


@dataclass(frozen=True)
class Repeats:
    """An experiment that repeats itself within one run: by which parameter, along which dimension.

    Where trials are counted outside (``--trials``), each of them has this parameter at 1.
    """

    parameter: str
    dimension: str


@dataclass(frozen=True)
class Experiment:
    """One figure of the paper: what is run, what it must show, what was assumed.

    ``draw`` returns figures by panel: a key such as "A" or "CF" names the panels that are drawn in
    it, and the report puts their captions beside it. ``captions`` says per panel, in own words,
    what the paper's caption states; ``assumptions`` what the paper leaves open and was decided;
    ``deviations`` what is known not to match.
    """

    name: str
    alias: str
    title: str
    summary: str
    parameters: type[Parameters]
    presets: Mapping[str, Parameters]
    run: Callable[[Any, RunContext], Results]
    claims: Callable[[Any, Results], Sequence[Claim]]
    draw: Callable[..., dict[str, Any]] | None = None
    captions: Mapping[str, str] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    deviations: tuple[str, ...] = ()
    repeats: Repeats | None = None

    def __post_init__(self) -> None:
        if set(self.presets) != {"quick", "paper"}:
            raise ValueError(f"{self.name}: presets must be quick and paper")
        for name, preset in self.presets.items():
            if type(preset) is not self.parameters:
                raise ValueError(f"{self.name}: preset {name} must be a {self.parameters.__name__}")
        if self.repeats is not None and self.repeats.parameter not in self.parameters.model_fields:
            raise ValueError(f"{self.name}: repeats names no parameter: {self.repeats.parameter!r}")
