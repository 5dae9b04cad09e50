"""What is exported is what was recorded: every format is read back by its own library."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import synsamp
from protocol.circuit import LEFT, RIGHT, SYNAPSES, network
from synsamp.claims import Claim
from synsamp.cli import run_command_line
from synsamp.errors import SynsampError
from synsamp.experiments.base import Experiment
from synsamp.experiments.registry import REGISTRY, Entry, Registry
from synsamp.protocol import (
    Branch,
    Protocol,
    Show,
    births_deaths,
    every,
    input_spikes,
    spikes,
    theta,
    weight,
)
from synsamp.runs import execute
from synsamp.runs.ensembles.run import execute_ensemble
from synsamp.runs.parallel.workers import Workers
from toys.app import TOYS

RECORDS = {
    "spikes": spikes(),
    "inputs": input_spikes("x"),
    "theta": every(2.0, theta(SYNAPSES)),
    "weight": every(5.0, weight(SYNAPSES)),
    "changes": births_deaths(SYNAPSES),
}


def run(parameters, seed):
    return Protocol(
        network(speed=5e-3),
        steps=[Show(LEFT, 10.0), Branch("other", [Show(RIGHT, 5.0)]), Show(LEFT, 10.0)],
        record=RECORDS,
        sync_interval_s=1.0,
    )


def rate(parameters, results):
    return float(len(results["spikes"].time) / 20.0)


EXPERIMENT = Experiment(
    name="recorded",
    title="All that can be recorded",
    run=run,
    measures=[rate],
    claims=[Claim("spiking", "Neurons spike", "", "rate", (1.0, None))],
)


@pytest.fixture(scope="module")
def single(tmp_path_factory):
    return execute(EXPERIMENT, tmp_path_factory.mktemp("export") / "one", seed=3)


@pytest.fixture(scope="module")
def ensemble(tmp_path_factory):
    out = tmp_path_factory.mktemp("export") / "two"
    with Workers(count=1) as workers:
        return execute_ensemble(EXPERIMENT, out, 2, workers=workers)


def spikes_of(results, record, column):
    """Spike times of each neuron or input, from the stored table."""
    data = results[record].load()
    return {
        int(n): np.sort(data["time"].values[data[column].values == n])
        for n in np.unique(data[column].values)
    }


def test_the_run_has_all_that_is_exported(single):
    results = single.results()
    assert {"spikes", "inputs", "theta", "weight", "changes", "other/spikes"} <= set(results)
    assert len(results["changes"].time) > 10


def test_csv_has_every_value(single, tmp_path):
    folder = synsamp.export(single.path, to="csv", out=tmp_path / "tables")
    results = single.results()
    spiked = pd.read_csv(folder / "spikes.csv")
    np.testing.assert_array_equal(spiked["time"], results["spikes"].time.values)
    np.testing.assert_array_equal(spiked["neuron"], results["spikes"].neuron.values)
    long = pd.read_csv(folder / "theta.csv", dtype={"theta": np.float32})
    back = long.set_index(["time", "post", "pre"])["theta"].to_xarray()
    np.testing.assert_array_equal(back.values, results["theta"].theta.values)
    assert (folder / "other" / "changes.csv").is_file()
    claims = pd.read_csv(folder / "claims.csv")
    assert claims["id"].tolist() == ["spiking"]
    assert claims["value"][0] == pytest.approx(single.claims()[0].value)
    assert json.loads((folder / "run.json").read_text())["seed"] == 3


def test_an_ensemble_has_a_folder_per_trial(ensemble, tmp_path):
    folder = synsamp.export(ensemble.path, to="csv", out=tmp_path / "tables")
    seeds = [pd.read_csv(folder / name / "spikes.csv") for name in ("00000", "00001")]
    assert not seeds[0].equals(seeds[1])
    assert (folder / "claims.csv").is_file()


def test_neo_reads_back_what_was_recorded(single, tmp_path):
    neo = pytest.importorskip("neo", reason="needs synsamp[neo]")
    pytest.importorskip("nixio", reason="needs synsamp[neo]")
    path = synsamp.export(single.path, to="neo", out=tmp_path / "run.nix")
    with neo.NixIO(str(path), "ro") as file:
        block = file.read_block()
    results = single.results()
    trunk, other = block.segments
    assert (trunk.name, other.name) == ("run", "run/other")
    for segment, place in ((trunk, ""), (other, "other/")):
        for kind, record, column in (("neuron", "spikes", "neuron"), ("input", "inputs", "input")):
            expected = spikes_of(results, place + record, column)
            found = {
                t.annotations["index"]: t.rescale("s").magnitude
                for t in segment.spiketrains
                if t.annotations["kind"] == kind
            }
            assert found.keys() == expected.keys()
            for index, times in expected.items():
                np.testing.assert_allclose(found[index], times, rtol=1e-12)
    neurons = [t for t in trunk.spiketrains if t.annotations["kind"] == "neuron"]
    assert {t.annotations["population"] for t in neurons} == {"z"}
    signals = {s.name: s for s in trunk.irregularlysampledsignals}
    values = results["theta"].theta.values
    np.testing.assert_array_equal(signals["theta"].magnitude, values.reshape(len(values), -1))
    post, pre = (signals["theta"].array_annotations[key] for key in ("post", "pre"))
    assert (post[13], pre[13]) == (1, 1)  # of 4 neurons and 12 inputs, row after row
    np.testing.assert_allclose(signals["theta"].times.magnitude, results["theta"].time.values)
    (events,) = trunk.events
    born = results["changes"].born.values
    assert list(events.labels) == ["birth" if b else "death" for b in born]
    np.testing.assert_array_equal(events.array_annotations["pre"], results["changes"].pre.values)
    assert json.loads(block.annotations["claims"])[0]["id"] == "spiking"


@pytest.fixture(scope="module")
def nwb_file(single, tmp_path_factory):
    pytest.importorskip("pynwb", reason="needs synsamp[nwb]")
    return synsamp.export(single.path, to="nwb", out=tmp_path_factory.mktemp("nwb") / "run.nwb")


def test_pynwb_reads_back_what_was_recorded(single, nwb_file):
    from pynwb import NWBHDF5IO

    results = single.results()
    with NWBHDF5IO(str(nwb_file), "r") as file:
        nwb = file.read()
        units = nwb.units.to_dataframe()
        theta_rows = nwb.processing["ecephys"]["theta"].to_dataframe()
        times = nwb.processing["ecephys"]["theta_times"]["time"][:]
        events = nwb.processing["ecephys"]["changes"].to_dataframe()
        claims = nwb.analysis["claims"].to_dataframe()
        subject = nwb.subject
        assert "unidentified" not in subject.species
        assert subject.species.endswith("NCBITaxon_32644")
        assert "no animal" in subject.description
    for branch, place in (("trunk", ""), ("other", "other/")):
        for kind, record, column in (("neuron", "spikes", "neuron"), ("input", "inputs", "input")):
            rows = units[(units.kind == kind) & (units.branch == branch)].set_index("index")
            expected = spikes_of(results, place + record, column)
            assert set(rows.index) == expected.keys()
            for index, spike_times in expected.items():
                np.testing.assert_array_equal(rows.spike_times[index], spike_times)
    stored = results["theta"].theta
    np.testing.assert_array_equal(times, stored.time.values)
    row = theta_rows[(theta_rows.post == 2) & (theta_rows.pre == 5)]
    np.testing.assert_array_equal(row.theta.iloc[0], stored.values[:, 2, 5])
    np.testing.assert_array_equal(events.born, results["changes"].born.values)
    assert claims["verdict"].tolist() == [single.claims()[0].verdict]


def test_nwbinspector_finds_nothing_critical(nwb_file):
    inspector = pytest.importorskip("nwbinspector", reason="nwbinspector is not installed")
    for config in (None, inspector.load_config("dandi")):
        found = list(inspector.inspect_nwbfile(nwbfile_path=nwb_file, config=config))
        bad = [m for m in found if m.importance.name not in SUGGESTIONS]
        assert [f"{m.check_function_name}: {m.message}" for m in bad] == []


def test_nwbinspector_would_find_a_missing_subject(nwb_file, tmp_path):
    inspector = pytest.importorskip("nwbinspector", reason="nwbinspector is not installed")
    import h5py

    spoiled = tmp_path / "spoiled.nwb"
    shutil.copyfile(nwb_file, spoiled)
    with h5py.File(spoiled, "a") as file:
        del file["general/subject"]
    found = list(inspector.inspect_nwbfile(nwbfile_path=spoiled))
    assert [m.message for m in found if m.importance.name not in SUGGESTIONS]


SUGGESTIONS = ("BEST_PRACTICE_VIOLATION", "BEST_PRACTICE_SUGGESTION")


def test_an_ensemble_is_a_folder_of_nwb_files(ensemble, tmp_path):
    pynwb = pytest.importorskip("pynwb", reason="needs synsamp[nwb]")
    folder = synsamp.export(ensemble.path, to="nwb", out=tmp_path / "nwb")
    assert sorted(path.name for path in folder.iterdir()) == ["00000.nwb", "00001.nwb"]
    with pynwb.NWBHDF5IO(str(folder / "00001.nwb"), "r") as file:
        assert len(file.read().units) > 0


def test_arviz_reads_chains_of_theta(ensemble, tmp_path):
    from arviz_stats import rhat

    path = synsamp.export(ensemble.path, to="arviz", out=tmp_path / "theta.zarr")
    tree = xr.open_datatree(path, engine="zarr", consolidated=False)
    trials = [trial.results() for trial in ensemble.finished_trials()]
    for record in ("theta", "other_theta"):
        found = tree["posterior"][record]
        assert found.dims[:2] == ("chain", f"draw_of_{record}")
        stored = [trial[record.replace("_", "/")].theta.values for trial in trials]
        np.testing.assert_array_equal(found.values, np.stack(stored))
    draws = tree["posterior"]["theta"].rename(draw_of_theta="draw")
    assert np.isfinite(rhat(draws.to_dataset(name="theta")).theta.values).all()
    assert json.loads(tree["claims"].attrs["claims"])[0]["id"] == "spiking"


def test_one_record_of_theta_has_arviz_own_names(tmp_path):
    def paths(parameters, seed):
        return xr.Dataset({"theta": (("draw", "parameter"), np.zeros((4, 2)) + seed)})

    told = Experiment(name="paths", title="Paths", run=paths)
    folder = execute(told, tmp_path / "a", seed=5)
    path = synsamp.export(folder.path, to="arviz")
    assert path == tmp_path / "a-arviz.zarr"
    found = xr.open_datatree(path, engine="zarr", consolidated=False)["posterior"]["theta"]
    assert found.dims == ("chain", "draw", "parameter")
    np.testing.assert_array_equal(found.values, 5.0)


def test_what_cannot_be_exported_says_why(single, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    walk = execute(TOYS.find("stroll").load(), tmp_path / "walk")
    for words, said in (
        ({"run": single.path, "to": "hdf"}, ["to must be", "'hdf'", "nwb"]),
        ({"run": single.path, "to": "csv", "out": "there"}, ["out must not exist", "there"]),
        ({"run": single.path, "to": "csv", "out": "no/where"}, ["existing folder"]),
        ({"run": walk.path, "to": "neo"}, ["must hold spikes", "path", "spikes()", "csv"]),
        ({"run": walk.path, "to": "nwb"}, ["must hold spikes"]),
        ({"run": walk.path, "to": "arviz"}, ["must hold θ over time"]),
        ({"run": tmp_path / "nowhere", "to": "csv"}, ["must exist"]),
    ):
        with pytest.raises(SynsampError) as error:
            synsamp.export(**words)
        for text in said:
            assert text in str(error.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["there", "walk"]
    monkeypatch.setattr("synsamp.extras.find_spec", lambda name: None)
    assert run_command_line(["export", str(single.path), "--to", "nwb"], REGISTRY) == 2
    assert "pip install 'synsamp[nwb]'" in capsys.readouterr().err


def test_the_command_writes_next_to_the_run(single, tmp_path, capsys):
    registry = Registry([Entry("recorded", "", EXPERIMENT.title, lambda: EXPERIMENT)])
    words = ["export", str(single.path), "--to", "csv", "--out", str(tmp_path / "x")]
    assert run_command_line(words, registry) == 0
    assert capsys.readouterr().out == f"wrote {tmp_path / 'x'}\n"


def test_the_page_on_export_runs_as_printed(single, tmp_path, monkeypatch):
    pytest.importorskip("pynwb", reason="needs synsamp[nwb]")
    pytest.importorskip("nixio", reason="needs synsamp[neo]")
    monkeypatch.chdir(tmp_path)
    shutil.copytree(single.path, "runs/hot")
    page = (Path(__file__).parents[2] / "docs" / "howto" / "export.md").read_text(encoding="utf-8")
    write, read = re.findall(r"```python\n(.*?)```", page, re.S)
    names: dict[str, object] = {}
    exec(write, names)
    for line in re.findall(r"^    synsamp (export .*?--to (?:neo|arviz))\b", page, re.M):
        assert run_command_line(line.split(), REGISTRY) == 0
    exec(read, names)
    assert len(names["units"]) == sum(
        len(segment.spiketrains) for segment in names["block"].segments
    )
    assert "theta" in names["tree"]["posterior"]
