"""The sensitivity analysis: its changes, and the page written from stored measures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from synsamp.claims.table import Run, to_csv
from synsamp.errors import SynsampError
from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.runs.ensembles.plan import UNCHANGED
from synsamp.runs.execute import describe_run
from tools import robustness, robustness_page, robustness_plan
from tools.stored import read_stored
from toys.tossed import COINS

ROOT = Path(__file__).parents[1]

TINY = robustness_plan.Map(
    "coins",
    "paper",
    trials=2,
    trial_s=1.0,
    base=["tosses=10"],
    scaled={"chance": ["coin.chance"], "length": ["tosses"]},
    changed={"one toss": ["tosses=1"]},
)
HELD = {"heads": [0.5, 0.52, 0.48], "heads_of_a_bent_coin": [0.1, 0.11, 0.09]}
TABLE = {
    Run("coins", "paper", UNCHANGED): HELD,
    Run("coins", "paper", "N ½"): {**HELD, "heads": [0.1, 0.12, 0.11]},
    Run("coins", "paper", "N 2×"): {**HELD, "heads_of_a_bent_coin": [0.5, 0.51, 0.52]},
}
ABOUT = (
    '{"coins": {"date": "2001-02-03", "command": "make robustness", "cores": 2, '
    '"took_s": {"a": 7200}}}'
)


def test_one_thing_is_changed_at_a_time():
    assert TINY.changes(COINS) == {
        UNCHANGED: (),
        "chance ½": ("coin.chance=0.25",),
        "chance 2×": ("coin.chance=1.0",),
        "length ½": ("tosses=5",),
        "length 2×": ("tosses=20",),
        "one toss": ("tosses=1",),
    }
    assert TINY.hours(COINS) == pytest.approx(6.5 * 2 / 7200)


@pytest.mark.parametrize("each", robustness_plan.MAPS, ids=lambda each: each.experiment)
def test_every_change_changes_parameters(each):
    experiment = REGISTRY.find(each.experiment).load()
    asked = {
        label: describe_run(experiment, each.preset, [*each.base, *settings]).resolved
        for label, settings in each.changes(REGISTRY).items()
    }
    as_it_is = asked.pop(UNCHANGED)
    assert [label for label, resolved in asked.items() if resolved == as_it_is] == []


def test_the_whole_map_takes_less_than_three_hours_on_two_cores():
    assert sum(each.hours(REGISTRY) for each in robustness_plan.MAPS) < 3


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "docs" / "data").mkdir(parents=True)
    return tmp_path


def test_the_page_shows_which_change_alters_a_verdict(tree):
    robustness_page.write_page(tree, COINS, [TINY])
    assert robustness_page.NOT_YET in (tree / "docs" / "paper" / "sensitivity.md").read_text()
    (tree / "docs" / "data" / "robustness-coins.csv").write_text(to_csv(TABLE))
    (tree / "docs" / "data" / "robustness-coins.json").write_text(ABOUT)
    robustness_page.write_page(tree, COINS, [TINY])
    page = (tree / "docs" / "paper" / "sensitivity.md").read_text()
    claims = (tree / robustness_page.CLAIMS_PAGE).read_text()
    assert robustness_page.NOT_YET not in page + claims
    assert "3 seeds under each of 2 changes, shortened." in page
    assert "| `heads` | holds | 0 | 1 | 0 | 1 | N ½ |" in claims
    assert "3 seeds for each of 3 columns" in claims
    assert "120 min on 2 cores" in claims
    assert "| `mostly`" not in claims  # it was not measured
    assert "branches they need: `mostly`." in claims
    picture = tree / "docs" / "images" / "robustness-coins.png"
    first = picture.read_bytes()
    robustness_page.write_page(tree, COINS, [TINY])
    assert picture.read_bytes() == first


def test_the_page_agrees_with_the_table():
    page = (ROOT / "docs" / "paper" / "sensitivity.md").read_text(encoding="utf-8")
    claims = (ROOT / robustness_page.CLAIMS_PAGE).read_text(encoding="utf-8")
    assert claims == robustness_page.claims_page(ROOT, REGISTRY)
    assert page == robustness_page.page(ROOT, REGISTRY)


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (["holds", "undecided", "holds"], ""),
        (["holds", "fails", "holds"], "b"),
        (["fails", "fails", "holds"], "all but c"),
        (["fails", "fails", "fails"], "every change"),
    ],
)
def test_the_page_names_the_changes_under_which_a_claim_fails_or_the_few_others(
    tree, verdicts, said
):
    values = {"holds": [0.5, 0.52, 0.48], "fails": [0.1, 0.12, 0.11], "undecided": [0.2, 0.5, 0.3]}
    table = {Run("coins", "paper", UNCHANGED): HELD}
    for change, verdict in zip("abc", verdicts, strict=True):
        table[Run("coins", "paper", change)] = {**HELD, "heads": values[verdict]}
    (tree / "docs" / "data" / "robustness-coins.csv").write_text(to_csv(table))
    (tree / "docs" / "data" / "robustness-coins.json").write_text(ABOUT)
    (line,) = [
        line
        for line in robustness_page.claims_page(tree, COINS, [TINY]).splitlines()
        if line.startswith("| `heads`")
    ]
    assert line.split(" | ")[-1].removesuffix(" |").removesuffix("|").strip() == said


@pytest.mark.parametrize("n", [16, 17])
def test_the_page_names_proportions_that_so_few_seeds_cannot_confirm(tree, n):
    """Wilson's interval of 16 of 16 begins at 0.806, that of 17 of 17 at 0.816."""
    known = COINS.find("coins").load()

    def often(parameters, results):
        return True

    measured = {"measures": [often], "also_measured": ()}
    claim = replace(
        known.claims[0], id="often", measure="often", null_measure=None, band=(0.81, 1.0)
    )
    registry = Registry(
        [replace(COINS.find("coins"), load=lambda: replace(known, claims=(claim,), **measured))]
    )
    (tree / "docs" / "data" / "robustness-coins.csv").write_text(
        to_csv({Run("coins", "paper", UNCHANGED): {"often": [True] * n}})
    )
    (tree / "docs" / "data" / "robustness-coins.json").write_text(ABOUT)
    page = robustness_page.claims_page(tree, registry, [TINY])
    assert ("proportion of seeds that 16 seeds cannot confirm: `often`." in page) == (n == 16)


def test_a_tiny_map_from_run_to_page(tree):
    small = robustness_plan.Map(
        "coins", "paper", trials=2, trial_s=1.0, scaled={"length": ["tosses"]}
    )
    arguments = ["--out", str(tree / "runs"), "--workers", "1"]
    assert robustness.main(arguments, COINS, tree, [small]) == 0
    found = read_stored(tree / "docs" / "data" / "robustness-coins")
    assert [run.variant for run in found.runs] == [UNCHANGED, "length ½", "length 2×"]
    kept = {"heads", "heads_of_a_bent_coin", "mostly", "never"}
    assert all(set(measures) == kept for measures in found.runs.values())
    page = tree / robustness_page.CLAIMS_PAGE
    assert "2 seeds for each of 3 columns" in page.read_text()


def test_seeds_that_fail_under_a_change_are_left_out_and_named(tree, tmp_path):
    flag = tmp_path / "flag"
    flag.touch()
    changed = {"broken": [f"trouble=refusal:{flag}"], "at times": [f"trouble=some:{flag}"]}
    small = robustness_plan.Map("coins", "paper", trials=6, trial_s=1.0, changed=changed)
    arguments = ["--out", str(tree / "runs"), "--workers", "2"]
    assert robustness.main(arguments, COINS, tree, [small]) == 1
    found = read_stored(tree / "docs" / "data" / "robustness-coins")
    left = {run.variant: found.trials(run) for run in found.runs}
    assert left[UNCHANGED] == 6
    assert 0 < left["at times"] < 6
    assert list(left) == [UNCHANGED, "broken", "at times"]
    page = (tree / robustness_page.CLAIMS_PAGE).read_text()
    assert "are left out: broken (6 of 6), at times (" in page


def test_one_map_can_be_made_alone(tree):
    coins, cards = (
        robustness_plan.Map(name, "paper", trials=1, trial_s=1.0) for name in ("coins", "cards")
    )
    registry = Registry([*COINS, replace(COINS.find("coins"), name="cards", alias="fig001")])
    arguments = ["--out", str(tree / "runs"), "--workers", "1"]
    assert robustness.main(["coins", *arguments], registry, tree, [coins, cards]) == 0
    assert [path.name for path in (tree / "runs").iterdir()] == ["coins"]
    page = (tree / "docs" / "paper" / "sensitivity.md").read_text()
    assert page.count(robustness_page.NOT_YET) == 1
    with pytest.raises(SynsampError, match="must be one of coins, cards"):
        robustness.main(["dice", *arguments], registry, tree, [coins, cards])
