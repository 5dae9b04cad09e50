"""Build the browser's engine and the lab in one file: ``make lab``.

Writes ``engine.wasm``, ``engine.json`` and the scenes below ``synsamp/lab/static/engine``, and the
page with everything in it to the path given (default: ``lab.html``).
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

STATIC = Path(__file__).parents[1] / "static" / "engine"


def write_scenes(folder: Path = STATIC) -> Any:
    """Write the scenes; returns the names of compiled functions that they use."""
    from synsamp.lab.scenes import SCENES
    from synsamp.lab.wasm.image import Binary, FunctionNames
    from synsamp.lab.wasm.scene_file import ENGINE, Files

    names = FunctionNames()
    (folder / "scenes").mkdir(parents=True, exist_ok=True)
    for name, write in ENGINE.items():
        scene, files = SCENES[name](), Files(names, Binary())
        description = {**scene.describe(), "engine": write(scene, files)}
        (folder / "scenes" / f"{name}.json").write_text(_json(description) + "\n")
        (folder / "scenes" / f"{name}.bin").write_bytes(files.binary.bytes())
    return names


def build(folder: Path = STATIC) -> None:
    """Compile everything in this process and write all files."""
    from synsamp.lab.wasm import module
    from synsamp.lab.wasm.emit import find_linker
    from synsamp.lab.wasm.scene_file import ENGINE
    from synsamp.lab.wasm.sources import digest

    find_linker()  # before minutes of compiling
    names = write_scenes(folder)
    (folder / "engine.wasm").write_bytes(module.build(names))
    known = {**module.manifest(), "scenes": list(ENGINE), "sources": digest()}
    (folder / "engine.json").write_text(_json(known) + "\n")


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


if __name__ == "__main__":
    from synsamp.lab.single_file import write_single_file

    # Code from the disk cache has no LLVM text: compile everything here.
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NUMBA_CACHE_DIR"] = cache
        build()
    write_single_file(Path(sys.argv[1] if len(sys.argv) > 1 else "lab.html"))
