"""Lay out finished runs as one HTML page that needs nothing beside itself."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from synsamp.experiments.protocol import Experiment, Parameters
from synsamp.report.claim_range import claim_range
from synsamp.report.draw import Drawing, panels_of
from synsamp.report.look import CSS
from synsamp.report.numbers import number, rule_text
from synsamp.runs.folder import ClaimRecord, Description, Status
from synsamp.runs.overrides import flat, meanings

GENERATOR = "synsamp report"
SVG_LIMIT_BYTES = 400_000  # above this a picture of points is smaller and faster as PNG


@dataclass(frozen=True)
class RunPage:
    """All that the page shows of one run."""

    experiment: Experiment
    description: Description
    status: Status
    claims: list[ClaimRecord]
    drawings: list[Drawing]


def page(runs: Sequence[RunPage]) -> str:
    """Return the whole page."""
    claims = [claim for run in runs for claim in run.claims]
    names = ", ".join(run.experiment.name for run in runs)
    anchors = [f"run-{i}" for i in range(1, len(runs) + 1)]
    nav = _navigation(runs, anchors) if len(runs) > 1 else ""
    sections = "".join(_section(run, a) for run, a in zip(runs, anchors, strict=True))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="{GENERATOR}">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{escape(names)} · synsamp</title>
<style>{CSS}</style>
</head>
<body>
<header><div class="bar">
<h1>Network plasticity as Bayesian inference</h1>
<p class="lead">Synaptic sampling (Kappel, Habenschuss, Legenstein and Maass 2015), run again:
what the paper states, what was measured here, and whether it holds.</p>
<p class="verdict">{_verdict(claims)}</p>
</div></header>
{nav}
<main>
{sections}
</main>
<footer>Made by synsamp {escape(runs[0].description.versions.get("synsamp", ""))} from stored
results; drawing computes nothing, and the page loads nothing from elsewhere.</footer>
</body>
</html>
"""


def _verdict(claims: Sequence[ClaimRecord]) -> str:
    holding = sum(claim.holds for claim in claims)
    kind = "good" if holding == len(claims) else "bad"
    return f'<span class="{kind}">{holding} of {len(claims)}</span> claims hold'


def _navigation(runs: Sequence[RunPage], anchors: Sequence[str]) -> str:
    links = "".join(
        f'<a href="#{anchor}">{escape(run.experiment.name)} '
        f"<small>{sum(c.holds for c in run.claims)}/{len(run.claims)}</small></a>"
        for run, anchor in zip(runs, anchors, strict=True)
    )
    return f'<nav aria-label="Experiments"><div class="bar">{links}</div></nav>'


def _section(run: RunPage, anchor: str) -> str:
    experiment, description = run.experiment, run.description
    chips = {
        "preset": description.preset,
        "seed": str(description.seed),
        "took": _duration(run.status.elapsed_s),
        "on": f"{description.created:%Y-%m-%d %H:%M}",
    }
    if description.trials is not None:
        chips["trials"] = str(description.trials)
    for key, values in description.vary.items():
        chips[key] = ", ".join(values)
    items = "".join(f"<li>{name} <b>{escape(value)}</b></li>" for name, value in chips.items())
    return f"""
<section class="run" id="{anchor}">
<h2>{escape(experiment.title)} <span class="alias">{escape(experiment.name)} ·
{escape(experiment.alias)}</span></h2>
<p class="lead">{escape(experiment.summary)}</p>
<ul class="chips">{items}</ul>
{f'<p class="bad">{escape(run.status.message)}</p>' if run.status.message else ""}
<h3>Claims of the paper</h3>
{_claims(run.claims) if not description.vary else _folded("At every combination", run.claims)}
<h3>Figures <span class="paper">{_about_figures(description)}</span></h3>
{"".join(_figure(drawing, experiment) for drawing in run.drawings)}
<div class="notes">{_list("Assumptions", experiment.assumptions)}
{_list("Known deviations", experiment.deviations)}</div>
{_parameters(experiment.parameters, description)}
{_versions(description)}
</section>
"""


def _about_figures(description: Description) -> str:
    if description.trials is None:
        return "beside what the paper’s captions state, in our words"
    return "over all trials; synsamp report draws those of one trial from its own folder"


def _claims(claims: Iterable[ClaimRecord]) -> str:
    rows = "".join(
        f"""<tr>
<td class="mark {"good" if claim.holds else "bad"}">{"✓ holds" if claim.holds else "✗ fails"}</td>
<td>{escape(claim.statement)} <span class="where">{escape(claim.where)}</span>
{f'<div class="detail">{escape(claim.detail)}</div>' if claim.detail else ""}</td>
<td class="num" data-label="measured"><span class="value">{number(claim.value)}</span>
<span class="detail">{_ends(claim)}{escape(claim.unit)}</span></td>
<td class="num band" data-label="band">{rule_text(claim)}</td>
<td class="range">{claim_range(claim)}</td>
</tr>"""
        for claim in claims
    )
    head = "".join(f"<th>{t}</th>" for t in ("", "Statement", "Measured", "Band", ""))
    return (
        f'<div class="card"><table class="claims"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _ends(claim: ClaimRecord) -> str:
    return "" if claim.interval is None else "({:.2f}–{:.2f}) ".format(*claim.interval)


def _folded(title: str, claims: Sequence[ClaimRecord]) -> str:
    """A long list of claims, opened on demand; a sweep's figures tell the same at a glance."""
    holding = sum(claim.holds for claim in claims)
    return (
        f"<details><summary>{title}: {holding} of {len(claims)} hold</summary>"
        f"{_claims(claims)}</details>"
    )


def _figure(drawing: Drawing, experiment: Experiment) -> str:
    as_svg = len(drawing.svg) <= SVG_LIMIT_BYTES
    kind, content = ("svg+xml", drawing.svg) if as_svg else ("png", drawing.png)
    data = base64.b64encode(content).decode()
    panels = panels_of(drawing.key, experiment.captions)
    captions = "".join(
        f'<p><span class="panel">{escape(panel)}</span>{escape(experiment.captions[panel])}</p>'
        for panel in panels
    )
    name = f"{experiment.alias} {drawing.key}"
    return (
        f'<figure class="card"><div class="sheet"><img alt="Drawing of {escape(name)}" '
        f'width="{drawing.width_px}" style="--natural: {drawing.width_px}px" '
        f'src="data:image/{kind};base64,{data}"></div>'
        f"<figcaption>{captions or f'<p>{escape(name)}</p>'}</figcaption></figure>"
    )


def _list(title: str, items: Sequence[str]) -> str:
    if not items:
        return ""
    lines = "".join(f"<li>{escape(item)}</li>" for item in items)
    return f"<div><h3>{title}</h3><ul>{lines}</ul></div>"


def _parameters(model: type[Parameters], description: Description) -> str:
    texts = meanings(model)
    given = {setting.partition("=")[0].strip() for setting in description.given}
    rows = "".join(
        f'<tr{" class=given" if key in given else ""}><td class="key">{escape(key)}</td>'
        f"<td><code>{escape(json.dumps(value, ensure_ascii=False))}</code></td>"
        f'<td class="detail">{escape(texts.get(key, ""))}</td></tr>'
        for key, value in flat(description.resolved).items()
    )
    return (
        '<details class="card"><summary>Parameters</summary><table><thead><tr><th>Name</th>'
        f"<th>Value</th><th>Meaning</th></tr></thead><tbody>{rows}</tbody></table></details>"
    )


def _versions(description: Description) -> str:
    rows = "".join(
        f'<tr><td class="key">{escape(name)}</td><td>{escape(version)}</td></tr>'
        for name, version in description.versions.items()
    )
    return (
        '<details class="card"><summary>Versions</summary>'
        f"<table><tbody>{rows}</tbody></table></details>"
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.1f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
