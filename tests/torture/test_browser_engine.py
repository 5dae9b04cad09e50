"""Long sessions of the browser's engine against a native one without fused operations; memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest

from browser import needs_browser
from lab.engine.browser_engine import STATIC, compare, in_browser, opened, unpacked
from lab.engine.sessions import DIGITS, LANDSCAPE, REWARD, SENSES, SPINES, longer
from synsamp.errors import SynsampError
from synsamp.lab.wasm.emit import find_linker
from torture.scale import LONG

pytestmark = [
    *needs_browser,
    pytest.mark.skipif(not LONG, reason="compiles the engine once more: only in make torture"),
]

THETA_WITHIN = 1e-9
LEAST_SPIKES = 100_000
RUNNER = Path(__file__).parents[1] / "lab" / "engine" / "native_session.py"
SESSIONS = [
    longer(DIGITS, 30),
    longer(SENSES, 8),
    longer(SPINES, 10),
    longer(REWARD, 26),
    longer(LANDSCAPE, 20),
]
"""Long enough for that many spikes in each scene that has any."""


@pytest.fixture(scope="module")
def page():
    with opened() as found:
        yield found


def without_fused_operations():
    """An environment in which Numba compiles no fused multiplication and addition."""
    features = llvm.get_host_cpu_features()
    wide = ("fma", "avx512", "avx10")
    chosen = ",".join(
        ("-" if name.startswith(wide) or not has else "+") + name
        for name, has in sorted(features.items())
    )
    return os.environ | {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": chosen}


def test_long_sessions_agree_in_every_spike(page, tally, tmp_path):
    request = tmp_path / "sessions.json"
    request.write_text(json.dumps(SESSIONS))
    done = subprocess.run(
        [sys.executable, str(RUNNER), str(request), str(tmp_path / "found")],
        env=without_fused_operations(),
    )
    assert done.returncode == 0
    native = unpacked(json.loads((tmp_path / "found").read_text()))
    spikes = 0
    for session, expected in zip(SESSIONS, native, strict=True):
        found = compare(in_browser(page, **session), expected, THETA_WITHIN)
        assert found >= LEAST_SPIKES or session["scene"] == "landscape"
        spikes += found
    tally("spikes compared", spikes)


def set_temperature(tick):
    return {"tick": tick, "kind": "set", "name": "temperature", "value": 1.0}


def test_memory_does_not_grow(page, tally):
    """A session with a twin, probes, marks and frames, for minutes at full speed."""
    ticks = 40_000
    found = in_browser(
        page,
        scene="digits",
        seed=1,
        ticks=ticks,
        look_every=20,
        want=["spikes", "theta", "weights", "active", "tuning"],
        actions=[
            *(set_temperature(tick) for tick in range(7, ticks, 90)),
            *({"tick": t, "kind": "probe"} for t in range(50, ticks, 500)),
            *(
                {"tick": t, "kind": "twin", "on": bool((t // 100) % 2)}
                for t in range(100, ticks, 100)
            ),
        ],
    )
    megabytes = np.array(found["megabytes"])
    tally("ticks", ticks)
    assert megabytes[-1] == megabytes[len(megabytes) // 10]


def test_the_built_module_is_what_the_code_gives(tmp_path):
    try:
        find_linker()
    except SynsampError as missing:
        pytest.skip(str(missing))
    code = (
        "import sys; from pathlib import Path; from synsamp.lab.wasm.__main__ import build; "
        "build(Path(sys.argv[1]))"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], env=environment, check=True)
    built = (tmp_path / "engine.wasm").read_bytes()
    kept = (STATIC / "engine" / "engine.wasm").read_bytes()
    # The compiler optimises for the machine it runs on, so bytes may differ, functions may not.
    assert abs(len(built) - len(kept)) < 0.2 * len(kept)
