"""Networks as a fuzzer draws them, with every access to memory checked."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from torture.scale import many

PROGRAM = Path(__file__).with_name("networks.py")


@pytest.mark.parametrize("checks", ["1", "0"], ids=["bounds checks", "as usual"])
def test_no_network_reaches_memory_outside_its_arrays(checks, tally):
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(many(40, 500)), "1" if checks == "1" else "2"],
        env={**os.environ, "SYNSAMP_BOUNDS_CHECKS": checks},
        capture_output=True,
        text=True,
        timeout=3600,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    tried = re.search(r"tried (\d+) networks", done.stdout)
    assert tried is not None
    tally("networks with bounds checks" if checks == "1" else "networks", int(tried.group(1)))
