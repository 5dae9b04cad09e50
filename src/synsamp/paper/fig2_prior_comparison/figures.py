"""Figures beyond Fig. 2: likelihood of test images by prior and temperature, generated digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from synsamp.experiments.base import Results
from synsamp.figures.montage import montage, show
from synsamp.figures.style import BLUE, CYCLE, GRAY, GREEN, ORANGE, SKY, YELLOW
from synsamp.paper.fig2_prior_comparison.measures import typical_table
from synsamp.paper.fig2_prior_comparison.parameters import ComparisonParameters

NAMES = {
    "gaussian": "Gaussian",
    "laplace": "Laplace",
    "student_t": "Student t",
    "narrow_gaussian": "narrow Gaussian",
}
COLD_TO_HOT = (SKY, BLUE, GREEN, YELLOW, ORANGE)


def draw(parameters: ComparisonParameters, runs: Sequence[Results]) -> dict[str, Figure]:
    """Draw A by prior and temperature, B during learning, C generated digits."""
    trials = xr.concat([run["learning"].load() for run in runs], "trial")
    figure = Figure(figsize=(7.0, 6.4))
    parts: Any = figure.subfigures(2, 1, height_ratios=[1.15, 1.0])
    top, bottom = parts
    by_prior, over_time = top.subplots(1, 2, width_ratios=[1.25, 1.0])
    _by_prior(by_prior, typical_table(trials))
    temperature = min(parameters.temperatures, key=lambda T: abs(T - 1.0))
    _over_time(over_time, trials, temperature)
    _digits(bottom, runs[0]["example"], temperature)
    return {"ABC": figure}


def _name(prior: str) -> str:
    return NAMES.get(prior, prior)


def _at(dataset: Any, temperature: float) -> Any:
    """Indices of the priors at this temperature, without controls."""
    return np.flatnonzero(
        (dataset.temperature.values == temperature) & (dataset.control.values == "")
    )


def _surprise(axes: Any) -> None:
    """Logarithmic axis of −log p, best on top, because it is unbounded without a prior."""
    axes.set_yscale("log")
    axes.invert_yaxis()
    axes.yaxis.set_major_locator(MaxNLocator(nbins=8, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"−{v:g}"))
    axes.yaxis.set_minor_locator(MaxNLocator(1))
    axes.yaxis.set_minor_formatter("")
    axes.grid(axis="y", color=GRAY, alpha=0.2, lw=0.6)
    axes.set_ylabel("test log-likelihood / nats")


def _by_prior(axes: Any, table: Any) -> None:
    temperatures = table.temperature.values
    places = np.arange(table.sizes["prior"])
    for k, T in enumerate(temperatures):
        values = -table.sel(temperature=T)
        shift = 0.16 * (k - (len(temperatures) - 1) / 2)
        colour = COLD_TO_HOT[k % len(COLD_TO_HOT)]
        axes.errorbar(
            places + shift, values.mean("trial"), values.std("trial"), fmt="o", ms=5, capsize=2,
            color=colour, elinewidth=1.1, label=f"T = {T:g}",
        )  # fmt: skip
    _surprise(axes)
    axes.set(xticks=places)
    names = [_name(str(prior)) for prior in table.prior.values]
    axes.set_xticklabels(names, rotation=25, ha="right", rotation_mode="anchor")
    axes.set_title(f"A   second half, trials: {table.sizes['trial']}")
    axes.legend(loc="lower right", handletextpad=0.2)


def _over_time(axes: Any, trials: Any, temperature: float) -> None:
    chosen = trials.isel(branch=_at(trials, temperature))
    for colour, v in zip(CYCLE, range(chosen.sizes["branch"]), strict=False):
        one = chosen.isel(branch=v, update=slice(1, None))
        mean = -one.test_log_likelihood.mean("trial")
        axes.plot(one["update"], mean, color=colour, label=_name(str(one.prior.values)))
    axes.set(xscale="log", xlabel="updates", xlim=(10, float(trials["update"][-1])))
    _surprise(axes)
    axes.set_title(f"B   during learning, T = {temperature:g}")
    axes.legend(loc="lower right")


def _digits(figure: Any, example: Any, temperature: float) -> None:
    chosen = example.isel(branch=_at(example, temperature))
    all_axes = figure.subplots(chosen.sizes["branch"], 1, squeeze=False)[:, 0]
    for v, axes in enumerate(all_axes):
        one = chosen.isel(branch=v)
        show(axes, montage(one.generated_probability.values[:16], 16))
        axes.set_ylabel(_name(str(one.prior.values)), rotation=0, ha="right", va="center")
    all_axes[0].set_title(f"C   generated at the end, T = {temperature:g}")
