"""`make dependence` and the long form of `make reproduce`: their plans and the page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from synsamp.claims.table import Run, to_csv
from synsamp.experiments.registry import REGISTRY
from synsamp.runs.ensembles.plan import UNCHANGED
from tools import dependence_page, reproduce
from tools.dependence_page import COUNTS, FIG_4, FIG_5, MAPS, NOISE_4, NOISE_5, PERFORMANCE
from tools.stored import Stored

ROOT = Path(__file__).parents[1]
ABOUT = {"date": "2001-02-03", "command": "make dependence", "seed": 5, "cores": 2, "took_s": {}}


def test_the_page_agrees_with_the_stored_results():
    page = (ROOT / "docs" / "paper" / "dependence.md").read_text(encoding="utf-8")
    assert page == dependence_page.page(ROOT, REGISTRY)
    assert "**The paper preset uses `utterance`.**" in page


def test_the_preset_follows_the_decision():
    presets = REGISTRY.find(FIG_5).load().presets
    assert {presets[name].input.normalisation for name in presets} == {"utterance"}
    assert {presets[name].input.speech for name in ("paper", "paper_retracted")} == {"voices"}


def test_every_reading_is_run_with_every_voice_in_24_networks_within_four_hours():
    for reading in ("utterance", "channel", "training"):
        each = MAPS[reading]
        assert each.trials >= 24
        assert f"input.normalisation={reading}" in each.base
        assert "input.speaker=jackson" in each.base
        changes = each.changes(REGISTRY)
        assert list(changes) == [UNCHANGED, "george", "lucas"]
        assert changes["lucas"] == ("input.speaker=lucas",)
    assert sum(each.hours(REGISTRY) for each in MAPS.values()) < 4


def test_the_long_form_has_more_seeds_and_another_seed():
    short, long = (dict(reproduce.plan(REGISTRY, form)) for form in (False, True))
    assert short.keys() == long.keys()
    trials = {run: job.description.trials for run, job in long.items()}
    assert trials[Run(FIG_5, "paper")] == 48
    assert trials[Run(FIG_4, "paper")] == 24
    assert trials[Run("motility", "paper")] == 12
    assert trials[Run("prior_comparison", "paper")] == 72
    assert all(trials[run] >= job.description.trials for run, job in short.items())
    assert {job.description.seed for job in short.values()} == {reproduce.SEED}
    assert {job.description.seed for job in long.values()} == {reproduce.LONG_SEED}
    assert {job.name for job in long.values()} >= set(reproduce.LONG_TRIALS)


@pytest.fixture
def filled(tmp_path):
    """A project whose tables have the same numbers everywhere, except for one voice."""
    data = tmp_path / "docs" / "data"
    data.mkdir(parents=True)
    (data / "dependence_notes.toml").write_text(
        'decision = "As the text says."\nother = "8 kHz."\n'
    )
    for part, each in MAPS.items():
        numbers = NOISE_4 if each.experiment == FIG_4 else (*COUNTS, *PERFORMANCE, *NOISE_5)
        table = {}
        for label in each.changes(REGISTRY):
            value = 0.7 if (part, label) == ("channel", "lucas") else 0.6
            measures = {number.measure: [value, value + 0.02] for number in numbers}
            table[Run(each.experiment, "paper", label)] = measures
        (data / f"dependence-{part}.csv").write_text(to_csv(table))
        (data / f"dependence-{part}.json").write_text(json.dumps({each.experiment: ABOUT}))
    return tmp_path


def test_a_filled_page_has_every_combination_and_pools_the_voices(filled):
    page = dependence_page.page(filled, REGISTRY)
    assert "As the text says." in page
    assert "| channel, lucas<br><sub>n = 2</sub> | 0.710 (0.569 to 0.819) |" in page
    assert "| utterance, lucas<br><sub>n = 2</sub> | 0.610 (0.478 to 0.727) |" in page
    assert "| **channel, all voices**<br><sub>n = 6</sub> | 0.643" in page
    assert "| the paper | 0.728 | 294 | 0.27 | 35 | 16 |" in page
    assert "| printed sign of the prior<br><sub>n = 2</sub> |" in page
    assert dependence_page.NOT_YET[:20] not in page


def test_parts_that_were_not_run_are_named(filled):
    (filled / "docs" / "data" / "dependence-training.csv").unlink()
    page = dependence_page.page(filled, REGISTRY)
    assert 'Not run yet in this version: `make dependence ONLY="training"`' in page
    assert "| **channel, all voices**" in page
    assert "training, lucas" not in page


def test_pooling_keeps_what_all_have():
    parts = [{"a": [1.0], "b": [2.0]}, {"a": [3.0]}]
    assert dependence_page.pooled(parts) == {"a": [1.0, 3.0]}
    assert Stored({}, {}).judged == []
