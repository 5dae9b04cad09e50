"""Spine tables: synthetic ones with known truth, bad ones, and the command on both."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from synsamp.analysis.spines import (
    estimate_volumes,
    new_spine_lifetimes,
    read_spine_table,
    volume_steps,
)
from synsamp.analysis.survival import fit_exponential, fit_power_law
from synsamp.cli import run_command_line
from synsamp.errors import SynsampError
from synsamp.experiments import Registry

MU, SIGMA, NOISE = -1.0, 0.6, 0.05


def table(tmp_path, text, name="spines.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


def volumes(rng, n_spines=150, n_sessions=12, step=4.0):
    """Log volumes of an exact Ornstein–Uhlenbeck process; lives end at random."""
    keep = np.exp(-NOISE * step / SIGMA**2)
    rows = ["spine,time,volume"]
    for s in range(n_spines):
        x = MU + SIGMA * rng.standard_normal()
        for k in range(n_sessions):
            rows.append(f"s{s},{k * step:g},{np.exp(x):.9g}")
            x = MU + keep * (x - MU) + SIGMA * np.sqrt(1 - keep**2) * rng.standard_normal()
    return "\n".join(rows)


def presences(rng, draw_life, n_spines=400, n_sessions=40):
    """Spines that appear at a random session and live as long as drawn."""
    rows = ["id,day,present"]
    for s in range(n_spines):
        born = rng.integers(1, 10)
        life = draw_life(rng)
        for k in range(n_sessions):
            rows.append(f"{s},{k},{int(born <= k < born + 1 + np.floor(life))}")
    return "\n".join(rows)


# -- known truth ----------------------------------------------------------------------------------


def test_survival_of_a_power_law_is_recovered(tmp_path):
    rng = np.random.default_rng(1)
    text = presences(rng, lambda r: 3.0 * (r.random() ** (-1 / 1.2) - 1))
    lives = new_spine_lifetimes(read_spine_table(table(tmp_path, text)))
    assert len(lives) == 400
    fit = fit_power_law(lives)
    assert abs(fit.gamma - 1.2) < 4 * fit.gamma_error
    assert abs(fit.tau - 3.0) < 4 * fit.tau_error
    assert fit_exponential(lives).aic - fit.aic > 10


def test_survival_of_an_exponential_is_not_called_a_power_law(tmp_path):
    rng = np.random.default_rng(2)
    text = presences(rng, lambda r: r.exponential(6.0))
    lives = new_spine_lifetimes(read_spine_table(table(tmp_path, text)))
    fit = fit_exponential(lives)
    assert abs(fit.tau - 6.0) < 4 * fit.tau_error
    assert fit.aic - fit_power_law(lives).aic < 6


def test_volumes_give_back_the_process(tmp_path):
    found = estimate_volumes(read_spine_table(table(tmp_path, volumes(np.random.default_rng(3)))))
    for value, error, truth in (
        (found.mean, found.mean_error, MU),
        (found.spread, found.spread_error, SIGMA),
        (found.noise, found.noise_error, NOISE),
    ):
        assert abs(value - truth) < 4 * error
        assert error < 0.15 * abs(truth)


def test_a_list_of_present_spines_means_absent_where_nothing_is_written(tmp_path):
    text = "spine,time,present\na,0,1\na,1,1\na,2,1\nb,1,1\nb,2,1\nc,1,1"
    found = read_spine_table(table(tmp_path, text))
    assert not found.absences_listed
    lives = new_spine_lifetimes(found)
    assert sorted(zip(lives.last_seen, lives.first_missed, strict=True)) == [
        (0.0, 1.0),  # c: seen once, then gone
        (1.0, np.inf),  # b: still there
    ]


def test_a_gap_is_not_an_absence(tmp_path):
    text = "spine,time,volume\na,0,0\na,1,0.5\na,2,\na,3,0.7\na,4,0\nb,0,0\nb,1,0.2\nb,4,0.3"
    found = read_spine_table(table(tmp_path, text))
    assert found.gaps == 3
    lives = new_spine_lifetimes(found)
    assert lives.last_seen.tolist() == [2.0, 3.0]
    assert lives.first_missed.tolist() == [3.0, np.inf]
    before, after, interval = volume_steps(found)
    assert interval.tolist() == [2.0, 3.0]
    assert np.exp(before).tolist() == pytest.approx([0.5, 0.2])
    assert np.exp(after).tolist() == pytest.approx([0.7, 0.3])


def test_a_spine_of_unknown_age_is_not_new_and_a_return_is_another_life(tmp_path):
    text = "spine,time,present\n" + "\n".join(
        f"{name},{t},{p}"
        for name, row in (("old", "1100"), ("back", "0101"))
        for t, p in enumerate(row)
    )
    lives = new_spine_lifetimes(read_spine_table(table(tmp_path, text)))
    assert lives.last_seen.tolist() == [0.0]  # the second life of "back" began at the last look
    assert lives.first_missed.tolist() == [1.0]


# -- bad tables -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must have a column 'spine'"),
        ("spine,time\na,0", "'present' or 'volume'"),
        ("time,present\n0,1", "must have a column 'spine'"),
        ("spine,time,present", "must hold observations"),
        ("spine,time,present\na,0,1", "at least two sessions"),
        ("spine,time,present\na,0,1\na,1,1\na,0,0", "line 4 must not repeat"),
        ("spine,time,volume\na,0,1\na,1,-0.2", "line 3 volume must be >= 0"),
        ("spine,time,present\na,0,1\na,1,2", "line 3 present must be 0 or 1"),
        ("spine,time,present\na,0,1\na,soon,1", "line 3 time must be a number"),
        ("spine,time,present\na,0,1\na,,1", "line 3 must have a time"),
        ("spine,time,volume\na,0,1\na,1,inf", "line 3 volume must be finite"),
        ("spine,time,present\na,0,1\n,1,1", "line 3 must name a spine"),
        ("spine,time,present\na,0,1\na,1", "line 3 must have 3 cells"),
    ],
)
def test_bad_tables_are_refused_with_line_and_reason(tmp_path, text, words):
    with pytest.raises(SynsampError, match=words):
        read_spine_table(table(tmp_path, text))


def test_presence_alone_gives_no_volumes(tmp_path):
    found = read_spine_table(table(tmp_path, "spine,time,present\na,0,0\na,1,1\na,2,1"))
    with pytest.raises(SynsampError, match="'volume'"):
        estimate_volumes(found)


# -- the command ----------------------------------------------------------------------------------


def command(*arguments):
    return run_command_line(["spines", *map(str, arguments)], Registry([]))


def test_the_command_prints_and_draws(tmp_path, capsys):
    rng = np.random.default_rng(4)
    path = table(tmp_path, presences(rng, lambda r: 3.0 * (1 / r.random() - 1), n_spines=150))
    assert command(path) == 0
    printed = capsys.readouterr().out
    assert "the power law is better" in printed
    assert "150 lives of new spines" in printed
    assert (tmp_path / "spines-survival.png").read_bytes().startswith(b"\x89PNG")


def test_the_command_estimates_volumes(tmp_path, capsys):
    path = table(tmp_path, volumes(np.random.default_rng(5), n_spines=40))
    assert command(path, "--out", tmp_path / "x.svg") == 0
    printed = capsys.readouterr().out
    assert "Ornstein–Uhlenbeck" in printed
    assert "b·T = " in printed
    assert "not fitted" in printed  # nothing is new in this table
    assert not (tmp_path / "x.svg").exists()


def test_one_observation_each_is_told(tmp_path, capsys):
    path = table(tmp_path, "spine,time,volume\na,0,0\nb,1,0.5\nc,2,0.7")
    assert command(path) == 0
    printed = capsys.readouterr().out
    assert "3 spines were looked at once only" in printed
    assert "not estimated" in printed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["none.csv"], "none.csv"), (["t.csv", "--out", "t.pdf"], "must end in .png or .svg")],
)
def test_bad_use_is_one_line_and_exit_code_two(tmp_path, capsys, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    table(tmp_path, "spine,time,present\na,0,1\na,1,1", "t.csv")
    assert command(*arguments) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


# -- the page -------------------------------------------------------------------------------------


def test_the_examples_of_the_page_run(tmp_path, monkeypatch, capsys):
    page = (Path(__file__).parents[2] / "docs" / "spines.md").read_text()
    printed = re.search(r"```\n(spine,time.*?)```", page, re.S).group(1)
    assert new_spine_lifetimes(read_spine_table(table(tmp_path, printed))).last_seen.tolist() == [4]
    rng = np.random.default_rng(6)
    rows = ["spine,time,volume"]
    for s in range(60):
        born, life = rng.integers(1, 5), rng.exponential(5.0)
        rows += [
            f"{s},{k},{rng.lognormal() if born <= k < born + 1 + life else 0:.6g}"
            for k in range(20)
        ]
    table(tmp_path, "\n".join(rows), "my_spines.csv")
    monkeypatch.chdir(tmp_path)
    exec(re.search(r"```python\n(.*?)```", page, re.S).group(1), {})
    assert len(capsys.readouterr().out.split()) == 3
