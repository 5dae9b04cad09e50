"""What every test may use."""

from __future__ import annotations

import ctypes
import gc
import signal
import sys

import pytest
from hypothesis import HealthCheck, settings

# On a busy machine drawing examples takes long, which is no fault of the code.
settings.register_profile("busy", suppress_health_check=[HealthCheck.too_slow], deadline=None)
settings.load_profile("busy")


def pytest_configure() -> None:
    """Hear Ctrl-C as a user's Python does: what runs in the background of a shell ignores it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module", autouse=True)
def freed_memory_is_given_back():
    """After each file: what JAX compiled for it, and what glibc keeps of freed memory."""
    yield
    if "jax" in sys.modules:
        sys.modules["jax"].clear_caches()
        gc.collect()
    if sys.platform == "linux" and hasattr(library := ctypes.CDLL(None), "malloc_trim"):
        library.malloc_trim(0)


@pytest.fixture
def tally(record_property):
    """Note how many cases of a kind were tried, for the table in docs/reference/reliability.md."""

    def note(kind: str, count: int = 1) -> None:
        record_property("tried", f"{kind}={count}")

    return note


@pytest.fixture
def own_data_folder(tmp_path, monkeypatch):
    """An empty data folder in place of the user's."""
    folder = tmp_path / "data"
    monkeypatch.setenv("SYNSAMP_DATA", str(folder))
    return folder
