"""Declared measures: one function, evaluated in the branches that claims name."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import ModuleType

import pytest
import xarray as xr

from synsamp.claims import (
    Amount,
    Claim,
    Portion,
    Ratio,
    Share,
    judge_all,
    limits_of,
    measure_key,
    measures_in,
    variants,
)
from synsamp.claims.measures import measures_dataset, values_of
from synsamp.experiments import Experiment
from synsamp.runs.storage.results import add_results, open_results

RESULTS = {
    "theta": xr.Dataset({"size": 1.0}),
    "learning/theta": xr.Dataset({"size": 2.0}),
    "learning/noise_off/theta": xr.Dataset({"size": 3.0}),
}


def size(parameters, results, branch):
    return float(results[f"{branch}/theta" if branch else "theta"]["size"])


def share(parameters, results):
    return Ratio(1.0, 2.0)


def unused(parameters, results):
    raise AssertionError("no claim names it")


LARGE = Claim(
    "large", "It is large", "Fig. 1", "size", (1.5, None), branch="learning", null_branch=""
)


def experiment(*claims, **more):
    return Experiment(
        "mine", "Mine", run=None, measures=[size, share, unused], claims=claims, **more
    )


def measured(*claims, **more):
    return experiment(*claims, **more).measure(None, RESULTS)


def test_a_key_names_measure_and_branch():
    assert measure_key("size") == "size"
    assert measure_key("size", "learning/noise_off") == "size@learning.noise_off"
    assert (LARGE.key, LARGE.null_key) == ("size@learning", "size")


def test_measures_are_taken_in_the_branches_that_claims_name_and_nowhere_else():
    assert measured(LARGE) == {"size@learning": 2.0, "size": 1.0}
    other = replace(LARGE, null_branch="learning/noise_off")
    assert measured(other) == {"size@learning": 2.0, "size@learning.noise_off": 3.0}
    by_share = replace(LARGE, null_branch=None, null_measure="share")
    assert measured(by_share) == {"size@learning": 2.0, "share": Ratio(1.0, 2.0)}


def test_what_pages_show_is_measured_too_where_the_run_has_the_branch():
    also = ["share", "size@learning/noise_off", "size@elsewhere"]
    assert measured(also_measured=also) == {
        "share": Ratio(1.0, 2.0),
        "size@learning.noise_off": 3.0,
    }


def test_measures_in_branches_can_be_stored_and_judged(tmp_path):
    add_results(tmp_path, {"measures": measures_dataset(measured(LARGE, also_measured=["share"]))})
    values = values_of(open_results(tmp_path)["measures"])
    assert values == {"size@learning": [2.0], "size": [1.0], "share": [Ratio(1.0, 2.0)]}
    assert judge_all([replace(LARGE, exact=True)], values)[0].verdict == "holds"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"measure": "sice"}, "claim 'large': measure 'sice' is not declared; did you mean size?"),
        ({"null_measure": "width"}, "'width' is not declared; known: share, size, unused"),
        ({"measure": "share"}, "'share' must take .* to be taken in branch 'learning'"),
    ],
)
def test_a_measure_that_is_not_declared_is_an_error_at_once(changes, words):
    with pytest.raises(ValueError, match=words):
        experiment(replace(LARGE, **changes))


def test_so_are_two_measures_of_one_name_and_an_undeclared_one_for_pages():
    with pytest.raises(ValueError, match="two measures have the same name"):
        replace(experiment(), measures=[size, size])
    with pytest.raises(ValueError, match="also_measured: measure 'shar' is not declared"):
        experiment(also_measured=["shar"])


def test_a_branch_that_the_run_lacks_is_an_error_that_names_claim_and_branch():
    words = "claim 'large': measure 'size@lerning' needs branch 'lerning'.*did you mean learning"
    with pytest.raises(ValueError, match=words):
        measured(replace(LARGE, branch="lerning"))


def test_a_claim_that_needs_other_parameters_is_neither_measured_nor_judged():
    asleep = replace(LARGE, id="asleep", branch="asleep", needs=lambda parameters: False)
    assert measured(LARGE, asleep) == {"size@learning": 2.0, "size": 1.0}
    assert experiment(LARGE, asleep).applicable_claims(None) == [LARGE]
    awake = replace(asleep, needs=lambda parameters: True)
    assert experiment(LARGE, awake).applicable_claims(None) == [LARGE, awake]


@pytest.mark.parametrize("needs", [None, lambda parameters: True, lambda parameters: False])
def test_a_claim_whose_value_is_missing_is_an_error_that_names_it(needs):
    claim = replace(LARGE, needs=needs)
    with pytest.raises(ValueError, match=r"'large': 'size' was not measured; .*size@learning"):
        judge_all([claim], {"size@learning": [2.0]})
    with pytest.raises(ValueError, match=r"'large': 'size@learning' was not measured"):
        judge_all([claim], {})
    assert len(judge_all([claim], {"size@learning": [2.0], "size": [1.0]})) == 1


@pytest.mark.parametrize("given", [share, None, ["share"], {"share": share}])
def test_measures_that_are_no_list_of_functions_are_an_error_that_says_what_to_write(given):
    with pytest.raises(ValueError, match=r"write measures=\[first, second\] with one function"):
        replace(experiment(), measures=given)


@pytest.mark.parametrize("value", [{"share": 0.5}, None, [0.5, 0.6]])
def test_a_measure_that_returns_no_single_value_is_an_error_that_names_it(value):
    with pytest.raises(TypeError, match="measure 'share' must be one number"):
        measures_dataset({"share": value})


def test_labels_of_a_dimension_called_branch_are_branches():
    table = {"table": xr.Dataset({"size": ("branch", [2.0, 1.0])}, {"branch": ["hot", "cold"]})}

    def size(parameters, results, branch):
        return float(results["table"]["size"].sel(branch=branch))

    claim = replace(LARGE, branch="hot", null_branch="cold")
    both = Experiment("mine", "Mine", run=None, measures=[size], claims=[claim])
    assert both.measure(None, table) == {"size@hot": 2.0, "size@cold": 1.0}


def test_measures_in_finds_measures_and_leaves_helpers(monkeypatch):
    def level(p, results) -> float: ...
    def seen(parameters, results, branch) -> Ratio: ...
    def table(p, results) -> xr.Dataset: ...
    def between(p, results, start_s) -> float: ...
    def without_annotation(p, results): ...

    module = ModuleType("with_measures")
    for part in (level, seen, table, between, without_annotation):
        setattr(module, part.__name__, part)
    module._private, module.number = level, 3
    monkeypatch.setitem(sys.modules, "with_measures", module)
    assert measures_in("with_measures") == (level, seen)


def accuracy(parameters, results) -> Share:
    return float(results["theta"]["size"])


def test_the_return_type_of_a_measure_is_the_range_of_its_interval():
    def count(parameters, results, factor) -> Amount:
        return factor * 2.0

    part = lambda parameters, results: None  # noqa: E731
    part.__annotations__["return"] = Portion  # without `from __future__ import annotations`
    (twice,) = variants(count, twice=(2,))
    ranges = [limits_of(measure) for measure in (accuracy, count, twice, part, size)]
    assert ranges == [(0.0, 1.0), (0.0, None), (0.0, None), (0.0, 1.0), (None, None)]
    good = Claim("good", "Good", "Fig. 1", "accuracy", (0.5, None), null_measure="share")
    (set_,) = Experiment("mine", "Mine", run=None, measures=[accuracy, share], claims=[good]).claims
    assert (set_.limits, set_.null_limits) == ((0.0, 1.0), (None, None))


def test_a_measure_that_leaves_the_range_of_its_return_type_is_an_error():
    good = Claim("good", "Good", "Fig. 1", "accuracy", (0.5, None))
    found = Experiment("mine", "Mine", run=None, measures=[accuracy], claims=[good])
    assert found.measure(None, RESULTS) == {"accuracy": 1.0}
    with pytest.raises(ValueError, match=r"'accuracy' must lie in the range \(0.0, 1.0\)"):
        found.measure(None, {"theta": xr.Dataset({"size": 1.01})})
