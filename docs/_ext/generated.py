"""Write the reference pages that come from the code: API, command line, parameters.

Runs at the start of every build; its pages are in docs/reference/generated, not in the repository.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel

from synsamp.cli import data
from synsamp.cli.app import build_app
from synsamp.experiments.registry import REGISTRY

PACKAGES = {
    "synsamp": "The names for a first script: rule, priors, mappings, `sample`, `open`.",
    "synsamp.errors": "Errors, which all say what is wrong, what you gave and what to do.",
    "synsamp.rule": "The synaptic sampling rule: samplers, diagnostics and theory.",
    "synsamp.priors": "Priors over synaptic parameters.",
    "synsamp.mappings": "Mappings from a parameter θ to a weight w.",
    "synsamp.models": "Models that supply the gradient of a likelihood.",
    "synsamp.spiking": "The event-driven simulator of spiking networks.",
    "synsamp.protocol": "Experiments on a spiking network: steps, branches, lesions, records.",
    "synsamp.environments": "Environments that networks act on, and reward.",
    "synsamp.experiments": "What an experiment is.",
    "synsamp.claims": "Claims, and how they are judged over seeds.",
    "synsamp.interchange": "Export to other formats.",
    "synsamp.runs": "Run folders, ensembles and their Datasets.",
    "synsamp.data": "Digits, sounds and encoders.",
    "synsamp.analysis": "Decoders, survival, turnover and other measures; functions of arrays.",
    "synsamp.spines": "Tables of measured spines.",
    "synsamp.jax": "The rule for trees of JAX parameters, and sparse training.",
}
"""Public packages with one sentence each."""


def cell(text: str) -> str:
    """A text in one line of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def first_sentence(part: object) -> str:
    """The summary line of a docstring."""
    return (inspect.getdoc(part) or "").split("\n")[0]


def public_parts(package: str) -> list[tuple[str, object]]:
    """Classes and functions that a package exports, or else that its modules define."""
    module = importlib.import_module(package)
    names = getattr(module, "__all__", [n for n in vars(module) if n[0] != "_"])
    found = [(f"{package}.{n}", getattr(module, n)) for n in names if n != "__version__"]
    found = [(n, part) for n, part in found if inspect.isclass(part) or inspect.isroutine(part)]
    if found:
        return found
    for info in pkgutil.iter_modules(module.__path__):
        if info.name[0] == "_":
            continue
        inner = importlib.import_module(f"{package}.{info.name}")
        for name, part in vars(inner).items():
            known = inspect.isclass(part) or inspect.isroutine(part) or hasattr(part, "py_func")
            if name[0] != "_" and known and part.__module__ == inner.__name__:
                found.append((f"{inner.__name__}.{name}", part))
    return found


def home_of(part: object) -> str:
    """The package on whose page a name is documented."""
    return ".".join(part.__module__.split(".")[:2])


def api_page(package: str, purpose: str) -> str:
    """One package: a table of its names, then each with its docstring."""
    lines = [f"# {package}", "", purpose, "", "| name | purpose |", "| --- | --- |"]
    parts = public_parts(package)
    for name, part in parts:
        short = name.removeprefix(package + ".")
        page = "" if package != "synsamp" else f"{home_of(part)}.md"
        link = f"[`{short}`]({page}#{short.lower().replace('.', '')})"
        lines.append(f"| {link} | {cell(first_sentence(part))} |")
    for name, part in parts if package != "synsamp" else []:
        kind = "class" if inspect.isclass(part) else "function"
        members = "\n   :members:" if kind == "class" else ""
        lines += ["", f"## {name.removeprefix(package + '.')}", "", "```{eval-rst}"]
        lines += [f".. auto{kind}:: {name}{members}", "```"]
    return "\n".join(lines) + "\n"


def index_page() -> str:
    """All packages, each with its purpose."""
    lines = ["# Python", "", "This page lists the public packages; each page has every name.", ""]
    lines += ["| package | purpose |", "| --- | --- |"]
    lines += [f"| [{package}]({package}.md) | {text} |" for package, text in PACKAGES.items()]
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", "", *PACKAGES, "```", ""])


def command_page() -> str:
    """Every command with its arguments and options, as `--help` shows them."""
    root: Any = typer.main.get_command(build_app(REGISTRY))
    lines = ["# Command line", "", "This page lists every command with its options.", ""]
    found = dict(commands(root, "synsamp"))
    del found["synsamp data"]  # a group that is loaded when it is called
    found |= dict(commands(typer.main.get_command(data.app), "synsamp data"))
    for name, command in sorted(found.items()):
        lines += [f"## {name}", "", inspect.cleandoc(command.help or ""), ""]
        if command.params:
            lines += ["| argument or option | meaning |", "| --- | --- |"]
        for parameter in command.params:
            shown = ", ".join(f"`{each}`" for each in [*parameter.opts, *parameter.secondary_opts])
            if parameter.param_type_name == "argument":
                shown = f"`{(parameter.name or '').upper()}`"
            lines.append(f"| {shown} | {cell(getattr(parameter, 'help', '') or '')} |")
        lines.append("")
    return "\n".join(lines)


def commands(command: Any, name: str) -> list[tuple[str, Any]]:
    """All commands below one, by their full name."""
    if not hasattr(command, "commands"):
        return [(name, command)]
    return [
        found
        for each in command.commands.values()
        if not each.hidden
        for found in commands(each, f"{name} {each.name}")
    ]


def parameter_rows(model: type[BaseModel], values: BaseModel, prefix: str = "") -> list[str]:
    """A row per parameter: its name as in `--set`, default and meaning."""
    rows = []
    for name, field in model.model_fields.items():
        value = getattr(values, name)
        if isinstance(value, BaseModel):
            rows += parameter_rows(type(value), value, f"{prefix}{name}.")
        else:
            rows.append(f"| `{prefix}{name}` | `{value}` | {cell(field.description or '')} |")
    return rows


def parameters_page() -> str:
    """The parameters of every experiment, with the values of the paper preset."""
    lines = ["# Parameters of every experiment", ""]
    lines += ["This page lists what `--set` and `--vary` accept, with values of preset `paper`."]
    for entry in REGISTRY:
        experiment = entry.load()
        values = experiment.presets["paper"]
        lines += ["", f"## {entry.name}", "", entry.title, ""]
        lines += ["| parameter | `paper` | meaning |", "| --- | --- | --- |"]
        lines += parameter_rows(type(values), values)
    return "\n".join(lines) + "\n"


def write(app: Any) -> None:
    """Write all pages; a file that would not change is left alone, so that builds are fast."""
    folder = Path(app.srcdir) / "reference" / "generated"
    pages = {f"{package}.md": api_page(package, text) for package, text in PACKAGES.items()}
    pages["index.md"] = index_page()
    pages["commands.md"] = command_page()
    pages["parameters.md"] = parameters_page()
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.md"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def has_no_text(app: Any, what: str, name: str, part: object, skip: bool, options: Any) -> Any:
    """Leave out fields of named tuples, which the docstring of their class describes."""
    described_by_python = (inspect.getdoc(part) or "").startswith("Alias for field number")
    return True if described_by_python else None


def setup(app: Any) -> dict[str, bool]:
    """Write the pages before Sphinx looks for them."""
    app.connect("autodoc-skip-member", has_no_text)
    app.connect("config-inited", lambda app, config: write(app))
    return {"parallel_read_safe": True}
