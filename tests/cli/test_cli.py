"""The command line: what it promises, and one clear line for whatever is wrong."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from importlib import metadata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synsamp import extras
from synsamp.cli import run_command_line
from synsamp.experiments.registry import REGISTRY, Entry, Registry
from synsamp.runs.overrides import flat
from toys.app import TOYS


@pytest.fixture
def synsamp(capsys, monkeypatch, tmp_path):
    """Run a command in an empty folder; return exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = run_command_line([str(a) for a in arguments], TOYS)
        output, errors = capsys.readouterr()
        return code, output, errors

    return run


def one_line(errors):
    lines = errors.splitlines()
    return len(lines) == 1 and lines[0].startswith("synsamp: ") and "Traceback" not in errors


def test_list_names_every_experiment(synsamp):
    code, output, _ = synsamp("list")
    assert code == 0
    for entry in TOYS:
        assert entry.name in output
        assert entry.alias in output
        assert entry.title in output


def test_list_of_one_shows_what_can_be_set(synsamp):
    code, output, _ = synsamp("list", "fig0")
    assert code == 0
    assert "step.size" in output
    assert "standard deviation" in output


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("entry", list(REGISTRY), ids=lambda entry: entry.name)
def test_list_never_cuts_a_name_that_must_be_typed(capsys, monkeypatch, entry, width):
    monkeypatch.setenv("COLUMNS", str(width))
    assert run_command_line(["list", entry.name], REGISTRY) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    first_words = {line.split()[0] for line in lines if line.strip()}
    names = flat(entry.load().presets["quick"].model_dump(mode="json"))
    assert set(names) <= first_words


def test_run_writes_everything_and_says_where(synsamp, tmp_path):
    code, output, _ = synsamp("run", "fig0", "--seed", 3, "--set", "blocks=4", "--out", "here")
    assert code == 0
    assert "claims: 1 holds, 1 fails, 1 undecided" in output
    assert "report: here/report.html" in output
    for name in ("report.html", "claims.json", "figures/A.png", "figures/A.svg", "run.log"):
        assert (tmp_path / "here" / name).stat().st_size > 0
    content = json.loads((tmp_path / "here" / "run.json").read_text())
    assert (content["experiment"], content["seed"], content["given"]) == ("walk", 3, ["blocks=4"])


def test_without_out_a_new_folder_is_made_each_time(synsamp, tmp_path):
    for _ in range(3):  # more than one in a second
        assert synsamp("run", "fig00", "--preset", "paper", "--set", "blocks=1")[0] == 0
    names = [path.name for path in (tmp_path / "runs").iterdir()]
    assert len(names) == 3
    assert all(name.startswith("stroll-paper-") for name in names)


def test_strict_fails_if_a_claim_does(synsamp):
    assert synsamp("run", "stroll", "--out", "a", "--strict")[0] == 1
    assert synsamp("run", "stroll", "--out", "b")[0] == 0


def test_run_all_runs_each_and_writes_one_report(synsamp, tmp_path):
    code, output, _ = synsamp("run", "all", "--out", "demo")
    assert code == 0
    first, *_ = output.splitlines()
    assert first.startswith("report: demo/report.html (open it now")
    assert output.count("report.html") == 1
    assert "claims: 2 hold, 2 fail, 2 undecided" in output
    assert len(output.splitlines()) <= 6  # the claims themselves are in the report
    page = (tmp_path / "demo" / "report.html").read_text()
    assert page.index('id="run-1"') < page.index("A walk") < page.index("A short walk")
    assert "<nav" in page
    code, _, errors = synsamp("run", "all", "--out", "demo")
    assert code == 2
    assert one_line(errors)
    assert synsamp("run", "all", "--out", "demo", "--force")[0] == 0
    code, output, _ = synsamp("resume", "demo")
    assert (code, output.count("is finished")) == (0, 2)


WITH_BEYOND = Registry(
    [replace(entry, beyond=entry.name == "stroll") for entry in TOYS]
    + [Entry("deep", "", "Needs what is not there", lambda: pytest.fail("loaded"), "", True, "jax")]
)


def test_what_goes_beyond_the_paper_is_listed_apart_and_not_run_with_all(
    capsys, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    assert run_command_line(["list"], WITH_BEYOND) == 0
    listed = capsys.readouterr().out
    order = ["the paper", "A walk", "beyond the paper", "A short walk", "needs synsamp[jax]"]
    places = [listed.index(words) for words in order]
    assert places == sorted(places)
    assert run_command_line(["run", "all", "--out", "demo"], WITH_BEYOND) == 0
    assert [path.name for path in (tmp_path / "demo").glob("*/")] == ["walk"]
    assert run_command_line(["run", "stroll", "--out", "apart"], WITH_BEYOND) == 0


@pytest.mark.parametrize("command", [["run", "deep"], ["list", "deep"], ["claims", "deep"]])
def test_an_experiment_without_its_extra_says_so_in_one_line(capsys, monkeypatch, command):
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    assert run_command_line(command, WITH_BEYOND) == 2
    errors = capsys.readouterr().err
    assert one_line(errors)
    assert "deep needs jax and optax" in errors
    assert "pip install 'synsamp[jax]'" in errors


def test_the_extras_are_those_that_can_be_installed():
    wanted = metadata.requires("synsamp")
    for extra, names in extras.EXTRAS.items():
        brought = [line for line in wanted if line.endswith(f'extra == "{extra}"')]
        assert sorted(re.match(r"[\w-]+", line).group() for line in brought) == sorted(names)


def test_run_all_continues_after_a_failure_and_resume_completes_it(synsamp, tmp_path, monkeypatch):
    from toys import stroll, walk

    def broken(parameters, context):
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(walk, "EXPERIMENT", replace(walk.EXPERIMENT, run=broken))
        code, output, errors = synsamp("run", "all", "--out", "demo")
    assert code == 1
    assert "walk failed" in errors
    assert "claims: 1 holds, 1 fails, 1 undecided" in output
    assert stroll.EXPERIMENT.title in (tmp_path / "demo" / "report.html").read_text()
    code, output, _ = synsamp("resume", "demo")
    assert code == 0
    assert "claims: 2 hold, 2 fail, 2 undecided" in output


def test_a_drawing_that_fails_leaves_the_others_on_the_page(synsamp, tmp_path, monkeypatch):
    from toys import walk

    def broken(parameters, runs):
        raise ZeroDivisionError

    monkeypatch.setattr(walk, "EXPERIMENT", replace(walk.EXPERIMENT, draw=broken))
    code, _, errors = synsamp("run", "all", "--out", "demo")
    assert code == 1
    assert "draw of walk failed: ZeroDivisionError" in errors
    page = (tmp_path / "demo" / "report.html").read_text()
    assert "A short walk" in page
    assert "to come" not in page


def test_report_draws_again_and_joins_folders(synsamp, tmp_path):
    synsamp("run", "walk", "--out", "a")
    synsamp("run", "stroll", "--out", "b")
    (tmp_path / "a" / "figures" / "A.png").unlink()
    (tmp_path / "a" / "report.html").unlink()
    code, output, _ = synsamp("report", "a")
    assert (code, output) == (0, "report: a/report.html\n")
    assert (tmp_path / "a" / "figures" / "A.png").exists()
    assert synsamp("report", "a", "b")[:2] == (0, "report: report.html\n")
    assert "<nav" in (tmp_path / "report.html").read_text()
    assert synsamp("report", "a", "b", "--out", "both.html")[0] == 0
    (tmp_path / "mine.html").write_text("mine")
    code, _, errors = synsamp("report", "a", "--out", "mine.html")
    assert code == 2
    assert one_line(errors)
    assert (tmp_path / "mine.html").read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "landscap"], ["experiment must be one of", "'landscap'", "synsamp list"]),
        (["run", "wolk"], ["did you mean walk?"]),
        (["run", "walk", "--set", "step.sise=1"], ["step.sise", "did you mean step.size?"]),
        (["run", "walk", "--set", "step.size=-1"], ["step.size", "greater than 0", "-1", "1.0"]),
        (["run", "walk", "--set", "blocks=few"], ["blocks", "valid integer", "few"]),
        (["run", "walk", "--set", "blocks"], ["key=value"]),
        (["run", "walk", "--preset", "slow"], ["--preset must be quick or paper", "'slow'"]),
        (["run", "walk", "--seed", "-1"], ["--seed must be a whole number >= 0", "-1"]),
        (["run", "walk", "--seed", "x"], ["--seed must be a whole number", "'x'"]),
        (["run", "walk", "--sed", "1"], ["--sed"]),
        (["run"], ["name"]),
        (["run", "all", "--set", "blocks=3"], ["--set must go with one experiment"]),
        (["walk"], ["walk"]),
        (["run", "walk", "--out", "file"], ["--out must be a folder", "file"]),
        (["run", "walk", "--out", "file/x"], ["file"]),
        (["run", "walk", "--out", "full"], ["--out must be new or a run folder", "full"]),
        (["run", "all", "--out", "full"], ["--out must be new or hold runs", "full"]),
        (["resume", "nowhere"], ["run folder must exist", "nowhere"]),
        (["resume", "full"], ["must hold a run.json", "full"]),
        (["resume", "file"], ["must hold a run.json", "file"]),
        (["report", "nowhere"], ["must exist", "nowhere"]),
        (["report", "full"], ["must hold a run.json"]),
        (["report"], ["DIR"]),
        (["list", "nothing"], ["experiment must be one of"]),
        (["run", "walk", "--set", "a\nb=\x1b[31m"], ["must name a parameter"]),
    ],
)
def test_bad_input_gets_one_clear_line_and_exit_code_2(synsamp, tmp_path, arguments, words):
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("x")
    code, output, errors = synsamp(*arguments)
    assert code == 2
    assert one_line(errors), errors
    for word in words:
        assert word in errors
    assert output == ""
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "full"]
    assert [p.name for p in (tmp_path / "full").iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("name", ["run.json", "status.json", "claims.json", "results.manifest"])
def test_a_corrupted_run_gets_one_clear_line(synsamp, tmp_path, name):
    synsamp("run", "stroll", "--out", "a")
    (tmp_path / "a" / name).write_bytes(b"\x00{")
    code, _, errors = synsamp("report", "a")
    assert code == 2
    assert one_line(errors)
    assert name in errors


def test_a_damaged_result_gets_one_clear_line(synsamp, tmp_path):
    synsamp("run", "stroll", "--out", "a")
    (tmp_path / "a" / "results.zarr" / "end" / "position" / "c").write_bytes(b"")
    code, _, errors = synsamp("report", "a")
    assert code == 2
    assert one_line(errors)
    assert "results.zarr/end/position/c" in errors


def test_a_disk_that_is_full_for_the_report_is_reported(synsamp, monkeypatch):
    synsamp("run", "stroll", "--out", "a")

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    code, _, errors = synsamp("report", "a")
    assert code == 1
    assert one_line(errors)
    assert "disk is full" in errors


def test_a_run_of_an_experiment_that_is_not_here_gets_one_clear_line(synsamp, tmp_path):
    synsamp("run", "stroll", "--out", "a")
    path = tmp_path / "a" / "run.json"
    path.write_text(path.read_text().replace('"stroll"', '"flight"'))
    for command in ("report", "resume"):
        code, _, errors = synsamp(command, "a")
        assert code == 2
        assert one_line(errors)
        assert "flight" in errors


@given(st.lists(st.text(max_size=12), min_size=1, max_size=4))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_arguments_at_all_lead_to_a_traceback(synsamp, tmp_path, arguments):
    code, _, errors = synsamp(*arguments)
    assert code == 0 or (code == 2 and one_line(errors)), (arguments, errors)


@pytest.mark.parametrize("command", ["", "list", "run", "resume", "report", "doctor"])
def test_help_explains_itself(synsamp, command):
    code, output, _ = synsamp(*command.split(), "--help")
    assert code == 0
    assert len(output.split()) > 25


def test_doctor_shows_versions_threads_and_data(synsamp, monkeypatch, tmp_path):
    monkeypatch.setenv("SYNSAMP_DATA", str(tmp_path))
    code, output, _ = synsamp("doctor")
    assert code == 0
    for word in ("numpy", "zarr", "threads", "SYNSAMP_DATA", "kernel cache"):
        assert word in output
    monkeypatch.setenv("SYNSAMP_DATA", str(tmp_path / "nowhere"))
    code, output, _ = synsamp("doctor")
    assert code == 1
    assert "is no folder" in output


def test_doctor_warns_of_a_kernel_cache_that_others_can_write_to(synsamp, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "good"))
    code, output, _ = synsamp("doctor")
    assert (code, str(tmp_path / "good" / "synsamp") in output) == (0, True)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "bad"))
    (tmp_path / "bad" / "synsamp").mkdir(parents=True)
    (tmp_path / "bad" / "synsamp").chmod(0o777)
    code, output, _ = synsamp("doctor")
    assert code == 1
    assert "compile at every start" in output
    assert "NUMBA_CACHE_DIR" in output


def test_help_and_list_load_no_heavy_module():
    """An answer at once: nothing that takes a second to import may be imported for these."""
    script = (
        "import sys; from synsamp.cli import run_command_line as r; "
        "from synsamp.experiments.registry import REGISTRY as R; r(['--help'], R); r(['list'], R); "
        "print(*(m for m in ('numpy', 'numba', 'scipy', 'xarray', 'zarr', 'matplotlib',"
        " 'tornado', 'synsamp.lab',"
        " *(e.load.args[0] for e in R))"
        " if m in sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stderr.split() == []


def test_the_registry_agrees_with_its_experiments():
    for entry in REGISTRY:
        experiment = entry.load()
        assert (entry.name, entry.alias, entry.title) == (
            experiment.name,
            experiment.alias,
            experiment.title,
        )
        assert callable(experiment.draw)
        assert experiment.run.__module__.startswith(entry.load.args[0])
        assert set(experiment.trials) == set(experiment.presets) >= {"quick", "paper"}
        assert experiment.claims
