"""``synsamp spines FILE.csv``: survival and volume statistics of a user's own spine table."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

import typer

from synsamp.errors import refuse


def spines(
    table: Annotated[Path, typer.Argument(metavar="FILE.csv", help="One row per spine and time.")],
    out: Annotated[
        Path | None,
        typer.Option(help="The drawing to write, .png or .svg. \\[default: FILE-survival.png]"),
    ] = None,
) -> None:
    """Analyse your own spine table: survival of new spines, and the process behind their volumes.

    The file needs a header with `spine`, `time`, and `present` (0 or 1) or `volume` (0: absent);
    times in any unit. Writes the survival curve with its 95 % band and both fits as a picture, and
    prints the fits, which of them is better, and for volumes μ, σ and b·T of log volume.
    """
    from synsamp.analysis.spines import new_spine_lifetimes, read_spine_table

    target = out or table.with_name(f"{table.stem}-survival.png")
    if target.suffix not in (".png", ".svg"):
        raise refuse("--out", "must end in .png or .svg", str(target))
    if target.exists() and target.samefile(table):
        raise refuse("--out", "must not be the table itself", str(target))
    found = read_spine_table(table)
    lives = new_spine_lifetimes(found)
    _describe(found, lives)
    drawn = _survival(lives, target)
    if found.has_volumes:
        _volumes(found)
    if drawn:
        typer.echo(f"drawing: {target}")


def _describe(table: Any, lives: Any) -> None:
    kind = (
        f"absences are listed; {table.gaps} missing observations are taken as not looked at"
        if table.absences_listed
        else "no absence is listed; a missing row is taken as absent"
    )
    typer.echo(
        f"{len(table.spines)} spines, {table.times.size} sessions from {table.times[0]:g} to "
        f"{table.times[-1]:g}; {kind}"
    )
    if table.seen_once:
        typer.echo(f"{table.seen_once} spines were looked at once only and tell nothing")
    still = int((~lives.ended).sum())
    typer.echo(f"{len(lives)} lives of new spines, {still} of them still going on at the end")


def _survival(lives: Any, target: Path) -> bool:
    from synsamp.analysis.survival import fit_exponential, fit_power_law, kaplan_meier

    if lives.ended.sum() < 3:
        typer.echo("survival: not fitted, it needs at least three new spines seen to go")
        return False
    power, exponential = fit_power_law(lives), fit_exponential(lives)
    typer.echo(
        f"power law    (1 + t/τ)^−γ: τ = {power.tau:.4g} ± {power.tau_error:.2g}, "
        f"γ = {power.gamma:.4g} ± {power.gamma_error:.2g}, AIC {power.aic:.2f}"
    )
    typer.echo(
        f"exponential  exp(−t/τ):    τ = {exponential.tau:.4g} ± {exponential.tau_error:.2g}, "
        f"AIC {exponential.aic:.2f}"
    )
    gain = exponential.aic - power.aic
    verdict = (
        "neither is clearly better"
        if abs(gain) < 2
        else f"the {'power law' if gain > 0 else 'exponential'} is better"
    )
    typer.echo(f"{verdict} (difference of AIC {gain:+.2f}, {power.n} lives)")
    _draw(kaplan_meier(lives), power, exponential, target)
    return True


def _volumes(table: Any) -> None:
    from synsamp.analysis.spines import estimate_volumes, volume_steps

    steps = len(volume_steps(table)[0])
    if steps < 10:
        typer.echo(f"volumes: not estimated, {steps} steps between sessions and ten are needed")
        return
    process = estimate_volumes(table)
    typer.echo(
        f"log volume as Ornstein–Uhlenbeck process: μ = {process.mean:.4g} ± "
        f"{process.mean_error:.2g}, σ = {process.spread:.4g} ± {process.spread_error:.2g}, "
        f"b·T = {process.noise:.4g} ± {process.noise_error:.2g} per unit of time "
        f"(relaxation time {process.relaxation:.4g}, {process.n_steps} steps)"
    )


def _draw(curve: Any, power: Any, exponential: Any, target: Path) -> None:
    import matplotlib as mpl
    import numpy as np
    from matplotlib.figure import Figure

    from synsamp.report.style import BLUE, GRAY, STYLE
    from synsamp.runs.atomic import replacing

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(7, 3.2))
        axes = figure.subplots(1, 2)
        longest = float(curve.time[-1])
        shortest = float(curve.time[1])
        for k, scale in enumerate(("linear", "log")):
            axes[k].fill_between(
                curve.time, curve.low, curve.high, step="post", color=GRAY, alpha=0.35, linewidth=0
            )
            axes[k].step(curve.time, curve.survival, where="post", color=GRAY, label="new spines")
            start = 0.0 if scale == "linear" else shortest / 2
            time = np.linspace(start, longest, 300)
            if scale == "log":
                time = np.geomspace(start, longest, 300)
            axes[k].plot(time, exponential.survival(time), ":", color=BLUE, label="exponential")
            axes[k].plot(time, power.survival(time), color="#c1121f", label="power law")
            axes[k].set(xscale=scale, yscale=scale, xlabel="time since first seen")
        axes[0].set(ylim=(0, 1.03), xlim=(0, longest), ylabel="share surviving")
        positive = curve.survival[curve.survival > 0]
        axes[1].set(ylim=(0.6 * positive.min(), 1.2), xlim=(shortest / 2, longest))
        axes[0].legend()
        content = BytesIO()
        figure.savefig(content, format=target.suffix[1:])
    with replacing(target) as file:
        file.write(content.getvalue())
