"""What an experiment consists of: parameters, a run of one seed, measures, claims, figures.

An experiment file defines ``EXPERIMENT``::

    class MyParameters(Parameters):
        temperature: float = Field(1.0, ge=0.0, description="T, the noise temperature")

    def run(parameters, seed):
        return Protocol(...)                       # or a Dataset, or several of either by name

    def active_share(parameters, results):
        return float(results["active"].active.mean())

    EXPERIMENT = Experiment(name="mine", title="…", parameters=MyParameters, run=run,
        measures=[active_share],
        claims=[Claim("sparse", "…", "Fig. 1", measure="active_share", band=(0.0, 0.3))])

One run simulates one seed. Many seeds form an ensemble, over which claims are judged.
``docs/experiments.md`` explains each part.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import xarray as xr
from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from synsamp.claims import Claim, Measure, Value, with_limits
from synsamp.claims.declared import check_declared, evaluate
from synsamp.protocol.context import Context

if TYPE_CHECKING:  # slow imports
    from matplotlib.figure import Figure

    from synsamp import protocol

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}")

Results = Mapping[str, xr.Dataset]
"""Named datasets of one run, read from disk; those of a branch are ``branch/record``."""
Runnable: TypeAlias = "protocol.Protocol | xr.Dataset | Callable[[], xr.Dataset]"
"""What ``run`` may return, alone or by name."""


class Parameters(BaseModel):
    """Base of every parameter class and section: frozen, no unknown keys, finite numbers only.

    Give each field bounds (``ge``, ``le``), a unit in its name and a ``description``: bad input
    then raises an error of one line, and the report can explain the value. Sections are fields
    whose type is again a ``Parameters`` class, set by ``--set rule.temperature=4``.
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
    """Parameters of a Gaussian prior of θ.

    Parameters
    ----------
    mean : float
        Mean of θ.
    std : float
        Standard deviation of θ.
    """

    mean: float = Field(0.5, ge=-10.0, le=10.0, description="μ, mean of the prior of θ")
    std: float = Field(
        1.0, ge=1e-3, le=100.0, description="σ, standard deviation of the prior of θ"
    )


class RunContext(Context, Protocol):
    """What ``run`` gets as its third argument, for experiments that are not protocols."""

    @property
    def threads(self) -> int:
        """Threads the run may use. Results must not depend on it."""


@dataclass(frozen=True)
class Experiment:
    """An experiment: what is run, what it measures, and what it claims.

    Parameters
    ----------
    name
        Letters, digits and ``_``.
    title
        Heading of the report.
    run
        ``run(parameters, seed)`` simulates one seed, an integer. It returns a `Protocol`, a
        Dataset, or a mapping of names to protocols, datasets and functions without arguments that
        return a dataset. If it takes a third argument, it gets a `RunContext` (progress,
        checkpoints).
    summary
        One sentence on what is done.
    alias
        A second name on the command line.
    parameters
        Class of the parameters.
    presets
        Sets of parameters by name; without it, ``quick`` has the defaults.
    trials
        How many seeds a preset runs; 1 if it is not named.
    requires
        ``requires(parameters)`` raises an error, before a folder is made, if this machine lacks
        something, such as data that must be downloaded first.
    analyse
        ``analyse(parameters, results)`` derives further datasets from the stored ones. Put costly
        intermediate results here, so that measures are cheap.
    measures
        Functions of ``(parameters, results)`` or ``(parameters, results, branch)``. Each returns a
        number, whether something happened, or a `Ratio`, and is named by its function. Annotate a
        share with ``-> Share``, so that its interval stays between 0 and 1; see also
        `Correlation`, `Amount`, `Portion` and `Multiple`. Claims say in which branches a measure is
        taken.
    claims
        What the measures must show over seeds.
    also_measured
        Measures that no claim uses but that pages or figures show, as ``"name"`` or
        ``"name@branch"``. They are left out of runs without that branch.
    draw
        ``draw(parameters, runs)`` draws the results of one or many seeds,
        ``{"A": Figure, "CF": Figure}``; without it, records are drawn by their kind.
    captions
        What each panel shows.
    assumptions
        What the paper leaves open, and how it was decided.
    deviations
        Where the experiment is known to differ from the paper.
    """

    name: str
    title: str
    run: Callable[..., Runnable | Mapping[str, Runnable]]
    summary: str = ""
    alias: str = ""
    parameters: type[Parameters] = Parameters
    presets: Mapping[str, Parameters] = field(default_factory=dict)
    trials: Mapping[str, int] = field(default_factory=dict)
    requires: Callable[..., None] | None = None
    analyse: Callable[..., Results] | None = None
    measures: Sequence[Measure] = ()
    claims: Sequence[Claim] = ()
    also_measured: Sequence[str] = ()
    draw: Callable[..., Mapping[str, Figure]] | None = None
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
        check_declared(self.measures, self.claims, self.also_measured)
        object.__setattr__(self, "claims", with_limits(self.claims, self.measures))

    def applicable_claims(self, parameters: Any) -> list[Claim]:
        """Return the claims that apply to a run with these parameters (`Claim.needs`)."""
        return [claim for claim in self.claims if claim.needs is None or claim.needs(parameters)]

    def measure(self, parameters: Any, results: Results) -> dict[str, Value]:
        """Return the measures of one run by their keys (`synsamp.claims.measure_key`)."""
        claims = self.applicable_claims(parameters)
        return evaluate(self.measures, claims, self.also_measured, parameters, results)

    @property
    def takes_context(self) -> bool:
        """Whether ``run`` has a third argument."""
        return len(inspect.signature(self.run).parameters) > 2
