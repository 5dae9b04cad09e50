"""Join the page's modules into one: notebooks and `lab.html` load one script without a server.

Each module becomes a function that is called once and returns its exports:

    const m3 = (() => { const { h } = m0; …; return { Lab }; })();

This reads only what our own modules use: named imports and exports, `import * as`, and one
`export default` at the end of the entry. A module that imports itself in a circle raises an error.
"""

from __future__ import annotations

import re
from pathlib import Path

IMPORT = re.compile(r'^import (?P<what>.+?) from "(?P<path>\.{1,2}/[^"]+)";$', re.M | re.S)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let) (?:\* ?)?)", re.M)
NAMED = re.compile(r"(?:async )?(?:function\*?|class|const|let) (\w+)")
LISTED = re.compile(r"^export \{(?P<names>[^}]*)\};$", re.M)
DEFAULT = re.compile(r"^export default ", re.M)


def bundle(entry: Path) -> str:
    """Return one ES module with the entry and everything that it imports."""
    order: list[Path] = []
    _visit(entry.resolve(), order, ())
    place = {path: f"m{k}" for k, path in enumerate(order)}
    parts = [_wrapped(path, place) for path in order]
    last = place[order[-1]]
    return "\n".join([*parts, f"export default {last}.default;", ""])


def _visit(path: Path, order: list[Path], above: tuple[Path, ...]) -> None:
    """Add a module after all that it imports."""
    if path in above:
        raise ValueError(f"{path.name} imports itself through {above[-1].name}")
    if path in order:
        return
    for found in IMPORT.finditer(path.read_text(encoding="utf-8")):
        _visit((path.parent / found["path"]).resolve(), order, (*above, path))
    order.append(path)


def _wrapped(path: Path, place: dict[Path, str]) -> str:
    """One module as a function that returns its exports."""
    text = path.read_text(encoding="utf-8")

    def imported(found: re.Match[str]) -> str:
        source = place[(path.parent / found["path"]).resolve()]
        what = found["what"].strip()
        if what.startswith("* as "):
            return f"const {what[5:]} = {source};"
        if what.startswith("{"):
            return f"const {what.replace(' as ', ': ')} = {source};"
        return f"const {what} = {source}.default;"

    text = IMPORT.sub(imported, text)
    exports: dict[str, str] = {}
    for found in LISTED.finditer(text):
        for one in filter(None, (part.strip() for part in found["names"].split(","))):
            name, _, other = one.partition(" as ")
            exports[other or name] = name
    text = LISTED.sub("", text)
    for found in EXPORT.finditer(text):
        name = NAMED.match(text, found.end())
        assert name is not None
        exports[name[1]] = name[1]
    text = EXPORT.sub("", text)
    if DEFAULT.search(text):
        exports["default"] = "default_"
        text = DEFAULT.sub("const default_ = ", text)
    listed = ", ".join(f"{name}: {value}" for name, value in exports.items())
    return (
        f"// {path.name}\nconst {place[path]} = (() => {{\n{text}\nreturn {{ {listed} }};\n}})();"
    )
