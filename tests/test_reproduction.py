"""`make reproduce` stores measures; the pages judge today's claims on them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from synsamp.claims import Ratio
from synsamp.claims.judge import interval_of
from synsamp.claims.table import Run, present, to_csv
from synsamp.errors import SynsampError
from synsamp.experiments.loading import Given
from synsamp.experiments.registry import REGISTRY, Entry, Registry
from synsamp.runs.ensembles import batch
from tools import measured_text, reproduce, reproduction_page
from tools.markdown import PageError
from tools.reproduction_page import BEGIN, END
from tools.stored import definitions, read_stored
from toys.tossed import CLAIMS, COINS, TOSSED

ROOT = Path(__file__).parents[1]

NOTES = """[readme]
coins = "On heads {this.heads:.2f}:"
[summary]
coins = "They fall as they should, {this.heads:.2f} on heads."
[why.coins]
mostly = "Coins are fair: {this.mostly.above_0} of {this.mostly.n}."
[groups.coins.kind]
0 = "tails"
1 = "heads"
"""

TABLE = {
    Run("coins", "paper"): {
        "heads": [0.5, 0.52, 0.48, 0.51],
        "heads_of_a_bent_coin": [0.1, 0.11, 0.09, 0.1],
        "mostly": [False, True, False, True],
        "never": [False] * 4,
        "kind": [0.0, 1.0, 0.0, 1.0],
    },
    Run("coins", "paper", "bent"): {"heads": [0.1, 0.12, 0.11]},
    Run("coins", "paper_fair"): {
        "heads": [0.6, 0.61, 0.62],
        "heads.noise_off_2": [0.4, 0.41, 0.42],
        "heads_of_a_bent_coin": [0.1, 0.11, 0.09],
    },
}
ABOUT = {
    "date": "2001-02-03",
    "command": "make reproduce",
    "seed": 5,
    "cores": 2,
    "processor": "p",
    "versions": {"synsamp": "1"},
    "took_s": {"a": 100, "b": 100, "c": 100},
}


@pytest.fixture
def tree(tmp_path):
    """A project with markers and notes, without a run."""
    (tmp_path / "docs" / "data").mkdir(parents=True)
    (tmp_path / "docs" / "data" / "reproduction_notes.toml").write_text(NOTES)
    (tmp_path / "docs" / "paper").mkdir()
    for name in ("README.md", "docs/paper/index.md"):
        (tmp_path / name).write_text(f"before\n{BEGIN}\nstale\n{END}\nafter\n")
    return tmp_path


def fill(tree, table=TABLE, name="reproduction", **about):
    (tree / "docs" / "data" / f"{name}.csv").write_text(to_csv(table))
    (tree / "docs" / "data" / f"{name}.json").write_text(json.dumps({"coins": ABOUT | about}))


WRITTEN = ("README.md", "docs/reference/claims.md", "docs/paper/index.md")


def pages(tree):
    reproduction_page.write_pages(tree, COINS)
    return [(tree / name).read_text() for name in WRITTEN]


def faults(found, registry):
    """What must not be in a stored table: claims that the null passes, or that were not judged."""
    wrong = []
    for run in found.judged:
        measures = present(found.runs[run])
        judged = {claim.id: claim for claim in found.claims(run, registry)}
        for claim in registry.find(run.experiment).load().claims:
            if claim.id in judged and judged[claim.id].verdict == "not specific":
                wrong.append(f"{run}: {claim.id} not specific")
            if claim.null_key in measures:
                low, high = interval_of(measures[claim.null_key], claim.exact)[1:]
                if claim.admits(low, high):
                    wrong.append(f"{run}: {claim.id} holds under its null")
            new = claim.id in found.changed(run, registry)  # may lack its measure
            if run.preset == "paper" and claim.id not in judged and not new:
                wrong.append(f"{run}: {claim.id} was not judged")
    return wrong


def stored_in(tree):
    return read_stored(tree / "docs" / "data" / "reproduction")


def test_no_claim_of_the_full_run_holds_under_its_null():
    found = stored_in(ROOT)
    presets = {e.name: [n for n in e.load().presets if n[:5] == "paper"] for e in REGISTRY.paper}
    assert set(found.judged) == {Run(name, each) for name in presets for each in presets[name]}
    assert faults(found, REGISTRY) == []


def test_the_check_above_can_fail(tree):
    fill(tree)
    assert faults(stored_in(tree), COINS) == []
    first, _, second = TABLE.values()
    fill(tree, {Run("coins", "paper"): {**first, "never": [True] * 100}})
    assert len(faults(stored_in(tree), COINS)) == 1  # the measure lies outside: fails, and yet
    fill(tree, {Run("coins", "paper"): {**second, "heads_of_a_bent_coin": [0.5, 0.51]}})
    found = faults(stored_in(tree), COINS)
    assert [line.split(": ")[1] for line in found] == [
        "heads not specific",
        "heads holds under its null",
        "mostly was not judged",
    ]


def test_the_pages_agree_with_the_table():
    should = dict(reproduction_page.pages(ROOT, REGISTRY))
    assert len(should) == 4 + len(measured_text.PAGES)
    for path, text in should.items():
        assert path.read_text(encoding="utf-8") == text, path.name


def test_notes_are_about_existing_claims():
    notes = reproduction_page.notes_of(ROOT)
    for kind in ("summary", "why", "groups"):
        for name, said in notes[kind].items():
            experiment = REGISTRY.find(name.partition("/")[0]).load()
            if kind == "why":
                assert set(said) <= {claim.id for claim in experiment.claims}


def test_without_a_run_the_pages_say_so(tree):
    for page in pages(tree):
        assert reproduction_page.NOT_YET in page
    fill(tree)
    for page in pages(tree):
        assert reproduction_page.NOT_YET not in page


def test_the_pages_contain_all_results(tree):
    fill(tree)
    readme, page, overview = pages(tree)
    for text in (readme, overview):
        assert text.startswith("before\n")
        assert text.endswith("after\n")
        assert "stale" not in text
    assert "- On heads 0.50: [of 1 statements 1 holds](docs/paper/index.md).\n" in readme
    drawing = (tree / "docs" / "images" / "verdicts.svg").read_text()
    assert drawing.count("<rect") == 3
    assert "Heads come up | mostly: fails" in drawing
    fallen = "They fall as they should, 0.50 on heads.\n\n4 seeds:"
    assert f"## Tossing coins (fig000)\n\n{fallen}" in overview
    both = "the paper's statements: 2 hold; our own questions: 0 hold, 1 fails"
    assert f"All claims together: {both}." in readme
    assert "## Tossing coins (fig000), fair\n\nThey fall as they should, 0.61" in overview
    for words in (
        "Heads come up<br><sub>Fig. 0A; the paper's statement; `heads`</sub> | 0.502 (0.475 to",
        "0.1 (0.087 to 0.113)<br><sub>a coin that falls on its tail</sub>",
        "≥ 0.3<br><sub>more than a bent coin</sub> | 0.5, inside | holds |",
        "Heads come up \\| mostly",
        "- `mostly` fails. Coins are fair: 2 of 4.",
        "| claim | tails (n = 2) | heads (n = 2) |",
        "| `heads` | 0.49 (0.363 to 0.617) | 0.515 (0.451 to 0.579) |",
        "| the paper | paper<br><sub>n = 4</sub> | paper, bent<br><sub>n = 3</sub> |",
        "| paper_fair, T = 0 after the lesion<br><sub>n = 3</sub> |",
        "0.61 (0.585 to 0.635), below | 0.41 (0.385 to 0.435), above |",
        "`make reproduce` on 2001-02-03, seed 5, 5 min on 2 cores",
    ):
        assert words in page, words
    assert pages(tree) == [readme, page, overview]  # writing again changes nothing


def test_a_page_uses_todays_claims(tree, monkeypatch):
    fill(tree)
    before = pages(tree)
    stricter = replace(TOSSED, claims=(replace(CLAIMS[0], band=(0.55, None)), CLAIMS[1]))
    changed = Registry([Entry("coins", "fig000", "Tossing coins", Given(stricter))])
    assert reproduction_page.page(tree, changed) != before[1]
    written = {path.name: text for path, text in reproduction_page.pages(tree, changed)}
    assert written["README.md"] != before[0]


PAGE = """Before.

<!-- measured coins
Heads: {paper.heads}, {paper.heads:i.1f}, {paper.heads:.0%}; {paper.heads.least} to {paper.heads.most}.
{paper.mostly.above_0} of {paper.mostly.n}, bent {paper_variant.heads:.2f}, {paper_fair.heads:.2f}.
-->
stale
<!-- end of measured -->

After {this}.
"""  # noqa: E501


def test_numbers_on_a_page_are_those_of_the_run(tree):
    fill(tree)
    said = measured_text.fill_page(PAGE, stored_in(tree), COINS)
    assert said == PAGE.replace(
        "stale",
        "Heads: 0.502 (0.475 to 0.53), 0.5 (0.5 to 0.5), 50 %; 0.48 to 0.52.\n"
        "2 of 4, bent 0.11, 0.61.",
    )
    assert measured_text.fill_page(said, stored_in(tree), COINS) == said
    for marker in ("<!-- end of measured -->", "-->\nstale"):
        with pytest.raises(SynsampError, match="correct the page"):
            measured_text.fill_page(PAGE.replace(marker, "") + PAGE, stored_in(tree), COINS)


@pytest.mark.parametrize(
    "wrong",
    ["{paper.tails}", "{bent.heads}", "{paper.heads:x}", "{}", "{paper}", "{paper.heads.odd}"],
)
def test_a_text_with_an_unknown_name_is_an_error(tree, wrong):
    fill(tree)
    with pytest.raises(SynsampError, match="coins"):
        measured_text.fill(wrong, stored_in(tree), "coins", COINS)


def test_two_runs_with_one_name_are_an_error(tree):
    _, bent, _ = TABLE
    fill(tree, TABLE | {bent._replace(variant="worn"): TABLE[bent]})
    with pytest.raises(SynsampError, match="names two runs"):
        measured_text.fill("", stored_in(tree), "coins", COINS)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([Ratio(1, 2), Ratio(2, 4)], "0.5 0.50 (0.50 to 0.50) 0.5"),
        ([Ratio(1, 2), Ratio(1, 0)], "1 (−11.7 to 13.7) 1.00 (−11.71 to 13.71) 1.0"),
        ([0.25], "0.25 0.25 0.2"),
        ([0.25, float("nan")], "not finite not finite not finite"),
        ([-1.0, -2.0], "−1.5 (−7.85 to 4.85) −1.50 (−7.85 to 4.85) −1.5"),
    ],
)
def test_an_estimate_without_interval_is_written_alone(values, said):
    found = measured_text.Estimate(values)
    assert f"{found} {found:i.2f} {found:.1f}" == said


def test_pages_are_complete():
    for name in measured_text.PAGES:
        page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        assert measured_text.BEGIN in page
        assert f"-->\n{measured_text.END}" not in page  # something is said
        assert "not finite" not in page


def test_a_readme_without_markers_is_left_alone(tree):
    (tree / "README.md").write_text("mine")
    with pytest.raises(PageError, match="must contain"):
        pages(tree)
    assert (tree / "README.md").read_text() == "mine"


def test_the_plan_has_every_preset_named_after_the_paper():
    names = [each.name for _, each in reproduce.plan(COINS)]
    assert names == ["coins-paper", "coins-paper_fair"]
    assert [each.description.trials for _, each in reproduce.plan(COINS)] == [3, 2]


def test_the_seeds_differ_from_the_first_run():
    first, found = read_stored(ROOT / "docs" / "data" / "reproduction-first"), stored_in(ROOT)
    assert {job.description.seed for _, job in reproduce.plan(COINS)} == {int(found.every("seed"))}
    assert first.every("seed") != found.every("seed")
    recalls = [set(each.runs[Run("compensation", "paper")]["recall"]) for each in (first, found)]
    assert not recalls[0] & recalls[1]


def test_every_claim_that_does_not_hold_is_explained():
    found = stored_in(ROOT)
    page = reproduction_page.page(ROOT, REGISTRY)
    for run in found.judged:
        for claim in found.claims(run, REGISTRY):
            if not claim.holds:
                assert f"- `{claim.id}` {claim.verdict}. " in page, f"{run}: {claim.id}"


def test_each_setup_has_its_own_folder():
    setups = [*reproduce.VARIANTS, reproduce.Setup("compensation", "paper")]
    assert len({setup.folder for setup in setups}) == len(setups)


def test_two_runs_with_different_seeds_are_compared(tree):
    fill(tree)
    assert "new seeds" not in pages(tree)[1]
    paper, _, fair = TABLE
    first = {
        paper: {
            "heads": [0.2, 0.22, 0.21],  # fails by the band ≥ 0.3
            "heads_of_a_bent_coin": [0.1, 0.11, 0.09],
            "mostly": [False] * 3,
            "never": [False] * 3,
        },
        fair: TABLE[fair],
    }
    fill(tree, first, "reproduction-first", seed=4)
    page = twice(tree)
    assert "(2001-02-03, seed 4) was used to correct" in page
    assert "new seeds (seed 5). With today's claims the verdicts agree for 2 of 3 claims" in page
    assert "for 0 of 0 claims whose measure, band or null was." in page
    rows = [line for line in page.splitlines() if line.startswith("| coins")]
    assert len(rows) == 1  # that both fail is agreement
    before, now, both = rows[0].split(" | ")[1:]
    assert "n = 3, fails" in before
    assert "0.502 (0.475 to 0.53)<br><sub>n = 4, holds" in now
    assert both == "0.377 (0.232 to 0.522)<br><sub>n = 7</sub> |"


def twice(tree):
    return pages(tree)[1].partition("## Replication with new seeds")[2]


def test_two_runs_that_agree_need_no_table(tree):
    fill(tree)
    fill(tree, TABLE, "reproduction-first", seed=4)
    assert "3 of 3 claims" in twice(tree)
    assert "| claim" not in twice(tree)


def test_claims_that_changed_since_a_run_are_named(tree):
    now = definitions(CLAIMS)
    fill(tree, claims=now)
    assert "nulls have not changed since." in pages(tree)[1]
    before = now | {"mostly": now["mostly"].replace("0.9", "0.8")}
    fill(tree, claims=before)
    assert "changed after the run: `mostly` of coins." in pages(tree)[1]
    fill(tree, TABLE, "reproduction-first", seed=4, claims=before)
    assert "agree for 2 of 2 claims" in twice(tree)
    assert "for 1 of 1 claims whose" in twice(tree)


def test_a_variant_is_compared_and_not_judged(tree, monkeypatch):
    bent = reproduce.Setup("coins", "paper", "bent", ("tosses=30",), trials=2)
    monkeypatch.setattr(reproduce, "VARIANTS", (bent,))
    arguments = ["--out", str(tree / "runs"), "--workers", "1"]
    assert reproduce.main(arguments, COINS, tree) == 0
    found = stored_in(tree)
    assert [run.variant for run in found.runs] == ["", "", "bent"]
    assert [found.trials(run) for run in found.runs] == [3, 2, 2]
    assert len(found.judged) == 2
    readme, page, _ = pages(tree)
    assert "bent" not in readme
    assert "paper, bent" in page


def test_the_same_command_continues_after_a_stop(tree, monkeypatch, capsys):
    out = tree / "runs"
    arguments = ["--out", str(out), "--workers", "1"]
    carry_out = batch.carry_out_ensemble

    def stopped(load, folder, *more):
        if folder.description.preset == "paper_fair":
            raise KeyboardInterrupt
        carry_out(load, folder, *more)

    with monkeypatch.context() as patch:
        patch.setattr(batch, "carry_out_ensemble", stopped)
        assert reproduce.main(arguments, COINS, tree) == 130
    assert "stopped; `make reproduce` continues" in capsys.readouterr().err
    assert stored_in(tree) is None
    first = (out / "coins-paper" / "status.json").read_bytes()
    assert reproduce.main(arguments, COINS, tree) == 0
    assert (out / "coins-paper" / "status.json").read_bytes() == first  # left alone
    found = stored_in(tree)
    assert {run: found.trials(run) for run in found.runs} == {
        Run("coins", "paper"): 3,
        Run("coins", "paper_fair"): 2,
    }
    assert (
        found.claims(Run("coins", "paper"), COINS)[0].null_description == CLAIMS[0].null_description
    )
    assert (tree / "docs" / "images" / "reproduction-coins-paper-A.png").stat().st_size < 50_000
    page = (tree / "docs" / "reference" / "claims.md").read_text()
    assert "![coins, paper, A](../images/reproduction-coins-paper-A.png)" in page
    assert "coins-paper_fair: 100 % of all" not in capsys.readouterr().err
    longer = replace(TOSSED, trials={"paper": 4, "paper_fair": 2})
    other = Registry([Entry("coins", "fig000", "Tossing coins", Given(longer))])
    with pytest.raises(SynsampError, match="begun before trials changed: move it away"):
        reproduce.main(arguments, other, tree)
