"""Ensembles: bit-identical on any workers, and results over all trials."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
import xarray as xr
from rich.console import Console

import synsamp
from synsamp.analysis.intervals import mean_interval, share_interval
from synsamp.errors import SynsampError
from synsamp.experiments.loading import Given
from synsamp.protocol import Lesion, Protocol, Show, every, rates
from synsamp.protocol.memory import MemoryContext
from synsamp.report.write import write_report
from synsamp.runs import RunFolder, execute
from synsamp.runs.ensembles.gather import VERDICTS, gather
from synsamp.runs.ensembles.plan import describe_ensemble, read_vary, trials_of
from synsamp.runs.ensembles.progress import EnsembleProgress
from synsamp.runs.ensembles.run import carry_out_ensemble, check_workers, execute_ensemble
from synsamp.runs.execute import RunFailedError
from synsamp.runs.parallel.workers import Workers
from synsamp.runs.storage.results import open_dataset, write_results
from synsamp.runs.storage.stack import _quantiles, flatten, layout, not_stacked, open_ensemble
from synsamp.spiking import RemoveNeurons
from tests.protocol import circuit
from toys.app import WITH_COINS
from toys.coins import EXPERIMENT


@pytest.fixture(scope="module")
def plain(tmp_path_factory, two):
    out = tmp_path_factory.mktemp("plain") / "run"
    return execute_ensemble(EXPERIMENT, out, 9, seed=5, workers=two)


@pytest.fixture(scope="module")
def swept(tmp_path_factory, two):
    out = tmp_path_factory.mktemp("swept") / "run"
    vary = ["coin.chance=0,0.5,1", "tosses=30,60"]
    return execute_ensemble(EXPERIMENT, out, 4, vary=vary, workers=two)


def manifests(folder):
    """The manifests of the whole and of every trial."""
    return [path.read_text() for path in sorted(folder.path.rglob("results.manifest"))]


# -- what is run -------------------------------------------------------------------------------


def test_every_trial_has_its_own_seed_that_others_do_not_change():
    few = trials_of(EXPERIMENT, describe_ensemble(EXPERIMENT, 3, ["tosses=30,60"], seed=1))
    more = trials_of(EXPERIMENT, describe_ensemble(EXPERIMENT, 9, ["tosses=60,90,30"], seed=1))
    other = trials_of(EXPERIMENT, describe_ensemble(EXPERIMENT, 9, ["tosses=60,90,30"], seed=2))

    def seeds(trials):
        return {(t.description.resolved["tosses"], t.place[-1]): t.description.seed for t in trials}

    assert len(set(seeds(more).values())) == 27
    assert seeds(few).items() <= seeds(more).items()
    assert not set(seeds(more).values()) & set(seeds(other).values())


def test_a_trial_is_the_run_that_its_seed_and_settings_give_alone(plain, tmp_path):
    trial = RunFolder(plain.path / "trials" / "00003")
    alone = execute(
        EXPERIMENT,
        tmp_path / "alone",
        settings=trial.description.given,
        seed=trial.description.seed,
    )
    assert alone.path.joinpath("results.manifest").read_text() == (
        trial.path.joinpath("results.manifest").read_text()
    )


def test_values_that_are_lists_are_parted_by_bars():
    assert read_vary(["a=1,2", "b=1,0|2,0"]) == {"a": ("1", "2"), "b": ("1,0", "2,0")}


@pytest.mark.parametrize(
    ("trials", "vary", "settings", "message"),
    [
        (0, [], [], "--trials must lie in 1..1000000, got 0"),
        (2, ["tosses"], [], "--vary must look like key=value,value,…, got 'tosses'"),
        (2, ["tosses=1,,2"], [], "--vary must look like"),
        (2, ["tosses=1,1"], [], "--vary must give each value of tosses once"),
        (2, ["tosses=1", "tosses=2"], [], "--vary must name a parameter once"),
        (2, ["coin=1"], [], "coin"),
        (2, ["coin.chanse=1"], [], "did you mean coin.chance"),
        (2, ["coin.chance=0,2"], [], "coin.chance must be less than or equal to 1, got 2"),
        (2, ["tosses=1,2"], ["tosses=3"], "tosses must be given by --set or --vary, got both"),
    ],
)
def test_bad_requests_raise_an_error_before_anything_runs(trials, vary, settings, message):
    with pytest.raises(SynsampError) as found:
        describe_ensemble(EXPERIMENT, trials, vary, settings=settings)
    assert message in str(found.value)
    assert "\n" not in str(found.value)


# -- bit-identical -----------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 5])
def test_the_number_of_workers_does_not_change_a_bit(plain, tmp_path, count):
    with Workers(count=count) as workers:
        other = execute_ensemble(EXPERIMENT, tmp_path / "run", 9, seed=5, workers=workers)
    assert len(manifests(plain)) == 10
    assert manifests(other) == manifests(plain)


def test_the_order_of_trials_does_not_decide_what_can_be_stacked(swept):
    names = ("0-00000", "1-00000")
    found = [layout(flatten(RunFolder(swept.path / "trials" / n).results())) for n in names]
    assert not_stacked(found) == not_stacked(found[::-1]) == ["tossed_heads"]
    assert not_stacked([found[0], found[0]]) == []


def test_the_order_in_which_coordinates_are_read_does_not_decide_it_either():
    """A folder lists its arrays in any order, which may differ between trials."""
    values, time, post = np.zeros((2, 3)), ("time", [0.0, 1.0]), ("post", [0, 1, 2])
    one = xr.Dataset({"x": (("time", "post"), values)}, {"time": time, "post": post})
    other = xr.Dataset({"x": (("time", "post"), values)}, {"post": post, "time": time})
    assert list(one.x.coords) != list(other.x.coords)
    assert not_stacked([layout(one), layout(other)]) == []
    later = other.assign_coords(time=[0.0, 2.0])
    assert not_stacked([layout(one), layout(later)]) == ["x"]


def test_results_are_stored_once(plain):
    """The ensemble's own store holds nothing that the trials have stored."""
    own = {
        path.parent.name for path in (plain.path / "results.zarr" / "ensemble").rglob("zarr.json")
    }
    assert "finished" in own
    assert not any(name.startswith(("tossed", "measures")) for name in own)


def test_an_ensemble_is_read_lazily(plain, monkeypatch):
    opened = []
    monkeypatch.setattr(
        "synsamp.runs.storage.stack.open_dataset",
        lambda path, name: opened.append(path.name) or open_dataset(path, name),
    )
    data = synsamp.open(plain.path)
    assert not opened
    heads = data.tossed_heads
    assert heads.isel(trial=3, toss=slice(2, 9, 3)).values.shape == (3,)
    assert set(opened) == {"00003"}
    whole = heads.values
    for at in ((slice(None, None, -1), 4), ([5, 2], [0, 1, 7]), (-1, slice(3, 3))):
        expected = whole[np.ix_(*at)] if isinstance(at[0], list) else whole[at]
        lazy = synsamp.open(plain.path).tossed_heads
        assert np.array_equal(lazy.isel(trial=at[0], toss=at[1]).values, expected)
    assert np.array_equal(pickle.loads(pickle.dumps(data)).tossed_heads.values, whole)


def test_another_seed_changes_every_trial(plain, tmp_path, two):
    other = execute_ensemble(EXPERIMENT, tmp_path / "run", 9, seed=6, workers=two)
    assert not set(manifests(other)) & set(manifests(plain))


# -- one Dataset -------------------------------------------------------------------------------


def test_all_trials_are_one_dataset(plain):
    data = synsamp.open(plain.path)
    assert data.tossed_heads.dims == ("trial", "toss")
    assert dict(data.sizes) == {"trial": 9, "toss": 40, "claim": 2}
    assert data.finished.values.all()
    assert data.attrs["experiment"] == "coins"
    for t in range(9):
        trial = RunFolder(plain.path / "trials" / f"{t:05d}")
        own = trial.results()["tossed"]
        assert np.array_equal(data.tossed_heads.values[t], own.heads.values)
        assert data.trial_seed.values[t] == trial.description.seed
        assert data.measures_heads.values[t] == trial.claims()[0].value == float(own.share)


def test_what_varies_is_a_dimension_with_its_values(swept):
    data = synsamp.open(swept.path)
    assert data.claim_value.dims == ("claim", "coin.chance", "tosses")
    assert data.measures_heads.dims == ("coin.chance", "tosses", "trial")
    assert list(data["coin.chance"].values) == [0.0, 0.5, 1.0]
    assert list(data.tosses.values) == [30.0, 60.0]
    share = data.tossed_share.transpose("coin.chance", "tosses", "trial").values
    assert (share[0] == 0).all()
    assert (share[2] == 1).all()
    assert 0 < share[1].min() < share[1].max() < 1
    # Courses of 30 and of 60 tosses cannot lie side by side.
    assert "tossed_heads" not in data
    assert list(data.attrs["not_stacked"]) == ["tossed_heads"]


def test_what_differs_in_length_stays_with_its_trial(tmp_path, two):
    folder = execute_ensemble(
        EXPERIMENT, tmp_path / "run", 5, settings=["ragged=true"], workers=two
    )
    data = synsamp.open(folder.path)
    assert "runs_start" not in data
    assert list(data.attrs["not_stacked"]) == ["runs_start"]
    assert "tossed_heads" in data
    lengths = {
        RunFolder(folder.path / "trials" / f"{t:05d}").results()["runs"].sizes["run"]
        for t in range(5)
    }
    assert len(lengths) > 1


def test_quantiles_over_trials_are_stored(plain):
    results = plain.results()
    heads = results["ensemble"].tossed_heads.values
    found = results["summary"].tossed_heads
    assert list(found["quantile"].values) == [0.05, 0.25, 0.5, 0.75, 0.95]
    assert np.allclose(found.values, np.quantile(heads, found["quantile"].values, axis=0))


def test_datasets_of_one_run_become_one_without_mixing_names_up():
    results = {
        "a": xr.Dataset({"x": (("t", "x"), np.ones((3, 2)))}, coords={"t": [1, 2, 3]}),
        "b": xr.Dataset({"y": ("t", [5.0, 6.0])}, coords={"when": ("t", ["p", "q"])}),
        "c": xr.Dataset({"y": ("trial", np.ones(4))}),
        "branch/d": xr.Dataset({"d": ("k", [1.0]), "e": ("k", [2.0])}),
    }
    whole = flatten(results, ["x"])
    assert whole.a_x.dims == ("t_of_a", "x_of_a")
    assert list(whole.t_of_a.values) == [1, 2, 3]
    assert whole.b_y.dims == whole.b_when.dims == ("t_of_b",)
    assert whole.c_y.dims == ("trial_of_c",)
    assert whole.branch_d.values == [1.0]  # a record of one quantity is called like it
    assert whole.branch_d_e.values == [2.0]


def test_an_ensemble_tells_which_neuron_each_trial_removed_and_its_population(tmp_path):
    for trial, neuron in enumerate((1, 3)):
        protocol = Protocol(
            circuit.network(),
            [Show(circuit.LEFT, 10), Lesion(RemoveNeurons("z", [neuron])), Show(circuit.LEFT, 10)],
            {"rates": every(10, rates())},
        )
        context = MemoryContext()
        rest = protocol.carry_out(trial, context)
        write_results(tmp_path / "trials" / f"{trial:05d}", {**context.results(), **rest}, [])
    whole = open_ensemble(tmp_path, xr.Dataset({"finished": ("trial", [True, True])}))
    assert whole.steps_removed.dims == ("trial", "step", "neuron")
    removed = whole.steps_removed.any("step")
    assert [whole.neuron.values[row].tolist() for row in removed.values] == [[1], [3]]
    assert whole.rates.dims == ("trial", "time", "neuron")
    assert set(whole.rates.population.values) == {"z"}
    assert whole.rates.population.dims == ("neuron",)
    last = whole.rates.isel(time=-1)
    assert (last.where(removed) == 0).sum() == 2


def test_populations_of_other_neurons_are_not_mixed_up():
    neurons = {"neuron": [0, 1], "population": ("neuron", ["y", "z"])}
    results = {
        "steps": xr.Dataset({"removed": (("step", "neuron"), [[True, False]])}, coords=neurons),
        "u": xr.Dataset({"u": ("neuron", [0.5])}, coords={"neuron": [1]}),
    }
    whole = flatten(results)
    assert whole.population_of_steps.dims == ("neuron_of_steps",)
    assert whole.u.dims == ("neuron_of_u",)
    assert "population" not in whole.coords


def test_a_single_run_opens_the_same_way(tmp_path):
    folder = execute(EXPERIMENT, tmp_path / "run")
    data = synsamp.open(folder.path)
    assert data.tossed_heads.dims == ("toss",)
    with pytest.raises(SynsampError, match="run folder must exist"):
        synsamp.open(tmp_path / "nothing")


def test_a_changed_file_is_not_opened(tmp_path, two):
    folder = execute_ensemble(EXPERIMENT, tmp_path / "run", 2, workers=two)
    store = folder.path / "trials" / "00001" / "results.zarr"
    chunk = next(path for path in store.rglob("c/*") if path.is_file())
    chunk.write_bytes(chunk.read_bytes()[:-1] + b"x")
    with pytest.raises(SynsampError, match="changed"):
        synsamp.open(folder.path)


# -- claims over the ensemble ------------------------------------------------------------------


def test_a_claim_is_judged_by_the_interval_over_seeds(plain):
    data = synsamp.open(plain.path)
    records = {record.id: record for record in plain.claims()}
    share = share_interval(data.measures_mostly.values)
    assert records["mostly"].value == share.value
    assert records["mostly"].interval == (share.low, share.high)
    mean = mean_interval(data.measures_heads.values)
    assert records["heads"].value == mean.value
    assert records["heads"].interval == (mean.low, mean.high)
    assert {record.n for record in records.values()} == {9}
    assert records["heads"].verdict == "holds"
    assert records["mostly"].verdict == "undecided"  # the coin is fair
    for record in records.values():
        one = data.sel(claim=record.id)
        assert VERDICTS[int(one.claim_verdict)] == record.verdict
        assert float(one.claim_value) == record.value
        assert (float(one.claim_low), float(one.claim_high)) == record.interval
        low, high = record.band
        assert float(one.band_low) == low
        assert np.isnan(one.band_high) if high is None else float(one.band_high) == high


def test_claims_of_a_sweep_are_judged_at_every_combination(swept):
    records = {(record.id, record.at): record for record in swept.claims()}
    assert len(records) == 2 * 6
    assert records["heads", "coin.chance=1, tosses=30"].verdict == "holds"
    assert records["mostly", "coin.chance=1, tosses=30"].value == 1.0  # in 4 of 4
    assert records["mostly", "coin.chance=0, tosses=30"].verdict == "fails"
    assert records["heads", "coin.chance=0, tosses=60"].value == 0.0
    assert records["heads", "coin.chance=0, tosses=60"].verdict == "fails"


def judged_in(folder, experiment, finished=slice(None)):
    """Where claims are judged: by combination, as if only some trials had finished."""
    trials = trials_of(EXPERIMENT, folder.description)
    found, records = gather(experiment, folder, trials, trials[finished], [])
    return found.claim_verdict.values >= 0, records


def test_a_combination_without_a_finished_trial_is_not_judged(swept):
    judged, records = judged_in(swept, EXPERIMENT, slice(4))  # all of the first combination
    assert judged.sum(axis=(1, 2)).tolist() == [1, 1] == judged[:, 0, 0].tolist()
    assert len(records) == 2
    assert judged_in(swept, EXPERIMENT, slice(0))[1] == []


def test_a_claim_is_judged_where_it_applies_and_must_be_measured_there(swept):
    long = replace(EXPERIMENT.claims[0], needs=lambda parameters: parameters.tosses > 30)
    judged, _ = judged_in(swept, replace(EXPERIMENT, claims=[long]))
    assert judged.tolist() == [[[False, True]] * 3]

    def tails(parameters, results):
        return 1.0

    missing = replace(EXPERIMENT, measures=[tails], claims=[replace(long, measure="tails")])
    with pytest.raises(ValueError, match="claim 'heads': 'tails' was not measured"):
        judged_in(swept, missing)


def test_three_seeds_cannot_decide_a_share(tmp_path, two):
    settings = ["coin.chance=1"]
    folder = execute_ensemble(EXPERIMENT, tmp_path / "run", 3, settings=settings, workers=two)
    record = folder.claims()[1]
    assert record.value == 1.0
    assert record.verdict == "undecided"
    assert record.needed == 4  # of 4 out of 4, Wilson's interval begins at 0.51


# -- the report --------------------------------------------------------------------------------


def test_the_report_shows_the_experiments_figures_and_values_over_seeds(plain):
    page = write_report([plain.path], WITH_COINS, plain.path / "report.html").read_text()
    names = {path.stem for path in (plain.path / "figures").glob("*.svg")}
    assert names == {"A", "values"}
    assert "Heads over time." in page
    assert "every dot is one run with its own seed" in page


def test_the_report_of_a_sweep_shows_curves_or_heat_maps(swept, tmp_path, two):
    write_report([swept.path], WITH_COINS, swept.path / "report.html")
    names = {path.stem for path in (swept.path / "figures").glob("*.svg")}
    assert names == {"verdicts", "values-2"}
    one = execute_ensemble(
        EXPERIMENT, tmp_path / "run", 4, vary=["coin.chance=0.2,0.8"], workers=two
    )
    write_report([one.path], WITH_COINS, one.path / "report.html")
    names = {path.stem for path in (one.path / "figures").glob("*.svg")}
    assert names == {"verdicts", "values-1"}


def test_words_can_vary(tmp_path, two):
    vary = ["ragged=true,false"]
    folder = execute_ensemble(EXPERIMENT, tmp_path / "run", 2, vary=vary, workers=two)
    data = synsamp.open(folder.path)
    assert list(data.ragged.values) == ["true", "false"]
    write_report([folder.path], WITH_COINS, folder.path / "report.html")


# -- trouble -----------------------------------------------------------------------------------


def test_a_trial_that_fails_is_reported_and_the_rest_continues(tmp_path, two):
    flag = tmp_path / "flag"
    flag.touch()
    folder = execute_ensemble(
        EXPERIMENT, tmp_path / "run", 8, settings=[f"trouble=some:{flag}"], workers=two
    )
    data = synsamp.open(folder.path)
    failed = np.flatnonzero(~data.finished.values)
    assert 0 < failed.size < 8
    status = folder.status
    assert status.state == "finished"
    assert f"{failed.size} of 8 trials failed" in status.message
    assert f"(seed {data.trial_seed.values[failed[0]]})" in status.message
    assert "ZeroDivisionError: a bug of the toy" in status.message
    assert np.isnan(data.tossed_share.values[failed]).all()
    assert (data.tossed_share.values[data.finished.values] > 0).all()
    assert json.loads((folder.path / "claims.json").read_text())[0]["n"] == 8 - failed.size
    log = (folder.path / "run.log").read_text()
    assert log.count("ZeroDivisionError") >= failed.size


def test_workers_without_the_folder_or_its_locks_raise_an_error(tmp_path):
    class Cluster:
        def __init__(self, **answers):
            self.answers = answers

        def run(self, function, *arguments, on_error):
            near = {"tcp://near": function(*arguments)}
            return near | (self.answers if arguments else {})

    check_workers(Cluster(), tmp_path)
    with pytest.raises(SynsampError, match=r"must see .*, got 1 that do not \(far\)"):
        check_workers(Cluster(far="unseen"), tmp_path)
    with pytest.raises(SynsampError, match=r"must respect file locks .*\(far\)"):
        check_workers(Cluster(far="free"), tmp_path)
    assert list((tmp_path / "trials").iterdir()) == []


def test_if_all_trials_fail_the_run_has_failed(tmp_path, two):
    flag = tmp_path / "flag"
    flag.touch()
    with pytest.raises(RunFailedError, match="3 of 3 trials failed: trial 00000"):
        execute_ensemble(
            EXPERIMENT, tmp_path / "run", 3, settings=[f"trouble=refusal:{flag}"], workers=two
        )
    assert RunFolder(tmp_path / "run").status.state == "failed"
    assert not (tmp_path / "run" / "results.zarr").exists()


def test_finished_trials_that_were_damaged_are_run_again(tmp_path, two):
    folder = execute_ensemble(EXPERIMENT, tmp_path / "run", 4, workers=two)
    before = manifests(folder)
    trials = folder.path / "trials"
    chunks = (trials / "00001" / "results.zarr").rglob("c/*")
    next(path for path in chunks if path.is_file()).write_bytes(b"nonsense")
    (trials / "00002" / "run.json").write_text("{")
    (trials / "00003" / "status.json").write_text("{}")
    with RunFolder.reopen(folder.path) as again:
        carry_out_ensemble(Given(EXPERIMENT), again, Console(quiet=True), two)
    assert manifests(folder) == before


def test_time_left_counts_neither_what_was_finished_before_nor_compiling(monkeypatch):
    trials = trials_of(EXPERIMENT, describe_ensemble(EXPERIMENT, 10))
    now = [100.0]
    monkeypatch.setattr("synsamp.runs.ensembles.progress.time.monotonic", lambda: now[0])
    console = Console(file=StringIO(), width=200)
    with EnsembleProgress(console, trials, {t.name for t in trials[:6]}) as progress:
        now[0] += 600.0  # compiling; then half a trial a minute, and three are left
        progress.report(trials[6].name, 0.5)
        now[0] += 61.0
        progress.report(trials[7].name, 0.5)
        now[0] += 61.0  # all is computed, and results are being stored
        for trial, share in zip(trials[6:], (0.1 + 0.2 + 0.7, 1.0, 1.0, 1.0), strict=True):
            progress.report(trial.name, share)
            now[0] += 61.0
    first, running, *_, storing = console.file.getvalue().splitlines()
    assert first == "0 of 10 trials"
    assert running == "0 of 10 trials, about 6 min left"
    assert storing == "0 of 10 trials"


def test_quantiles_in_stretches_are_the_quantiles(monkeypatch):
    rng = np.random.default_rng(0)
    values = xr.DataArray(rng.normal(size=(3, 7, 50)), dims=("a", "trial", "t"))
    finished = xr.DataArray(np.arange(21).reshape(3, 7) % 4 > 0, dims=("a", "trial"))
    whole = _quantiles(values, finished, (0.25, 0.5))
    slow = values.where(finished).quantile([0.25, 0.5], "trial", skipna=True)
    np.testing.assert_allclose(whole.values, slow.transpose(*whole.dims).values, rtol=1e-12)
    monkeypatch.setattr("synsamp.runs.storage.stack.BLOCK_BYTES", 500)
    assert whole.identical(_quantiles(values, finished, (0.25, 0.5)))


def test_a_scheduler_that_is_not_there_raises_a_one_line_error(monkeypatch):
    monkeypatch.setattr("synsamp.runs.parallel.workers.CONNECT_S", 1.0)
    with (
        Workers("tcp://127.0.0.1:9") as workers,
        pytest.raises(SynsampError, match="--scheduler must be the address or file") as found,
    ):
        workers.client(Console(quiet=True))
    assert "\n" not in str(found.value)
    with pytest.raises(SynsampError, match="--workers must not go with --scheduler"):
        Workers("tcp://127.0.0.1:9", 2)
