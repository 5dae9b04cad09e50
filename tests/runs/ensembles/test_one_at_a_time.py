"""Sweeps that change one thing at a time: what is run, with which seeds, and what is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from rich.console import Console

import synsamp
from synsamp.errors import SynsampError
from synsamp.experiments.loading import Given
from synsamp.report.write import write_report
from synsamp.runs.ensembles.measured import measures_by_change, measures_by_trial
from synsamp.runs.ensembles.plan import (
    describe_ensemble,
    labels,
    one_at_a_time,
    points,
    trials_of,
)
from synsamp.runs.ensembles.run import carry_out_ensemble, execute_ensemble
from synsamp.runs.storage.folder import RunFolder
from toys.app import WITH_COINS
from toys.coins import EXPERIMENT

CHANGES = {
    "unchanged": (),
    "bent": ("coin.chance=0.1",),
    "bent and short": ("coin.chance=0.1", "tosses=20"),
}


@pytest.fixture(scope="module")
def changed(tmp_path_factory, two):
    out = tmp_path_factory.mktemp("changed") / "run"
    return execute_ensemble(EXPERIMENT, out, 5, seed=3, changes=CHANGES, workers=two)


def test_each_value_stands_by_itself_and_nothing_changed_comes_first():
    changes = one_at_a_time(["coin.chance=0.1,0.9", "tosses=20"])
    assert changes == {
        "unchanged": (),
        "coin.chance=0.1": ("coin.chance=0.1",),
        "coin.chance=0.9": ("coin.chance=0.9",),
        "tosses=20": ("tosses=20",),
    }
    whole = describe_ensemble(EXPERIMENT, 2, settings=["tosses=50"], changes=changes)
    assert points(whole) == list(changes.values())
    assert labels(whole) == list(changes)
    resolved = [trial.description.resolved for trial in trials_of(EXPERIMENT, whole)][::2]
    assert [r["tosses"] for r in resolved] == [50, 50, 50, 20]
    assert [r["coin"]["chance"] for r in resolved] == [0.5, 0.1, 0.9, 0.5]


def test_seeds_are_the_same_under_every_change_and_those_of_a_run_with_that_setting():
    whole = describe_ensemble(EXPERIMENT, 3, seed=7, changes=CHANGES)
    seeds = [trial.description.seed for trial in trials_of(EXPERIMENT, whole)]
    assert seeds[:3] == seeds[3:6] == seeds[6:]
    alone = describe_ensemble(EXPERIMENT, 3, settings=CHANGES["bent"], seed=7)
    assert [trial.description.seed for trial in trials_of(EXPERIMENT, alone)] == seeds[:3]
    grid = describe_ensemble(EXPERIMENT, 3, ["coin.chance=0.1,0.5"], seed=7)  # control
    assert [t.description.seed for t in trials_of(EXPERIMENT, grid)][:3] != seeds[:3]


@pytest.mark.parametrize(
    ("vary", "message"),
    [
        (["coin.chance=0.1,2"], "coin.chance"),
        (["tails=1"], "tails"),
        (["coin.chance"], "must look like"),
        (["coin.chance=0.1", "coin.chance=0.2"], "name a parameter once"),
    ],
)
def test_what_cannot_be_changed_raises_an_error_before_anything_is_run(vary, message):
    with pytest.raises(SynsampError, match=message):
        describe_ensemble(EXPERIMENT, 2, changes=one_at_a_time(vary))


def test_a_change_measures_what_an_ensemble_with_its_settings_does(changed, tmp_path, two):
    found = measures_by_change(changed)
    assert list(found) == list(CHANGES)
    for label, settings in CHANGES.items():
        alone = execute_ensemble(
            EXPERIMENT, tmp_path / label, 5, seed=3, settings=settings, workers=two
        )
        assert found[label] == measures_by_trial(alone)
    assert found["bent"] != found["unchanged"]


def test_it_opens_as_one_dataset_and_is_drawn_as_a_map(changed):
    data = synsamp.open(changed.path)
    assert data.measures_heads.sizes == {"change": 3, "trial": 5}
    assert list(data.change.values) == list(CHANGES)
    assert np.ptp(data.trial_seed.values.astype(float), axis=0).max() == 0
    assert float(data.claim_value.sel(claim="heads", change="bent")) < 0.3
    assert [claim.at for claim in changed.claims()][:: len(EXPERIMENT.claims)] == list(CHANGES)
    assert data.attrs["not_stacked"]  # 20 tosses do not align with 40
    write_report([changed.path], WITH_COINS, changed.path / "report.html")
    assert {path.stem for path in (changed.path / "figures").glob("*.svg")} == {"verdicts"}
    drawn = (changed.path / "figures" / "verdicts.svg").read_text()
    assert "bent and short" in drawn
    page = (changed.path / "report.html").read_text()
    assert "one change at a time" in page


def test_it_continues_where_it_was_stopped(changed, tmp_path, two):
    whole = describe_ensemble(EXPERIMENT, 5, seed=3, changes=CHANGES)
    with RunFolder.create(tmp_path / "run", whole, force=False) as folder:
        carry_out_ensemble(Given(EXPERIMENT), folder, Console(quiet=True), two)
    trial = tmp_path / "run" / "trials" / "1-00002"
    (trial / "status.json").write_text(
        (trial / "status.json").read_text().replace('"finished"', '"interrupted"')
    )
    with RunFolder.reopen(tmp_path / "run") as folder:
        carry_out_ensemble(Given(EXPERIMENT), folder, Console(quiet=True), two)
        again = measures_by_change(folder)
    assert again == measures_by_change(changed)
