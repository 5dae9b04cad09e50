"""Words that the project does not use in text for people, and where they occur.

    python tests/language.py src/synsamp/rule docs/howto/rule.md

prints one line per finding. In Python files strings, docstrings and comments count, and the names
of functions and classes, with underscores as spaces; other names do not.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# What is matched, and what to write instead.
REPLACEMENTS: dict[str, str] = {
    r"\b(go|goes|going|went|gone) on\b": "continue",
    r"\b(hang|hangs|hung) on\b": "depend on",
    r"\bheld against\b": "compared with, tested against",
    r"\btold\b|\btells? apart\b|\btelling apart\b": "distinguish, classify, report",
    r"\bbeside\b": "alongside, as well",
    r"\bby the (printed )?rule\b": "under the rule, following the rule",
    r"\b(call|calls|called|calling) (up|forth)\b": "evoke",
    r"\bby heart\b": "memorised",
    r"\bmade[- ]up\b": "generated, invented",
    r"\bforeign\b": "out-of-distribution, external",
    r"\bfeels? (the|no|a|it)\b": "the likelihood term acts on (nothing is alive)",
    r"\b(the same bits|to the bit|bit for bit|same bits)\b": "bit-identical",
    r"\b(is|are|was|were|be) refused\b": "raises an error",
    r"\b(come|comes|came|coming) out\b": "result, turn out to be",
    r"\bof (your|one's|his|her|its|their) own\b|\bone's own\b": "custom",
    r"\bas it is\b": "unchanged, default",
    r"\barms?\b": "condition, branch",
    r"\blaws?\b": "distribution",
    r"\bnobody\b": "no one; or name who does what",
    r"\b(taken?|begins?|made|drawn|asked) anew\b": "again, from scratch",
    r"\blooks? of\b|\blooks? at\b|\ba look\b|\blooks\b": "imaging session, time point; or examine",
    r"\breaders?\b": "decoder (or the person who reads)",
    r"\blearnt\b": "learned",
    r"\bdead time\b": "refractory period",
    r"\bfree neurons\b": "stochastic neurons",
    r"\bfound out\b": "detected",
    r"\bstrange\b": "unexpected",
    r"\bhumps?\b": "mode",
    r"\bseal(s|ed)?\b": "manifest, checksum",
    r"\bwidening\b": "inflation of the spread",
    r"\bdoubt(s|ful)?\b": "warning",
    r"\bthe way back\b": "inverse",
    r"\bturns to\b|\bturned to\b": "retuned",
    r"\bfor good\b": "permanently",
    r"\bEqs?\. ?\(?[a-z]+[-_][a-z_-]+\)?|\((?:eq:|ml-mcmc|structsamp|wta_dd|rule_discrete|"
    r"onlinediscrete|sup-sem|rbm_prior)[\w:-]*\)": "the number of the equation and a short name",
}
# Right in these places.
ALLOWED = re.compile(
    r"power[- ]laws?|law of (large numbers|total \w+)|Weber's law|two-armed|multi-armed|"
    r"(one|each|an?|the|two|both|best|better|worse) arms?(?= of the bandit)|bandit arms?|"
    r"screen readers?|first-time readers?|the reader\b|~nobody",
    re.IGNORECASE,
)
_WRONG = {re.compile(pattern, re.IGNORECASE): use for pattern, use in REPLACEMENTS.items()}


class Finding(NamedTuple):
    """A word and where it stands."""

    path: Path
    line: int
    word: str
    use: str


def findings(path: Path) -> Iterator[Finding]:
    """Every word of a file that is to be replaced."""
    text = path.read_text()
    for line, part in _python_texts(text) if path.suffix == ".py" else [(1, text)]:
        shown = ALLOWED.sub(lambda found: "#" * len(found[0]), part)
        for pattern, use in _WRONG.items():
            for found in pattern.finditer(shown):
                yield Finding(path, line + shown.count("\n", 0, found.start()), found[0], use)


def _python_texts(text: str) -> Iterator[tuple[int, str]]:
    texts = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}
    before = ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in texts:
            yield token.start[0], token.string
        elif before in ("def", "class"):
            yield token.start[0], token.string.replace("_", " ").strip()
        before = token.string


def files(paths: list[Path]) -> Iterator[Path]:
    """Texts for people below some paths."""
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (p for p in inside if p.suffix in (".py", ".md", ".toml", ".html"))


if __name__ == "__main__":
    for each in files([Path(argument) for argument in sys.argv[1:]]):
        for found in findings(each):
            print(f"{found.path}:{found.line}: {found.word!r}: {found.use}")
