"""Figure 3: spine motility as synaptic sampling.

One parameter θ stands for a connection: θ > 0 functional with efficacy w = exp(θ − θ0), θ <= 0
retracted. Traces and lifetimes come from the circuit of Fig. 4, watched for days at b = 1e-4 and
for weeks at b = 1e-6; the law without activity from the same circuit without spikes.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import numpy as np
import xarray as xr
from pydantic import Field, model_validator

from synsamp.experiments.base import (
    Claim,
    Experiment,
    Parameters,
    Repeats,
    Results,
    RunContext,
    Seeds,
    State,
)
from synsamp.experiments.motility.claims import judge
from synsamp.experiments.motility.free import Free, run_free
from synsamp.experiments.motility.job import WatchJob, WatchPlan, unpack
from synsamp.experiments.motility.measures import (
    binned_slope,
    change_by_size,
    change_slope,
    dip,
    exponential,
    occupancy_counts,
    power_law,
    scaling,
    survival,
)
from synsamp.experiments.shared.digit_circuit import (
    N_PIXELS,
    CircuitSection,
    DigitStimulus,
    InputSection,
    RuleSection,
    Source,
    check_digits,
    require_an_end,
    training_digits,
)
from synsamp.experiments.shared.limits import MOST_NUMBERS, require_at_most

SPEEDS = ("fast", "slow")
SIZE_EDGES = np.linspace(-4.5, 1.0, 23)
HELD_WEIGHT = 0.5
"""Above about this weight the likelihood holds a connection: it does not wander any more."""
N_DRAWN = 4


class WatchSection(Parameters):
    """How a circuit is watched at one speed."""

    b: float = Field(ge=1e-12, le=1e-2, description="b, speed of sampling, 1/s")
    tracked_s: float = Field(ge=1.0, le=1e9, description="how long it is watched")
    grid_s: float = Field(ge=0.1, le=1e7, description="between two records")
    look_every_s: float = Field(ge=0.1, le=1e8, description="grid of the survival curve")
    new_within_s: float = Field(ge=0.1, le=1e8, description="new: not active so long before")

    @model_validator(mode="after")
    def _fits(self) -> WatchSection:
        for name, part, whole in (
            ("look_every_s", self.look_every_s, self.grid_s),
            ("new_within_s", self.new_within_s, self.look_every_s),
            ("tracked_s", self.tracked_s, self.look_every_s),
        ):
            if abs(part / whole - round(part / whole)) > 1e-9 or part < whole:
                of = "grid_s" if name == "look_every_s" else "look_every_s"
                raise ValueError(f"{name} must be a multiple of {of} = {whole:g} s")
        if self.tracked_s < 2 * self.new_within_s:
            raise ValueError("tracked_s must be at least twice new_within_s")
        return self


class MotilityParameters(Parameters):
    """What can be set."""

    seeds: int = Field(8, ge=1, le=1000, description="independent circuits")
    settle_s: float = Field(20000.0, ge=1.0, le=1e8, description="learning before it is watched")
    fast: WatchSection = WatchSection(
        b=1e-4, tracked_s=259200.0, grid_s=144.0, look_every_s=1440.0, new_within_s=43200.0
    )
    slow: WatchSection = WatchSection(
        b=1e-6, tracked_s=1209600.0, grid_s=14400.0, look_every_s=14400.0, new_within_s=43200.0
    )
    digits: tuple[Annotated[int, Field(ge=0, le=9)], ...] = Field(
        (1, 2), min_length=1, max_length=10, description="digits shown"
    )
    data: Source = Field("embedded", description="embedded (ones and twos) or mnist (all digits)")
    rule: RuleSection = RuleSection()
    circuit: CircuitSection = CircuitSection()
    input: InputSection = InputSection()

    @model_validator(mode="after")
    def _fits(self) -> MotilityParameters:
        if self.slow.b >= self.fast.b:
            raise ValueError("slow.b must be below fast.b")
        if abs(self.slow.grid_s * self.slow.b / (self.fast.grid_s * self.fast.b) - 1) > 1e-6:
            raise ValueError("grid_s · b must be the same for fast and slow, to compare them")
        if self.fast.tracked_s / self.fast.grid_s < self.slow.tracked_s / self.slow.grid_s:
            raise ValueError("fast must be tracked for as many grid points as slow")
        if self.rule.T == 0 or self.rule.b != self.fast.b:
            raise ValueError("rule.T must be > 0 and rule.b must equal fast.b")
        try:
            check_digits(set(self.digits), self.data)
        except ValueError as error:
            raise ValueError(f"digits {error}") from None
        watched = [self.fast, self.slow]
        seconds = self.seeds * sum(self.settle_s + watch.tracked_s for watch in watched)
        require_an_end(seconds, self.circuit, self.input)
        points = sum(watch.tracked_s / watch.grid_s for watch in watched)
        synapses = self.circuit.neurons * N_PIXELS
        require_at_most("numbers in memory", self.seeds * points * synapses, 4 * MOST_NUMBERS)
        return self


def run(p: MotilityParameters, context: RunContext) -> Results:
    """Watch all circuits at both speeds, then measure."""
    order = [(name, number) for name in reversed(SPEEDS) for number in range(p.seeds)]
    makers = [partial(_job, p, context.seed_for, name, number) for name, number in order]
    ended = context.run_jobs("watching connections", makers)
    plans = {name: _plan(p, name) for name in SPEEDS}
    n_inputs = plans["fast"].n_inputs
    tables = {
        name: [e["tables"] for e, (n, _) in zip(ended, order, strict=True) if n == name]
        for name in SPEEDS
    }
    n_synapses = p.circuit.neurons * n_inputs
    states = {
        name: [unpack(np.asarray(t["active"]), n_synapses) for t in tables[name]] for name in SPEEDS
    }
    free = run_free(p.rule, p.circuit, n_inputs, context.seed_for("free"))
    results = {f"survival_{name}": _survival(getattr(p, name), states[name]) for name in SPEEDS}
    window = round(p.slow.new_within_s / p.slow.grid_s)
    results["scaling"] = scaling(
        states["fast"], states["slow"], p.fast.grid_s, p.slow.grid_s, window
    )
    results["changes"] = _changes(p, tables, free)
    results["populations"] = _populations(states["fast"], free)
    results["free"] = _free(p, free)
    results["traces"] = _traces(p, plans["fast"], tables["fast"][0])
    for name in SPEEDS:
        results[f"active_{name}"] = xr.Dataset(
            {
                "packed": (
                    ("seed", "time", "byte"),
                    np.stack([np.asarray(t["active"]) for t in tables[name]]),
                    {"description": "bit per synapse, most significant first: 1 is active"},
                )
            },
            coords={"time": np.arange(plans[name].points + 1) * plans[name].grid_s},
            attrs={"n_synapses": n_synapses},
        )
    return results


def _job(
    p: MotilityParameters, seed_for: Seeds, name: str, number: int, state: State | None
) -> WatchJob:
    return WatchJob(_plan(p, name), seed_for, name, number, state)


def _plan(p: MotilityParameters, speed: str) -> WatchPlan:
    watch: WatchSection = getattr(p, speed)
    source = training_digits(p.data)
    return WatchPlan(
        b=watch.b,
        settle_b=p.fast.b,
        settle_s=p.settle_s,
        grid_s=watch.grid_s,
        points=round(watch.tracked_s / watch.grid_s),
        pair_steps=(1, round(p.fast.look_every_s / p.fast.grid_s)),
        stimulus=DigitStimulus(source, tuple(sorted(set(p.digits))), p.input),
        n_inputs=int(np.prod(source.images.shape[1:])),
        rule=p.rule,
        circuit=p.circuit,
    )


def _survival(watch: WatchSection, states: Any) -> xr.Dataset:
    every = round(watch.look_every_s / watch.grid_s)
    window = round(watch.new_within_s / watch.look_every_s)
    found = survival(states, watch.grid_s, every, window)
    time_s = np.geomspace(watch.look_every_s / 3, watch.tracked_s, 200)
    return found.assign(
        fit_time=("fit", time_s, {"units": "s"}),
        power_law=("fit", power_law(found, time_s)),
        exponential=("fit", exponential(found, time_s)),
    )


def _changes(p: MotilityParameters, tables: Any, free: Free) -> xr.Dataset:
    """How changes of w depend on w, at both speeds and without activity."""
    theta_0 = p.rule.theta_0
    slopes, spreads = [], []
    for name in SPEEDS:
        starts = [np.asarray(t["start"], float).ravel() for t in tables[name]]
        laters = [np.asarray(t["later"], float).reshape(2, -1) for t in tables[name]]
        slopes.append(
            [
                [change_slope(start, row, theta_0) for row in later]
                for start, later in zip(starts, laters, strict=True)
            ]
        )
        first = np.concatenate([later[0] for later in laters])
        spreads.append(change_by_size(np.concatenate(starts), first, theta_0, SIZE_EDGES))
    middles = (SIZE_EDGES[1:] + SIZE_EDGES[:-1]) / 2
    smaller = [binned_slope(middles, s, np.exp(-theta_0), HELD_WEIGHT) for s in spreads]
    steps = np.array([1, round(p.fast.look_every_s / p.fast.grid_s)])
    grids = np.array([getattr(p, name).grid_s for name in SPEEDS])
    return xr.Dataset(
        {
            "slope": (("speed", "seed", "window"), np.array(slopes)),
            "window_s": (("speed", "window"), grids[:, None] * steps, {"units": "s"}),
            "spread": (("speed", "size"), np.array(spreads)),
            "smaller_slope": ("speed", smaller),
            "free_slope": ((), change_slope(free.theta[-1], free.shortly_after, theta_0)),
        },
        coords={
            "speed": list(SPEEDS),
            "log_weight": ("size", middles),
        },
        attrs={"free_window_s": free.short_s},
    )


def _populations(states: Any, free: Free) -> xr.Dataset:
    counts = np.stack([occupancy_counts(one) for one in states])
    alone = occupancy_counts(free.theta > 0)
    whole = np.array([one.all(axis=0).sum() / one[0].sum() for one in states])
    return xr.Dataset(
        {
            "count": (("seed", "tenth"), counts),
            "dip": ("seed", [dip(row) for row in counts]),
            "free_count": ("tenth", alone),
            "free_dip": ((), dip(alone)),
            "persistent": ("seed", whole, {"description": "share active from first to last"}),
        },
        coords={"share": ("tenth", (np.arange(len(alone)) + 0.5) / len(alone))},
    )


def _free(p: MotilityParameters, free: Free) -> xr.Dataset:
    last = free.theta[-1]
    estimate = free.estimate
    return xr.Dataset(
        {
            "theta": ("synapse", last.astype(np.float32)),
            "law_p": ((), free.law_p),
            "log_normal_p": ((), free.log_normal_p),
            "mean": ((), estimate.mean),
            "mean_error": ((), estimate.mean_error),
            "spread": ((), estimate.spread),
            "spread_error": ((), estimate.spread_error),
            "noise": ((), estimate.noise, {"units": "1/s"}),
            "noise_error": ((), estimate.noise_error, {"units": "1/s"}),
        }
    )


def _traces(p: MotilityParameters, plan: WatchPlan, table: Any) -> xr.Dataset:
    """θ of some synapses of the first circuit.

    Among 200 drawn at random, the first four active at more than 95 % of the grid points and the
    first four that came and went, active at 5 to 50 %.
    """
    trace = np.asarray(table["trace"])
    share = (trace > 0).mean(axis=0)
    persistent = np.flatnonzero(share > 0.95)[:N_DRAWN]
    transient = np.flatnonzero((share > 0.05) & (share < 0.5))[:N_DRAWN]
    chosen = np.concatenate([persistent, transient])
    return xr.Dataset(
        {
            "theta": (("time", "trace"), trace[:, chosen]),
            "persistent": ("trace", np.arange(chosen.size) < persistent.size),
            "synapse": ("trace", np.asarray(table["traced"])[chosen]),
        },
        coords={"time": ("time", np.arange(plan.points + 1) * plan.grid_s, {"units": "s"})},
    )


def claims(p: MotilityParameters, results: Results) -> list[Claim]:
    """Judge what the paper says about Fig. 3."""
    return list(judge(p, results))


PAPER = MotilityParameters()
QUICK = MotilityParameters(
    seeds=2,
    settle_s=4000.0,
    fast=WatchSection(
        b=1e-4, tracked_s=10000.0, grid_s=20.0, look_every_s=100.0, new_within_s=2000.0
    ),
    slow=WatchSection(
        b=1e-6, tracked_s=40000.0, grid_s=2000.0, look_every_s=2000.0, new_within_s=4000.0
    ),
)


def draw(parameters: MotilityParameters, results: Results) -> dict[str, Any]:
    """Draw the stored results; what draws is loaded only then, not where a run is computed."""
    from synsamp.experiments.motility import figures

    return figures.draw(parameters, results)


EXPERIMENT = Experiment(
    name="motility",
    alias="fig3",
    title="Spine motility as synaptic sampling",
    summary="One parameter per connection for its existence and its strength: how connections "
    "come, go and last, over days and weeks.",
    parameters=MotilityParameters,
    presets={"quick": QUICK, "paper": PAPER},
    run=run,
    claims=claims,
    draw=draw,
    captions={
        "A": "One parameter θ for a connection: above 0 it is functional, below it is retracted "
        "and may grow back.",
        "B": "The Gaussian prior, and θ of single synapses of the learning circuit: some are "
        "stable, others come and go.",
        "C": "The exponential function maps θ to the efficacy w; retracted connections lie near 0.",
        "D": "The prior in w is log-normal. The traces of B in w: only persistent connections have "
        "substantial efficacies.",
        "E": "Survival of newly formed connections for the larger b, with a power law and an "
        "exponential fitted; the band is Kaplan–Meier's 95 %.",
        "F": "The same for the smaller b.",
        "S": "What supports the claims and is not in the paper's figure: survival at both b falls "
        "together when time is counted in 1/b; changes of w grow in proportion to w until the "
        "likelihood holds the largest; connections are nearly always there or seldom.",
    },
    assumptions=(
        "The circuit sees ones and twos throughout; the paper's three phases are too short for "
        "survival over days.",
        "New: active at a grid point and not active 12 h before (2,000 s and 4,000 s in the quick "
        "preset, which watches for hours). Survival: active at every later grid point. Grid: "
        "24 min over 3 days for b = 1e-4, 4 h over 14 days for b = 1e-6.",
        "Connections still there at the end are right-censored (Kaplan–Meier, and in the fits).",
        "Power law: S(t) = (1 + t/τ)^−γ, which starts at 1; compared with exp(−t/τ) by AIC.",
        "At b = 1e-6 the circuit starts from one that has settled at b = 1e-4: the stationary law "
        "does not depend on b.",
        "Two populations: in tenths of time active, the emptiest inner tenth holds less than half "
        "of the smaller outer tenth.",
    ),
    repeats=Repeats("seeds", "seed"),
    deviations=(
        "The prior's gradient is (μ − θ)/σ²; the paper prints the opposite sign.",
        "Changes of w are proportional to w where prior and noise rule. The likelihood holds the "
        "largest weights, so over all active connections of the learning circuit and windows of "
        "b Δt = 0.01 or more the slope is below 1 (docs/motility.md).",
    ),
)
