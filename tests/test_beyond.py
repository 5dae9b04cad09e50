"""`make beyond` stores measures; its page judges today's claims on them."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from synsamp.claims.table import Run, to_csv
from synsamp.errors import SynsampError
from synsamp.experiments.registry import REGISTRY, Registry
from test_reproduction import ABOUT, TABLE, faults
from tools import beyond, beyond_page
from tools.stored import read_stored
from toys.tossed import COINS

ROOT = Path(__file__).parents[1]

TOYS = Registry(
    [
        replace(COINS.find("coins"), beyond=True),
        replace(COINS.find("coins"), name="cards", alias="fig001", beyond=True),
    ]
)


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "docs" / "data").mkdir(parents=True)
    (tmp_path / "docs" / "data" / "beyond_notes.toml").write_text('[coins]\nmostly = "Fair."\n')
    return tmp_path


@pytest.mark.parametrize("name", [entry.name for entry in REGISTRY.beyond])
def test_no_stored_claim_holds_under_its_null(name):
    found = read_stored(beyond_page.table(ROOT, name))
    assert found.judged == [Run(name, "paper")]
    assert faults(found, REGISTRY) == []


def test_the_page_agrees_with_the_tables():
    page = (ROOT / "docs" / "reference" / "beyond-claims.md").read_text(encoding="utf-8")
    assert page == beyond_page.page(ROOT, REGISTRY)


def test_notes_are_about_existing_claims():
    said = tomllib.loads((ROOT / "docs" / "data" / "beyond_notes.toml").read_text("utf-8"))
    for name, claims in said.items():
        assert set(claims) <= {claim.id for claim in REGISTRY.find(name).load().claims}


def test_the_page_contains_all_results(tree):
    run = Run("coins", "paper")
    (tree / "docs" / "data" / "beyond-coins.csv").write_text(to_csv({run: TABLE[run]}))
    (tree / "docs" / "data" / "beyond-coins.json").write_text(json.dumps({"coins": ABOUT}))
    beyond_page.write_page(tree, TOYS)
    page = (tree / "docs" / "reference" / "beyond-claims.md").read_text()
    assert "4 seeds: the paper's statements: 1 holds; our own questions: 0 hold, 1 fails" in page
    assert "- `mostly` fails. Fair." in page
    assert beyond_page.NOT_YET.format(name="cards") in page
    assert beyond_page.NOT_YET.format(name="coins") not in page


def test_one_experiment_can_be_run_alone(tree):
    arguments = ["--out", str(tree / "runs"), "--workers", "1"]
    assert beyond.main(["coins", *arguments], TOYS, tree) == 0
    assert not (tree / "runs" / "cards-paper").exists()
    assert (tree / "docs" / "images" / "beyond-coins-paper-A.png").exists()
    assert read_stored(beyond_page.table(tree, "coins")).trials(Run("coins", "paper")) == 3
    with pytest.raises(SynsampError, match="must be one of coins, cards"):
        beyond.main(["dice", *arguments], TOYS, tree)
