"""Build wheel and source distribution, install each outside the source tree and try them.

    python -m tools.dist_check

Leaves the files in ``dist/``. Fails if a file that the package needs is missing, or if anything
that belongs to the repository alone is in the wheel.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
LAB = ROOT / "src" / "synsamp" / "lab" / "static"
IN_WHEEL = (
    "synsamp/py.typed",
    "synsamp/data/embedded/README.md",
    "synsamp/data/embedded/LICENSE-CC-BY-SA-4.0.txt",
    "synsamp/data/embedded/fsdd_spoken_ones_and_twos.npz",
    "synsamp/data/embedded/mnist_training_ones_and_twos.npz",
    "synsamp/data/embedded/synthetic_spoken_ones_and_twos.npz",
    "synsamp/report/templates/page.html",
    "synsamp/report/templates/spines.html",
    "dist-info/licenses/LICENSE",
    "dist-info/licenses/LICENSES/CC-BY-SA-3.0.txt",
    "dist-info/licenses/LICENSES/CC0-1.0.txt",
    "dist-info/licenses/src/synsamp/data/embedded/LICENSE-CC-BY-SA-4.0.txt",
    *(path.relative_to(ROOT / "src").as_posix() for path in LAB.rglob("*") if path.is_file()),
)
DATA_LICENCES = ("CC-BY-SA-3.0", "CC-BY-SA-4.0", "CC0-1.0")
"""Of the embedded data."""
ONLY_IN_REPOSITORY = ("tests/", "tools/", "benchmarks/", "docs/")
COMMANDS = (
    ["--version"],
    ["list"],
    ["run", "fig1", "--trials", "1", "--set", "chains=4", "--set", "chain_time=20", "--out", "run"],
)


def _run(*command: str | Path, cwd: Path) -> None:
    subprocess.run([str(part) for part in command], cwd=cwd, check=True)


def missing_or_extra(names: list[str]) -> list[str]:
    """Complaints about the file names in a wheel."""
    missing = [f"missing: {end}" for end in IN_WHEEL if not any(n.endswith(end) for n in names)]
    return missing + [f"not for users: {n}" for n in names if n.startswith(ONLY_IN_REPOSITORY)]


def licences(wheel: zipfile.ZipFile) -> list[str]:
    """Complaints about the licences named in the metadata, and about texts that are missing."""
    (name,) = (n for n in wheel.namelist() if n.endswith(".dist-info/METADATA"))
    about = Parser().parsestr(wheel.read(name).decode())
    texts = {Path(path).stem.removeprefix("LICENSE-") for path in about.get_all("License-File", [])}
    named = (about["License-Expression"] or "").split(" AND ")
    missing = [f"no text of licence {n}" for n in named if n not in texts | {"BSD-3-Clause"}]
    return missing + [f"licence {n} is not named" for n in DATA_LICENCES if n not in named]


def main() -> None:
    """Build, look inside, install, run."""
    with tempfile.TemporaryDirectory() as folder:
        outside = Path(folder)
        venv.create(outside / "build", with_pip=True)
        build = outside / "build" / "bin" / "python"
        pip = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        _run(build, *pip, "build", cwd=outside)
        for old in DIST.glob("synsamp-*"):
            old.unlink()
        _run(build, "-m", "build", "--outdir", DIST, ROOT, cwd=outside)
        (wheel,), (sdist,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
        with zipfile.ZipFile(wheel) as archive:
            complaints = missing_or_extra(archive.namelist()) + licences(archive)
        with tarfile.open(sdist) as archive:
            inside = {name.partition("/")[2] for name in archive.getnames()}
        complaints += [
            f"missing in sdist: {n}" for n in ("LICENSE", "README.md") if n not in inside
        ]
        if complaints:
            sys.exit("\n".join(complaints))
        venv.create(outside / "user", with_pip=True)
        user = outside / "user" / "bin"
        _run(user / "python", *pip, "-c", ROOT / "constraints.txt", wheel, cwd=outside)
        for arguments in COMMANDS:
            _run(user / "synsamp", *arguments, cwd=outside)
    print(f"{wheel.name} and {sdist.name} install and run outside the source tree")


if __name__ == "__main__":
    main()
