"""Small parts of tools/: pieces of pages, and what may be imported."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from scipy import stats

from tools import error_budget, reliability
from tools.markdown import PageError, duration, replace_between, row

TOOLS = Path(__file__).parents[1] / "tools"


def test_a_cell_may_contain_a_bar_and_line_breaks():
    assert row("a | b", "c\nd") == "| a \\| b | c d |"


@pytest.mark.parametrize(("seconds", "text"), [(80, "80 s"), (89.6, "90 s"), (4260, "71 min")])
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_text_between_markers_is_replaced_once():
    assert replace_between("a<b>old<e>z", "<b>", "<e>", "\\1") == "a<b>\n\\1\n<e>z"
    for page in ("no markers", "<b><e> <b><e>", "<b>"):
        with pytest.raises(PageError, match="must contain"):
            replace_between(page, "<b>", "<e>", "new")


def test_the_table_of_stress_tests_counts_cases_and_failures(tmp_path):
    junit = tmp_path / "junit.xml"
    case = '<properties><property name="tried" value="kill={n}"/></properties>'
    junit.write_text(
        f"<testsuite><testcase>{case.format(n=1500)}</testcase>"
        f"<testcase><failure/>{case.format(n=2)}</testcase></testsuite>"
    )
    tried, failed = reliability.count(junit)
    assert (tried, failed) == (Counter(kill=1500), Counter(kill=2))
    assert "| kill | 1,502 | 2 |" in reliability.table(tried, failed)


def imports(path):
    """Yield (module, name) of each import of a file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


@pytest.mark.parametrize("path", sorted(TOOLS.glob("*.py")), ids=lambda path: path.name)
def test_only_public_names_are_imported_and_the_command_line_in_one_file(path):
    for module, name in imports(path):
        private = [part for part in [*module.split("."), name] if part.startswith("_")]
        assert module == "__future__" or not private
        assert not module.startswith("synsamp.cli") or path.name == "batch.py"


def test_every_make_target_has_its_program():
    makefile = (TOOLS.parent / "Makefile").read_text()
    for name in ("reproduce", "beyond", "robustness", "pages", "reliability", "mutants"):
        assert f"-m tools.{name}" in makefile
        assert '__name__ == "__main__"' in (TOOLS / f"{name}.py").read_text()


CHANCE = """
def test_distribution(x):
    assert p_value(x) > 0.01
    assert min(p_values(x)) > 0.01 / FAMILY
    assert abs(x - 1) < 4 * np.sqrt(2 / n)
    assert stats.kstest(x, "norm").pvalue < 1e-6  # a control
    assert abs(x) < 4.0
    assert size > 0.01
"""


def test_the_error_budget_counts_levels_once_per_case_or_family(tmp_path):
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "test_a.py").write_text(CHANCE)
    name = "tests/test_a.py::test_distribution"
    found = error_budget.budget(folder, Counter({name: 3}))
    assert found == {name: pytest.approx(3 * 0.01 + 0.01 + 3 * 2 * stats.norm.sf(4))}
    assert error_budget.budget(folder, Counter()) == {}  # a test that is not collected
