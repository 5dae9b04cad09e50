"""In a separate process: make each call in a child of it, and report how it ended.

Standard input has one JSON list of words per line; standard output gets one JSON object per line.
What is imported once is imported before the children are made, so that a call takes milliseconds.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

PATIENCE_S = 20


def main() -> None:
    import synsamp.cli.data
    import synsamp.report.write
    import synsamp.runs.ensembles.run  # noqa: F401
    from synsamp.cli import run_command_line
    from toys.app import WITH_COINS

    for line in sys.stdin:
        print(json.dumps(call(json.loads(line), run_command_line, WITH_COINS)), flush=True)


def call(words, run_command_line, registry):
    before = tree()
    child = os.fork()
    if not child:
        with open("../stdout", "wb", buffering=0) as output, open("../stderr", "wb") as errors:
            os.dup2(output.fileno(), 1)
            os.dup2(errors.fileno(), 2)
        signal.alarm(PATIENCE_S)  # ends the child, which is then reported as killed
        code = 99
        try:
            code = run_command_line(words, registry)
            sys.stdout.flush()
        except BaseException:
            import traceback

            traceback.print_exc()
        sys.stderr.flush()
        os._exit(code)
    _, status = os.waitpid(child, 0)
    return {
        "code": os.waitstatus_to_exitcode(status),
        "output": Path("../stdout").read_bytes().decode(errors="replace")[:500],
        "errors": Path("../stderr").read_bytes().decode(errors="replace")[:5000],
        "changed": sorted(set(before) ^ set(tree()))[:5],
    }


def tree():
    """All that is here, with sizes and times; a lock is touched by looking."""
    found = []
    for folder, folders, files in os.walk("."):
        for name in (*folders, *files):
            path = os.path.join(folder, name)
            about = os.lstat(path)
            same = name == ".lock" or os.path.isdir(path)
            found.append((path, about.st_mode, 0 if same else (about.st_size, about.st_mtime_ns)))
    return found


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    main()
