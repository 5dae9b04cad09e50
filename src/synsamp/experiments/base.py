"""What an experiment is: parameters, a run of one seed, measures, claims, a drawing.

An experiment file holds one ``EXPERIMENT``::

    class MyParameters(Parameters):
        temperature: float = Field(1.0, ge=0.0, description="T, the noise temperature")

    def run(parameters, seed):
        return Protocol(...)                       # or a Dataset, or several of either by name

    def measures(parameters, results):
        return {"active_share": float(results["active"].active.mean())}

    EXPERIMENT = Experiment(name="mine", title="…", parameters=MyParameters, run=run,
        measures=measures, claims=[Claim("sparse", "…", "Fig. 1", "active_share", (0.0, 0.3))])

One run simulates one seed. Many seeds are an ensemble; claims are judged over it. ``docs/runs.md``
walks through all of it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import xarray as xr
from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from synsamp.claims import Claim, Value
from synsamp.protocol.context import Context

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}")

Results = Mapping[str, xr.Dataset]
"""Named datasets of one run, read from disk; those of a branch are ``branch/record``."""


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


class GaussianSection(Parameters):
    """Parameters of a Gaussian prior of θ."""

    mean: float = Field(0.5, ge=-10.0, le=10.0, description="μ, mean of the prior of θ")
    std: float = Field(
        1.0, ge=1e-3, le=100.0, description="σ, standard deviation of the prior of θ"
    )


class RunContext(Context, Protocol):
    """What a run that is no protocol may ask for by taking a third argument."""

    @property
    def threads(self) -> int:
        """Threads the run may use. Results must not depend on it."""


@dataclass(frozen=True)
class Experiment:
    """What is run, what it must show, what was assumed.

    ``run(parameters, seed)`` simulates one seed, an integer, and gives a `Protocol`, a Dataset, or
    a mapping of names to protocols, datasets and functions without arguments that give a dataset.
    If it takes a third argument, it gets a `RunContext` (progress, checkpoints). ``analyse``
    (parameters, results) derives further datasets from what was stored; ``measures`` (parameters,
    results) gives the numbers that ``claims`` are judged by. ``draw(parameters, runs)`` draws the
    results of one or many seeds: ``{"A": Figure, "CF": Figure}``; without it records are drawn by
    their kind. ``trials`` says how many seeds a preset runs (1 if it is not named).
    ``requires(parameters)`` refuses, before a folder is made, what this machine lacks: data that
    must be fetched first.

    ``captions`` says per panel, in own words, what the paper's caption states; ``assumptions``
    what the paper leaves open and was decided; ``deviations`` what is known not to match.
    """

    name: str
    title: str
    run: Callable[..., Any]
    summary: str = ""
    alias: str = ""
    parameters: type[Parameters] = Parameters
    presets: Mapping[str, Parameters] = field(default_factory=dict)
    trials: Mapping[str, int] = field(default_factory=dict)
    requires: Callable[[Any], None] | None = None
    analyse: Callable[[Any, Results], Results] | None = None
    measures: Callable[[Any, Results], Mapping[str, Value]] | None = None
    claims: Sequence[Claim] = ()
    draw: Callable[[Any, Sequence[Results]], dict[str, Any]] | None = None
    captions: Mapping[str, str] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    deviations: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise ValueError(f"name must be letters, digits and _, got {self.name!r}")
        if not self.presets:
            object.__setattr__(self, "presets", {"quick": self.parameters()})
        for name, preset in self.presets.items():
            if type(preset) is not self.parameters:
                raise ValueError(f"{self.name}: preset {name} must be a {self.parameters.__name__}")
        for name in self.trials:
            if name not in self.presets:
                raise ValueError(f"{self.name}: trials names no preset: {name!r}")
        ids = [claim.id for claim in self.claims]
        if len(set(ids)) < len(ids):
            raise ValueError(f"{self.name}: two claims have one id")

    @property
    def takes_context(self) -> bool:
        """Whether ``run`` has a third argument."""
        return len(inspect.signature(self.run).parameters) > 2
