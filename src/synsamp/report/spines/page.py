"""The page of a spine table: tables of numbers, figures and the Methods, in one HTML file.

`synsamp.report.template` escapes every text, since names come from the user's table.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import pandas as pd
from markupsafe import Markup

from synsamp.report.draw import Drawing
from synsamp.report.look import CSS
from synsamp.report.numbers import number_text
from synsamp.report.spines.answers import answers_of
from synsamp.report.spines.captions import caption
from synsamp.report.spines.headline import headline
from synsamp.report.template import render
from synsamp.spines.analysis import Analysis
from synsamp.spines.fit import NOISE_TERM
from synsamp.spines.held_out import HeldOut
from synsamp.spines.process import OneTimeScale
from synsamp.spines.rule_parameters import to_rule_parameters

GENERATOR = "synsamp spines"
SHOWN_LOSSES = 20
TOGETHER = ", all conditions together"
SVG_LIMIT_BYTES = 300_000  # above this a PNG is smaller and faster to draw

SYMBOLS = {
    "mean": "mean μ of log size",
    "spread": "spread s = σ√T",
    "relaxation": "relaxation time τ = σ²/b",
    "noise": "measurement noise η",
    "bT": "b·T = s²/τ",
    "threshold": "size threshold",
    "missed": "probability of missing a spine",
    "slow_spread": "spread, slow part",
    "slow_relaxation": "relaxation time, slow part",
    "fast_spread": "spread, fast part",
    "fast_relaxation": "relaxation time, fast part",
    "start_mean": "mean at the start",
    "start_spread": "spread at the start",
    "diffusion": "diffusion D",
}


class Section(NamedTuple):
    """A titled table of the page, and the figures that go with it."""

    title: str
    lead: str
    head: list[str]
    rows: list[list[str]]
    figures: tuple[str, ...] = ()


def page(found: Analysis, drawings: Mapping[str, Drawing], methods_text: str, version: str) -> str:
    """The whole page as text."""
    hidden = {"absent", "columns not used", "other sheets, not read"}  # in the summary
    tables = sections(found)
    drawn = {key: _figure(found, drawing) for key, drawing in drawings.items()}
    shown = {key for table in tables for key in table.figures}
    return render(
        "spines.html",
        generator=GENERATOR,
        css=Markup(CSS),
        title=found.table.name,
        version=version,
        verdict=headline(found),
        summary=found.table.summary(),
        choices=[(k, v) for k, v in found.table.choices.items() if k not in hidden],
        warnings=list(found.warnings),
        missing=list(found.missing),
        answers=answers_of(found),
        raster=drawn["raster"],
        tables=[(t, [drawn[key] for key in t.figures if key in drawn]) for t in tables],
        figures=[figure for key, figure in drawn.items() if key not in {*shown, "raster"}],
        methods=methods_text.split("\n\n"),
    )


def _figure(found: Analysis, drawing: Drawing) -> dict[str, Any]:
    as_svg = len(drawing.svg) <= SVG_LIMIT_BYTES
    kind, content = ("svg+xml", drawing.svg) if as_svg else ("png", drawing.png)
    return {
        "kind": kind,
        "data": base64.b64encode(content).decode(),
        "width": drawing.width_px,
        "alt": caption(found, drawing.key) or drawing.alt,
        "caption": caption(found, drawing.key),
    }


def sections(found: Analysis) -> list[Section]:
    """The tables of the page, from the process to the conditions."""
    return [section for section in _sections(found) if section.rows]


def _sections(found: Analysis) -> Iterable[Section]:
    unit = found.table.time_unit or "unit of time"
    units = f"{unit}s" if found.table.time_unit else "units of the table"
    together = ""
    if found.effects is not None:
        yield from _per_condition(found, unit, units)
        together = TOGETHER
    if found.fitted is not None:
        yield Section(
            f"Fitted process{together}",
            "Ornstein–Uhlenbeck process of log size, with measurement noise and a threshold on the "
            f"{found.fitted.threshold_on} size. Times in {units}.",
            ["", "estimate", "95 % interval"],
            [
                [SYMBOLS[n], number_text(found.fitted.value(n)), _ends(*found.fitted.interval(n))]
                for n in found.fitted.ends
            ],
            ("sizes", "distribution", "change", "correlation"),
        )
    if found.posterior is not None:
        yield Section(
            "Posterior",
            "Sampled with the synaptic sampling rule.",
            ["", "median", "95 % interval", "R-hat", "ESS"],
            [
                [
                    SYMBOLS[r.parameter],
                    number_text(r.median),
                    _ends(r.low, r.high),
                    f"{r.r_hat:.3f}",
                    f"{r.ess:.0f}",
                ]
                for r in found.posterior.frame.itertuples()
            ],
        )
    if found.rule_parameters is not None:
        yield Section(
            f"Rule parameters{together}",
            "Prior and speed of the synaptic sampling rule. Sizes determine only μ, Tσ² and b/σ²; "
            "T = 1 by convention.",
            ["", "value", "unit"],
            [
                [r.quantity, number_text(r.value), r.unit]
                for r in found.rule_parameters.frame.itertuples()
            ],
        )
    if found.sensitivity is not None:
        yield from _sensitivity(found, found.sensitivity)
    if found.comparison is not None:
        yield from _comparison(found)
    if found.held_out is not None:
        yield from _held_out(found.held_out)
    durations = found.survival.lifetimes.durations
    yield Section(
        "Survival of new spines",
        f"{len(durations)} lifetimes, {int((~durations.ended).sum())} of them censored. "
        f"Models ranked by AIC; medians in {units}.",
        ["model", "ΔAIC", "median", "parameters"],
        [
            [r.model, number_text(r.above_best), number_text(r.median), r.parameters]
            for r in found.survival.model_frame.itertuples()
        ],
        ("survival",),
    )
    yield Section(
        "Proportion of new spines surviving",
        "Kaplan–Meier; intervals bootstrapped over animals or spines.",
        [f"after ({units})", "proportion", "95 % interval", "bootstrapped over"],
        [
            [number_text(r.time), number_text(r.proportion), _ends(r.low, r.high), f"{r.unit}s"]
            for r in found.survival.proportions.itertuples()
        ],
    )
    yield Section(
        f"Turnover{together}",
        "Over all intervals between sessions.",
        ["", "value", "95 % interval", "interval over"],
        [
            [
                r.rate.replace("unit of time", unit),
                number_text(r.value),
                _ends(r.low, r.high),
                "" if r.unit == "none" else f"{r.unit}s",
            ]
            for r in found.turnover.rates.itertuples()
        ],
        ("turnover",),
    )


def _per_condition(found: Analysis, unit: str, units: str) -> Iterable[Section]:
    """The comparison first, then the numbers of each condition."""
    yield _effects(found)
    fits = found.by_condition
    names = list(fits)
    shared = [n for n in OneTimeScale.names() + tuple(NOISE_TERM) if fits]
    yield Section(
        "Fitted process of each condition",
        "Ornstein–Uhlenbeck process of log size with one threshold for all conditions: estimate "
        f"(95 % interval). Times in {units}.",
        ["", *names],
        [
            [
                SYMBOLS[n],
                *(f"{number_text(f.value(n))} ({_ends(*f.interval(n))})" for f in fits.values()),
            ]
            for n in shared
        ],
    )
    rule = [to_rule_parameters(f, found.table.time_unit).frame for f in fits.values()]
    if rule:
        yield Section(
            "Rule parameters of each condition",
            "Prior and speed of the synaptic sampling rule at T = 1 by convention.",
            ["", *names, "unit"],
            [
                [row.quantity, *(number_text(frame["value"].iloc[k]) for frame in rule), row.unit]
                for k, row in enumerate(rule[0].itertuples())
            ],
        )
    rates = found.rates_by_condition
    if rates is not None:
        parts = {name: own for name, own in rates.groupby("condition", sort=False)}
        first = next(iter(parts.values()))
        yield Section(
            "Turnover of each condition",
            "Over all intervals between sessions: value (95 % interval).",
            ["", *map(str, parts)],
            [
                [
                    str(name).replace("unit of time", unit),
                    *(
                        f"{number_text(r['value'])} ({_ends(r['low'], r['high'])})"
                        for r in (own[own["rate"] == name].iloc[0] for own in parts.values())
                    ),
                ]
                for name in first["rate"]
            ],
        )


def _sensitivity(found: Analysis, frame: pd.DataFrame) -> Iterable[Section]:
    assert found.fitted is not None
    variants = list(dict.fromkeys(frame["variant"]))
    rows = []
    for name in dict.fromkeys(frame["parameter"]):
        own = frame[frame["parameter"] == name].set_index("variant")
        cells = [
            f"{number_text(row['estimate'])} ({_ends(row['low'], row['high'])})"
            + (" *" if row["outside"] else "")
            for row in (own.loc[v] for v in variants)
        ]
        here = f"{number_text(found.fitted.value(name))} ({_ends(*found.fitted.interval(name))})"
        rows.append([SYMBOLS[name], here, *cells])
    yield Section(
        "Sensitivity",
        "The fitted process, and the estimates with one assumption changed at a time (intervals "
        "from the curvature). * lies outside the interval of the fitted process.",
        ["", "as above", *variants],
        rows,
    )
    if found.table.offsets is not None:
        offsets = found.table.offsets
        yield Section(
            "Offsets of log size",
            "Sizes were divided by these factors, "
            + (
                "from the smallest size of each animal."
                if offsets.by_smallest
                else "estimated with the process."
            )
            + f" Their standard deviation in log size is {number_text(offsets.spread)}.",
            [str(c) for c in offsets.frame.columns],
            [
                [c if isinstance(c, str) else number_text(float(c)) for c in row]
                for row in offsets.frame.itertuples(index=False)
            ],
        )
    if found.unexplained is not None:
        yield Section(
            "Probable tracking losses",
            "Spines too large to fall below the threshold within one interval; p is the chance "
            f"under the fitted process. At most {SHOWN_LOSSES} are shown; results.csv has all.",
            ["spine", "absent at", "size before", "returned", "p"],
            [
                [
                    " ".join(filter(None, (r.animal, r.dendrite, r.spine))),
                    number_text(r.time),
                    number_text(r.size),
                    "yes" if r.returned else "no",
                    number_text(r.p),
                ]
                for r in found.unexplained.head(SHOWN_LOSSES).itertuples()
            ],
        )


def _held_out(found: HeldOut) -> Iterable[Section]:
    power = found.power.set_index("model")["one_time_scale_rejected"].to_dict()
    yield Section(
        "Held-out sessions",
        found.answer,
        ["model", "score", "compared with one time scale", "one time scale rejected"],
        [
            [
                r.model,
                number_text(r.score),
                "" if r.model == "one time scale" else f"{r.difference:+.3f} ± {r.error:.3f}",
                f"{100 * power[r.model]:.0f} % of its tables" if r.model in power else "",
            ]
            for r in found.scores.itertuples()
        ],
    )


def _comparison(found: Analysis) -> Iterable[Section]:
    assert found.comparison is not None
    yield Section(
        "Model comparison",
        "Smaller is better; a difference below 2 favours neither process.",
        ["process", "ΔAIC", "BIC", "parameters"],
        [
            [r.process, number_text(r.above_best), number_text(r.bic), str(r.parameters)]
            for r in found.comparison.criteria.itertuples()
        ],
    )
    checks = found.comparison.checks
    best = found.comparison.criteria["process"].iloc[0]
    yield Section(
        f"Predictive check: {best}",
        "Statistics of the table, and the range of 95 % of simulations from the fit.",
        ["statistic", "table", "simulated", "explained"],
        [
            [
                r.statistic,
                number_text(r.table),
                _ends(r.low, r.high),
                "yes" if r.explained else "no",
            ]
            for r in checks[checks["process"] == best].itertuples()
        ],
    )


def _effects(found: Analysis) -> Section:
    assert found.effects is not None
    pairs = [f"{r.second} compared with {r.first}" for r in found.effects.itertuples()]
    only = len({*pairs}) == 1  # then it is named once, above the table
    rows = [
        [
            SYMBOLS.get(r.quantity, r.quantity) + ("" if only else f": {pair}"),
            "" if pd.isna(r.value) else f"{number_text(r.value)} ({r.effect})",
            "" if pd.isna(r.low) else _ends(r.low, r.high),
            "" if pd.isna(r.size) else number_text(r.size),
            "" if pd.isna(r.p) else number_text(r.p),
            r.note,
        ]
        for r, pair in zip(found.effects.itertuples(), pairs, strict=True)
    ]
    lead = f"{pairs[0]}. " if only else ""
    return Section(
        "Conditions",
        f"{lead}Effect size: difference in units of s for the mean, log ratio for other "
        "parameters, Hedges' g over animals for turnover, Cohen's h for proportions.",
        ["", "effect", "95 % interval", "effect size", "p", ""],
        rows,
        ("conditions",),
    )


def _ends(low: float, high: float) -> str:
    return f"{_end(low)} to {_end(high)}"


def _end(value: float) -> str:
    if pd.isna(value):
        return "?"
    if value in (float("inf"), float("-inf")):
        return "unbounded"
    return number_text(float(value))
