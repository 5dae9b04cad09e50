"""Every public name has a numpydoc docstring whose parameters are those of the signature.

Classes of results, which users do not make themselves, may document them as attributes.
"""

from __future__ import annotations

import importlib
import inspect
import re
from typing import get_origin

import pytest

PACKAGES = (
    "synsamp.priors",
    "synsamp.mappings",
    "synsamp.spiking",
    "synsamp.protocol",
    "synsamp.environments",
    "synsamp.claims",
    "synsamp.experiments",
    "synsamp.data",
    "synsamp.runs",
    "synsamp.rule",
    "synsamp.spines",
    "synsamp.analysis",
    "synsamp.models",
    "synsamp.lab",
    "synsamp.jax",
    "synsamp.jax.rewiring",
)


def public_names(module):
    """Names in `__all__`, or exported by ``import … as``; submodules are not callable."""
    return getattr(module, "__all__", [name for name in vars(module) if name[0] != "_"])


NAMES = {
    f"{part.__module__}.{part.__qualname__}": part
    for package in PACKAGES
    for module in [importlib.import_module(package)]
    for part in (getattr(module, name) for name in public_names(module))
    if callable(part) and not get_origin(part) and part.__module__.startswith("synsamp")
}


def section(text, title):
    """The lines of a section that are not indented."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\S+\n-+\n|\Z)", text, re.M | re.S)
    return re.findall(r"^\S.*", found[1], re.M) if found else []


def documented(text, title="Parameters"):
    names = [line.split(" : ")[0] for line in section(text, title)]
    return [name.strip().lstrip("*") for line in names for name in line.split(",")]


def problems(part):
    text = inspect.getdoc(part) or ""
    if not re.match(r"\S", text):
        return ["no docstring"]
    try:
        signature = inspect.signature(part)
    except ValueError:  # an exception
        return []
    interface = inspect.isclass(part) and (
        getattr(part, "_is_protocol", False) or inspect.isabstract(part)
    )
    expected = [name for name in signature.parameters if name != "self"]
    result = inspect.isclass(part) and set(expected) <= set(documented(text, "Attributes"))
    found = []
    if documented(text) != expected and not interface and not result:
        found.append(f"parameters are {expected}")
    returns = signature.return_annotation not in (None, "None", inspect.Signature.empty)
    if not inspect.isclass(part) and returns and not section(text, "Returns"):
        found.append("no Returns")
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_documents_its_signature(name):
    assert problems(NAMES[name]) == []


def missing(a, b):
    """Add."""
    return a + b


def complete(a, *b) -> int:
    """Add.

    Parameters
    ----------
    a, b : float
        Numbers.

    Returns
    -------
    int
        The sum.
    """
    return a + sum(b)


def test_the_guard_sees_missing_and_surplus_parameters():
    assert problems(missing) == ["parameters are ['a', 'b']"]
    assert problems(complete) == []
    assert problems(lambda a: a) == ["no docstring"]
