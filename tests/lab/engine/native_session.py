"""Run sessions with the native engine in another process: python native_session.py IN OUT."""

from __future__ import annotations

import json
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from lab.engine.browser_engine import in_python, packed

    sessions = json.loads(Path(sys.argv[1]).read_text())
    found = [packed(in_python(**one)) for one in sessions]
    Path(sys.argv[2]).write_text(json.dumps(found, default=float))
