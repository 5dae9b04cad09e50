"""The built engine in the package is up to date with the code it was compiled from."""

from __future__ import annotations

import json

import pytest

from lab.engine.browser_engine import STATIC
from synsamp.errors import SynsampError
from synsamp.lab.wasm import sources
from synsamp.lab.wasm.__main__ import write_scenes
from synsamp.lab.wasm.emit import Export, find_linker, linked
from synsamp.lab.wasm.module import manifest
from synsamp.lab.wasm.scene_file import ENGINE

ENGINE_FILES = STATIC / "engine"
REMEDY = "the browser's engine is out of date: run `make lab`"


@pytest.fixture(scope="module")
def built():
    return json.loads((ENGINE_FILES / "engine.json").read_text())


def test_engine_is_up_to_date(built):
    assert built["sources"] == sources.digest(), REMEDY
    now = json.loads(json.dumps(manifest()))
    assert {name: built[name] for name in now} == now, REMEDY
    assert built["scenes"] == list(ENGINE), REMEDY


def test_scenes_are_up_to_date(tmp_path):
    write_scenes(tmp_path)
    for name in ENGINE:
        for suffix in ("json", "bin"):
            file = f"scenes/{name}.{suffix}"
            assert (tmp_path / file).read_bytes() == (ENGINE_FILES / file).read_bytes(), (
                f"{file}: {REMEDY}"
            )


def test_built_files_are_small():
    files = [path for path in ENGINE_FILES.rglob("*") if path.suffix in (".wasm", ".bin", ".json")]
    assert sum(path.stat().st_size for path in files) < 1.5e6


def test_digest_sees_code_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "PACKAGE", tmp_path)
    file = tmp_path / "a.py"

    def of(text):
        file.write_text(text)
        return sources.digest(["a.py"])

    first = of('"""Text."""\n\ndef f(x):\n    """Text."""\n    return 2 * x\n')
    assert of('def f(x):\n    # why\n    """Other text."""\n    return 2*x\n') == first
    assert of("from typing import Any\n\ndef f(x: Any) -> float:\n    return 2 * x\n") == first
    assert of("def f(x):\n    return 3 * x\n") != first
    assert of("def f(y):\n    return 2 * y\n") != first


def test_a_missing_linker_is_a_clear_error(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SynsampError, match="apt install lld"):
        find_linker()


def test_c_functions_without_a_value_return_nothing():
    try:
        find_linker()
    except SynsampError as missing:
        pytest.skip(str(missing))
    text = """
target datalayout = "e-m:e-i64:64-f80:128"
target triple = "x86_64-unknown-linux-gnu"
@shared = common local_unnamed_addr global ptr null
define void @inner(ptr %x) { store double 2.0, ptr %x ret void }
define noundef ptr @cfunc.set(ptr %x) #0 {
  call void @inner(ptr %x)
  ret ptr null
}
define ptr @_ZN7cpython3set(ptr %self) { ret ptr %self }
attributes #0 = { "target-cpu"="cascadelake" "target-features"="+avx2" }
"""
    code = linked([Export("set_to_two", "cfunc.set", text)])
    assert code.startswith(b"\0asm")
    assert b"set_to_two" in code
    assert b"cpython" not in code
