"""Imports point one way, so that each folder can be read without the ones that stand on it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "synsamp"

# A folder may import itself and what is named here. The engine knows nothing of experiments,
# experiments nothing of where they are run, drawing nothing of the command line.
GROUND = {"errors", "arguments", "progress", "specialise", "noise", "seeds", "columns", "packing"}
SCALARS = GROUND | {"mappings", "priors"}
ENGINE = SCALARS | {"rule"}
TOOLS = {"errors", "arguments", "data", "analysis"}
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "extras": {"errors"},
    "arguments": {"errors"},
    "progress": set(),
    "seeds": set(),
    "columns": set(),
    "packing": set(),
    "specialise": {"errors", "arguments"},
    "noise": {"errors", "arguments", "specialise"},
    "mappings": GROUND,
    "priors": GROUND | {"mappings"},
    "rule": SCALARS | {"analysis"},  # names synsamp.jax, and loads it only for a JAX function
    "data": {"errors", "arguments", "progress"},
    "analysis": {"errors", "arguments", "data"},
    "jax": ENGINE | TOOLS | {"extras"},
    "models": ENGINE | TOOLS,
    "spiking": ENGINE | TOOLS,
    "spines": ENGINE | TOOLS,
    "figures": {"errors", "arguments"},
    "claims": {"analysis"},
    "environments": GROUND | {"spiking"},
    "protocol": GROUND | {"spiking", "environments"},
    "experiments": TOOLS | {"extras", "protocol", "claims"},
    "paper": ENGINE
    | TOOLS
    | {"models", "spiking", "environments", "protocol", "claims", "figures", "experiments"},
    "beyond": ENGINE
    | TOOLS
    | {"extras", "jax", "models", "spiking", "environments", "protocol", "claims", "figures"}
    | {"experiments", "paper"},
    "examples": ENGINE | TOOLS | {"spiking", "protocol", "claims", "experiments"},
    "runs": GROUND | {"protocol", "claims", "experiments", "analysis"},
    "lab": ENGINE
    | TOOLS
    | {"extras", "models", "spiking", "environments", "protocol", "experiments", "paper", "beyond"},
    "interchange": {"errors", "arguments", "extras", "progress", "experiments", "protocol", "runs"},
    "report": {
        "errors",
        "arguments",
        "progress",
        "figures",
        "claims",
        "experiments",
        "runs",
        "analysis",
        "spines",
    },
    "cli": {
        "errors",
        "arguments",
        "progress",
        "specialise",
        "data",
        "spines",
        "experiments",
        "runs",
        "interchange",
        "report",
        "lab",
    },
    "": ENGINE
    | TOOLS
    | {
        "models",
        "spiking",
        "spines",
        "runs",
        "interchange",
    },  # synsamp/__init__.py, the public names
}


# The rooms of a folder, from the ground up: a room may import itself and those before it.
ROOMS: dict[str, list[str]] = {
    "spiking": [
        "kernel",
        "plasticity",
        "available",
        "space",
        "potential",
        "neurons",
        "synapses",
        "resolved",
        "projection",
        "network",
        "dataset",
        "description",
        "axons",
        "populations",
        "links",
        "blocks",
        "layout",
        "input",
        "state",
        "first_use",
        "engine",
        "changes",
        "new_neurons",
        "saved",
        "events",
        "lesions",
        "births",
        "recorder",
        "probe",
        "eligibility",
        "replay",
        "simulation",
        "pairing",
    ],
    "runs": [
        "storage",
        "parallel",
        "overrides",
        "context",
        "simulate",
        "execute",
        "ensembles",
        "dataset",
    ],
    "protocol": [
        "every",
        "view",
        "steps",
        "named_array",
        "records",
        "rows",
        "context",
        "memory",
        "saved",
        "tables",
        "step_log",
        "branch_state",
        "executor",
        "protocol",
    ],
}


def modules():
    return sorted(SOURCE.rglob("*.py"))


def folder_of(path):
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return "" if parts == ("__init__",) else parts[0]


def imports_of(text):
    """Yield the folder of synsamp each import statement names, those inside functions too."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            own = node.module == "synsamp"
            names = [f"synsamp.{a.name}" for a in node.names] if own else [node.module]
        else:
            continue
        for name in names:
            if name.startswith("synsamp."):
                yield name.split(".")[1]


def violations(folder, text):
    return sorted(
        {found for found in imports_of(text) if found not in {folder, *MAY_IMPORT[folder]}}
    )


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_point_one_way(path):
    assert violations(folder_of(path), path.read_text()) == []


def rooms_of(folder, text):
    """Yield the rooms of a folder that a module imports, by any way of writing it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            match name.split("."):
                case ["synsamp", where, room, *_] if where == folder:
                    yield room
                case ["synsamp", where] if where == folder:
                    yield "__init__"


def wrong_rooms(folder, room, text):
    allowed = ROOMS[folder][: ROOMS[folder].index(room) + 1]
    return sorted({found for found in rooms_of(folder, text) if found not in allowed})


IN_ROOMS = [
    path
    for path in modules()
    if folder_of(path) in ROOMS
    and path.relative_to(SOURCE).with_suffix("").parts[1:] != ("__init__",)
]


@pytest.mark.parametrize("path", IN_ROOMS, ids=lambda p: str(p.relative_to(SOURCE)))
def test_rooms_stand_on_each_other(path):
    folder, room, *_ = path.relative_to(SOURCE).with_suffix("").parts
    assert wrong_rooms(folder, room, path.read_text()) == []


@pytest.mark.parametrize(
    ("folder", "room", "text"),
    [
        ("spiking", "kernel", "from synsamp.spiking.network import Network"),
        ("spiking", "state", "from synsamp.spiking import simulation"),
        ("runs", "storage", "from synsamp.runs.parallel.tasks import Task"),
        ("runs", "storage", "def f():\n    import synsamp.runs.execute"),
        ("runs", "parallel", "from synsamp.runs import context"),
        ("runs", "execute", "from synsamp.runs.ensembles.run import execute_ensemble"),
        ("runs", "ensembles", "from synsamp.runs import RunFolder"),
        ("runs", "ensembles", "from synsamp import runs"),
    ],
)
def test_the_guard_of_the_rooms_sees_a_wrong_import(folder, room, text):
    assert wrong_rooms(folder, room, text)


@pytest.mark.parametrize(
    ("folder", "room", "text"),
    [
        ("spiking", "state", "from synsamp.spiking.kernel.memory import Activity"),
        ("runs", "parallel", "from synsamp.runs.storage import machine"),
        ("runs", "ensembles", "from synsamp.runs.execute import describe_run"),
    ],
)
def test_the_guard_of_the_rooms_lets_a_right_import_through(folder, room, text):
    assert not wrong_rooms(folder, room, text)


# An experiment may import itself and what several share, but no other experiment.
def wrong_for_experiment(folder, room, text):
    allowed = {"shared", room}
    return sorted({found for found in rooms_of(folder, text) if found not in allowed})


EXPERIMENT_MODULES = [
    path
    for path in modules()
    if folder_of(path) in ("paper", "beyond") and path.parent.name not in ("paper", "beyond")
]


@pytest.mark.parametrize("path", EXPERIMENT_MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_experiments_do_not_know_each_other(path):
    folder, room = path.relative_to(SOURCE).with_suffix("").parts[:2]
    assert wrong_for_experiment(folder, room, path.read_text()) == []


@pytest.mark.parametrize(
    ("folder", "room", "text"),
    [
        ("paper", "fig3_motility", "from synsamp.paper.fig4_adaptation.claims import over_seeds"),
        ("paper", "shared", "from synsamp.paper import fig3_motility"),
        ("beyond", "bandit", "from synsamp.beyond.lever.claims import CLAIMS"),
    ],
)
def test_the_guard_of_the_experiments_sees_a_wrong_import(folder, room, text):
    assert wrong_for_experiment(folder, room, text)


PARTS = {"__init__", "parameters", "protocol", "measures", "claims", "figures", "experiment"}


@pytest.mark.parametrize(
    "folder",
    sorted({path.parent for path in EXPERIMENT_MODULES if path.parent.name != "shared"}),
    ids=lambda folder: folder.name,
)
def test_experiments_look_alike(folder):
    """The same six files in each, and at most one more."""
    found = {path.stem for path in folder.glob("*.py")}
    assert found >= PARTS
    assert len(found - PARTS) <= 1


def test_every_folder_has_its_place():
    assert {folder_of(path) for path in modules()} <= MAY_IMPORT.keys()


def test_the_table_itself_has_no_circle():
    order: list[str] = []
    left = {folder: found - {folder} for folder, found in MAY_IMPORT.items()}
    while left:
        ready = [folder for folder, needs in left.items() if needs <= set(order)]
        assert ready, f"these import each other: {sorted(left)}"
        order += ready
        for folder in ready:
            del left[folder]


@pytest.mark.parametrize(
    ("folder", "text"),
    [
        ("rule", "from synsamp.spiking import network"),
        ("data", "def f():\n    import synsamp.rule.equation"),
        ("experiments", "from synsamp import runs"),
        ("report", "from synsamp.cli import main"),
    ],
)
def test_the_guard_sees_a_wrong_import(folder, text):
    assert violations(folder, text)


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_a_module_can_be_read_in_one_sitting(path):
    assert len(path.read_text().splitlines()) < 400


def defined_types(path):
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign) and "NDArray" not in ast.unparse(node.value):
            names = (target.id for target in node.targets if isinstance(target, ast.Name))
            yield from (name for name in names if name[0].isupper() and not name.isupper())


def test_a_type_has_one_meaning():
    """No public class or type alias is defined in two modules; aliases of array types may be."""
    defined = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for name in {name for name in defined_types(path) if name[0] != "_"}:
            defined.setdefault(name, []).append(path.relative_to(SOURCE).as_posix())
    assert {name: paths for name, paths in defined.items() if len(paths) > 1} == {}
