"""Texts for people use the words of the field: none of the words in `language.py` occurs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import language

ROOT = Path(__file__).parents[1]
TEXTS = [
    *sorted((ROOT / "src" / "synsamp").rglob("*.py")),
    *sorted((ROOT / "src" / "synsamp").rglob("*.html")),
    *sorted(p for p in (ROOT / "docs").rglob("*.md") if not {"_build", "generated"} & {*p.parts}),
    *sorted((ROOT / "docs" / "data").glob("*_notes.toml")),
    *sorted((ROOT / "tools").glob("*.py")),
    *sorted((ROOT / "benchmarks").glob("*.py")),
    *(path for path in sorted((ROOT / "tests").rglob("*.py")) if "language" not in path.name),
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
]
# A text for each pattern, by what to write instead.
SAMPLES = (
    "It goes on. What claims hang on. Claims held against it. The digit was told. A copy beside. "
    "It moves by the rule. Sound calls up the image. Learned by heart. A made-up digit. A foreign "
    "image. Synapses feel no likelihood. They end in the same bits. What is wrong is refused. What "
    "came out. A prior of your own. Run it as it is. An arm of the run. The law of θ. That nobody "
    "asks. It is taken anew. A look at it. A reader of spikes. It has learnt. A dead time. The "
    "free neurons. It is found out. A strange file. Two humps. A sealed folder. A widening of θ. A "
    "doubt. On the way back. It turns to twos. Gone for good. By Eq. ml-mcmc2."
)


def words(path):
    return [f"{found.line}: {found.word!r}: {found.use}" for found in language.findings(path)]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_text_uses_the_words_of_the_field(path):
    assert words(path) == []


def test_the_new_section_of_the_changelog_does_too(tmp_path):
    """Except for its table, which names what was renamed."""
    page = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(r"## 0\.3\.0.*?(?=\n## )", page, re.S).group()
    text = tmp_path / "changes.md"
    text.write_text("\n".join(line for line in section.splitlines() if line[:1] != "|"))
    assert words(text) == []


@pytest.mark.parametrize("suffix", [".md", ".toml", ".html", ".py"])
def test_every_listed_word_is_found(tmp_path, suffix):
    text = tmp_path / f"text{suffix}"
    text.write_text(f'"""{SAMPLES}"""\n' if suffix == ".py" else SAMPLES)
    assert {found.use for found in language.findings(text)} == set(language.REPLACEMENTS.values())


def test_variables_and_allowed_terms_are_not_found(tmp_path):
    text = tmp_path / "text.py"
    text.write_text("arm = law = 1  # a power law, the law of large numbers\n")
    assert words(text) == []


def test_case_does_not_matter_and_names_of_functions_count(tmp_path):
    text = tmp_path / "text.py"
    text.write_text("# As it is\ndef test_the_run_goes_on(): ...\n")
    assert [found.word for found in language.findings(text)] == ["As it is", "goes on"]
