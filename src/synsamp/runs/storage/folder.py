"""The run folder: everything about one run in one place, readable without this package.

=================  ==============================================================
run.json           experiment, preset, parameters, seed, versions, processor
status.json        waiting, running, interrupted, failed or finished, with times and notes
results.zarr       the results, with checksums in results.manifest
claims.json        list of claims: statement, measured value and interval, band, verdict …
run.manifest         checksums of run.json, claims.json and results.manifest
trials/            of an ensemble: one run folder per trial
figures/           PNG and SVG per drawing, listed in figures.manifest
report.html        the page made of all of these
checkpoints/       what `synsamp resume` needs; removed when the run is finished
run.log            what happened, warnings and full tracebacks included
=================  ==============================================================
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from synsamp.claims import Judged, Kind
from synsamp.errors import SynsampError, refuse
from synsamp.experiments.base import Results
from synsamp.runs.storage import results as stored
from synsamp.runs.storage.atomic import PART, damaged, read_json, write_json
from synsamp.runs.storage.clearing import clear_contents, clear_parts
from synsamp.runs.storage.contents import (
    RESULTS_MANIFEST,
    RUN_MANIFEST,
    TRIALS,
    check_contents,
    trials_in,
)
from synsamp.runs.storage.lock import locked
from synsamp.runs.storage.machine import Processor
from synsamp.runs.storage.manifest import broken, digest_of, read_manifest, write_manifest
from synsamp.runs.storage.stack import ENSEMBLE, open_ensemble

ORPHAN_S = 60.0
"""How long a folder is waited for that a worker may hold whose command was killed: it stops within
seconds."""
LISTED = ("run.json", "claims.json", RESULTS_MANIFEST)
LISTED_TRIAL = re.compile(rf"{TRIALS}/[0-9-]+/{re.escape(RUN_MANIFEST)}")

Content = TypeVar("Content")


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Description(_Record):
    """What a run was asked to do; written once (``run.json``).

    An ensemble has ``trials``, at each combination of the values in ``vary``, or with each of the
    ``changes`` by itself: a label, and the settings that make it. A user's own experiment has the
    file or module it came from as ``source``, with its checksum.
    """

    format: Literal[4] = 4
    experiment: str
    preset: str
    given: tuple[str, ...]
    resolved: dict[str, Any]
    seed: int
    versions: dict[str, str]
    processor: Processor
    created: datetime
    trials: int | None = None
    vary: dict[str, tuple[str, ...]] = {}
    changes: dict[str, tuple[str, ...]] = {}
    source: str = ""
    source_sha256: str = ""

    @property
    def swept(self) -> bool:
        """Whether there are trials with different settings."""
        return bool(self.vary or self.changes)

    @property
    def digest(self) -> str:
        """Tells this description from every other."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


class Status(_Record):
    """How far a run got, and what its bits may owe to (``status.json``)."""

    state: Literal["waiting", "running", "interrupted", "failed", "finished"]
    message: str = ""
    changed: datetime
    elapsed_s: float = 0.0
    notes: tuple[str, ...] = ()


class ClaimRecord(_Record):
    """A claim as it was judged; a number that is not finite is null.

    ``at`` names the point of a sweep, ``null_description`` what the null is, and ``needed`` the
    number of seeds that would decide an undecided claim. ``kind`` says whether the paper states
    the claim, implies it, or neither.
    """

    id: str
    statement: str
    source: str
    measure: str
    band: tuple[float | None, float | None]
    verdict: Literal["holds", "fails", "undecided", "not specific"]
    n: int
    value: float | None
    interval: tuple[float | None, float | None]
    null_value: float | None = None
    null_interval: tuple[float | None, float | None] | None = None
    null_description: str = ""
    needed: int | None = None
    paper: float | None = None
    paper_is: str = ""
    unit: str = ""
    reason: str = ""
    detail: str = ""
    kind: Kind = "question"
    at: str = ""

    @property
    def holds(self) -> bool:
        """Whether the verdict is that it holds."""
        return self.verdict == "holds"

    @classmethod
    def of(cls, judged: Judged, at: str = "") -> ClaimRecord:
        """The record of a claim that was judged."""
        claim, measured, null = judged.claim, judged.measured, judged.null
        return cls(
            id=claim.id,
            statement=claim.statement,
            source=claim.source,
            measure=claim.key,
            band=claim.band,
            verdict=judged.verdict,
            n=judged.n,
            value=_finite(measured.value),
            interval=(_finite(measured.low), _finite(measured.high)),
            null_value=None if null is None else _finite(null.value),
            null_interval=None if null is None else (_finite(null.low), _finite(null.high)),
            null_description=claim.null_description,
            needed=judged.needed,
            paper=claim.paper,
            paper_is=judged.paper_is,
            unit=claim.unit,
            reason=claim.reason,
            detail=claim.detail,
            kind=claim.kind,
            at=at,
        )


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


class RunFolder:
    """One run on disk. Reading needs no lock; `create` and `reopen` hold it while they write.

    Parameters
    ----------
    path : Path
        The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            raise SynsampError(f"run folder must exist, got {str(path)!r}; check the path")
        if not (path / "run.json").is_file():
            raise SynsampError(
                f"run folder must hold a run.json, got {str(path)!r} without one; "
                "give a folder made by `synsamp run`"
            )
        self.description: Description = self._read("run.json", Description)
        self._notes: tuple[str, ...] = ()
        self._intact = False
        self._trials: Sequence[RunFolder] | None = None

    @classmethod
    @contextmanager
    def create(
        cls, path: Path, description: Description, force: bool, wait_s: float = 0.0
    ) -> Iterator[RunFolder]:
        """Make a new run folder and hold its lock; an existing one is replaced only by force."""
        _check_free(path, force)
        path.mkdir(parents=True, exist_ok=True)
        with locked(path, wait_s):
            _check_free(path, force)  # again: another command may have been faster
            with ExitStack() as trials:  # of an ensemble that is replaced: all must have stopped
                check_contents(path)
                for trial in trials_in(path / TRIALS):
                    trials.enter_context(locked(trial, ORPHAN_S))
                    check_contents(trial)
                clear_contents(path)
            write_json(path / "run.json", description.model_dump(mode="json"))
            folder = cls(path)
            folder.set_status("waiting")
            yield folder

    @classmethod
    @contextmanager
    def reopen(cls, path: Path, wait_s: float = 0.0) -> Iterator[RunFolder]:
        """Open an existing run folder for writing and hold its lock."""
        cls(path)  # a folder that is no run gets no lock file
        with locked(path, wait_s):
            check_contents(path)
            clear_parts(path)
            folder = cls(path)
            folder._notes = folder.status.notes
            yield folder

    @property
    def status(self) -> Status:
        """The status as written; "running" without a living process means killed."""
        return self._read("status.json", Status)

    def set_status(self, state: str, message: str = "", elapsed_s: float = 0.0) -> None:
        """Record how far the run is."""
        content = {"state": state, "message": message, "elapsed_s": round(elapsed_s, 3)}
        status = Status.model_validate(content | {"changed": now(), "notes": self._notes})
        write_json(self.path / "status.json", status.model_dump(mode="json"))

    def note(self, text: str) -> None:
        """Keep a remark on how the run came about; it is written with the next status."""
        self._notes = tuple(dict.fromkeys([*self._notes, text]))

    def write_claims(self, records: Sequence[ClaimRecord]) -> None:
        """Store the claims as they were judged."""
        content = [record.model_dump(mode="json") for record in records]
        write_json(self.path / "claims.json", content)

    def claims(self) -> list[ClaimRecord]:
        """Read the claims of a finished run, checked against the manifest."""
        self.require_finished()
        self._require_intact()
        return self._read("claims.json", list[ClaimRecord])

    def results(self) -> Results:
        """Open the results of a finished run, checked against their checksums."""
        self.require_finished()
        if not self._intact:
            self._require_intact()
            for trial in self.finished_trials():
                trial.results()
            for name, why in stored.broken_results(self.path):
                raise damaged(self.path / name, why)
            self._intact = True  # hashed once for this object
        found = stored.open_results(self.path)
        if self.description.trials is not None:
            found = {**found, ENSEMBLE: open_ensemble(self.path, found[ENSEMBLE])}
        return found

    def finished_trials(self) -> Sequence[RunFolder]:
        """Return the folders of an ensemble's finished trials; a single run has none."""
        if self._trials is None:
            every = [RunFolder(path) for path in trials_in(self.path / TRIALS)]
            self._trials = [trial for trial in every if trial.status.state == "finished"]
        return self._trials

    def write_manifest(self) -> None:
        """Write checksums of settings and results; of an ensemble, of its trials too."""
        trials = [trial.relative_to(self.path) for trial in trials_in(self.path / TRIALS)]
        names = [*LISTED, *(f"{trial.as_posix()}/{RUN_MANIFEST}" for trial in trials)]
        digests = {name: digest_of(self.path / name, durable=True) for name in names}
        write_manifest(self.path / RUN_MANIFEST, {name: d for name, d in digests.items() if d})

    def remove_manifests(self) -> None:
        """Remove the manifests: the files that they list are about to change."""
        for name in (RUN_MANIFEST, RESULTS_MANIFEST):
            (self.path / name).unlink(missing_ok=True)
        self._intact, self._trials = False, None

    def broken(self) -> Iterator[tuple[str, str]]:
        """Yield the name of every file that is not as the manifest of the run says, and why."""
        written = read_manifest(self.path / RUN_MANIFEST)
        missing = [name for name in LISTED if name not in written]
        if missing:
            raise damaged(self.path / RUN_MANIFEST, f"it does not list {missing[0]}")
        yield from broken(self.path, {name: written[name] for name in LISTED})
        trials = {name: digest for name, digest in written.items() if LISTED_TRIAL.fullmatch(name)}
        yield from broken(self.path, trials)

    def _require_intact(self) -> None:
        for name, why in self.broken():
            raise damaged(self.path / name, why)

    def require_finished(self) -> None:
        """Refuse a run that has not come to its end."""
        if (state := self.status.state) != "finished":
            remedy = f"continue it with `synsamp resume {self.path}`"
            raise refuse(f"run {self.path}", "must be finished", state, remedy)

    def _read(self, name: str, kind: type[Content]) -> Content:
        content = read_json(self.path / name)
        try:
            return TypeAdapter(kind).validate_python(content)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            if first["loc"] == ("format",):
                remedy = (
                    "another version of synsamp wrote it: read it with that one, or run it again"
                )
                raise refuse(
                    f"format of {self.path}", "must be 4", first["input"], remedy
                ) from None
            key = ".".join(str(part) for part in first["loc"])
            raise damaged(self.path / name, f"{key}: {first['msg']}".lstrip(": ")) from None


def results_by_seed(folder: RunFolder) -> list[Results]:
    """The results of every seed of a finished run or ensemble, checked against their checksums."""
    if folder.description.trials is None:
        return [folder.results()]
    return [trial.results() for trial in folder.finished_trials()]


def find_runs(path: Path) -> list[Path]:
    """Return the run folder itself, or the run folders in it (as `synsamp run all` makes them).

    Parameters
    ----------
    path : Path
        A run folder, or a folder of run folders.

    Returns
    -------
    list of Path
        The run folders.
    """
    if (path / "run.json").exists():
        return [path]
    inside = sorted(found.parent for found in path.glob("*/run.json"))
    if not inside:
        RunFolder(path)  # raises the error that fits
    return inside


def now() -> datetime:
    """Return the present time with its zone, to the second."""
    return datetime.now().astimezone().replace(microsecond=0)


def _check_free(path: Path, force: bool) -> None:
    if path.exists() and not path.is_dir():
        raise refuse("--out", "must be a folder", str(path), "choose another name")
    if not path.exists() or all(_is_leftover(name) for name in os.listdir(path)):
        return
    if not any((path / name).exists() for name in ("run.json", "status.json")):
        raise refuse("--out", "must be new or a run folder", str(path), "it holds other files")
    if not force:
        raise SynsampError(
            f"--out must be a new folder, got {str(path)!r} which holds a run; continue it with "
            f"`synsamp resume {path}`, replace it with --force, or choose another --out"
        )


def _is_leftover(name: str) -> bool:
    """Whether a run that was killed before its first file was whole may have left this."""
    return name == ".lock" or PART.fullmatch(name) is not None


def check_new_parent(path: Path) -> None:
    """Refuse a place for several runs that holds something else (each run is checked by itself)."""
    if (path / "run.json").exists():
        raise refuse("--out", "must be no run itself to hold several", str(path), "name another")
    if path.exists() and (
        not path.is_dir() or (os.listdir(path) and not [*path.glob("*/run.json")])
    ):
        raise refuse("--out", "must be new or hold runs", str(path), "choose another name")
