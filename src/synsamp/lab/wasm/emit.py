"""From the LLVM code that Numba makes to one WebAssembly module.

Each function that JavaScript calls is an *export*: its LLVM text comes from Numba, gets a short
name, and is linked with the others, so that what they share is there once. WebAssembly needs a few
changes: pointers have 32 bits (the data layout says so), nothing is "common", and a C function that
Numba declares as returning a pointer to nothing returns nothing, since signatures are checked at
indirect calls. Error messages of Numba's wrappers call Python; they are imports that the browser
never calls.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import llvmlite.binding as llvm

from synsamp.errors import SynsampError

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+simd128,+bulk-memory,+nontrapping-fptoint"
LINK = (
    "--no-entry",
    "--import-memory",
    "--export-table",
    "--growable-table",
    "--allow-undefined",
    "--export=__heap_base",
    "--gc-sections",
    "--strip-all",
)


class Export(NamedTuple):
    """A function to export: its name in the module, in the LLVM text, and that text."""

    name: str
    symbol: str
    text: str


def linked(exports: Iterable[Export]) -> bytes:
    """One WebAssembly module with all of them as exports."""
    linker = find_linker()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(features=FEATURES, opt=3)
    names: list[str] = []
    whole = None
    for export in exports:
        names.append(export.name)
        module = llvm.parse_assembly(_for_wasm(export, str(machine.target_data)))
        if whole is None:
            whole = module
        else:
            whole.link_in(module)
    assert whole is not None
    for value in (*whole.functions, *whole.global_variables):
        if not value.is_declaration and value.name not in names:
            value.linkage = "internal"
    whole.verify()
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "engine.o"), Path(folder, "engine.wasm")
        source.write_bytes(machine.emit_object(whole))
        flags = [f"--export={name}" for name in names]
        done = subprocess.run(
            [linker, *LINK, *flags, str(source), "-o", str(target)],
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise SynsampError(f"wasm-ld could not link the engine: {done.stderr.strip()[:500]}")
        return target.read_bytes()


def find_linker() -> str:
    """Path of ``wasm-ld``."""
    found = shutil.which("wasm-ld")
    if found is None:
        raise SynsampError(
            "the browser engine needs the linker wasm-ld, got no such command; install LLVM's "
            "lld (Debian and Ubuntu: apt install lld; macOS: brew install lld; conda: "
            "conda install lld)"
        )
    return found


_NAME = re.compile(r'@("[^"]+"|[-\w.$]+)\(')


def _for_wasm(export: Export, data_layout: str) -> str:
    """The LLVM text of an export without Python wrappers, as WebAssembly wants it."""
    text = export.text
    if f"@{export.symbol}(" not in text:
        raise SynsampError(f"{export.name} must be in the compiled code, got no {export.symbol}")
    text = re.sub(r'target datalayout = ".*"', f'target datalayout = "{data_layout}"', text)
    text = re.sub(r'target triple = ".*"', f'target triple = "{TRIPLE}"', text)
    text = re.sub(r'"(target-cpu|target-features|tune-cpu)"="[^"]*"', "", text)
    text = text.replace(" = common ", " = weak ")
    lines: list[str] = []
    kept, without_value = True, False
    for line in text.splitlines():
        if line.startswith("define"):
            found = _NAME.search(line)
            assert found is not None
            name = found.group(1)
            kept = not name.startswith("_ZN7cpython") and (
                name == export.symbol or not name.startswith("cfunc.")
            )
            without_value = (
                name == export.symbol
                and name.startswith("cfunc.")
                and " ptr @" in line[: found.end()]
            )
            if without_value:
                line = "define void " + line[found.start() :]
        elif without_value and line.lstrip().startswith("ret ptr"):
            line = "  ret void"
        if kept:
            lines.append(line)
        if line == "}":
            kept, without_value = True, False
    return "\n".join(lines).replace(f"@{export.symbol}(", f"@{export.name}(")
