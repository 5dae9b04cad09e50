"""Carry out what was asked for: describe it, make its folders, run it, take it up again."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console

from synsamp.cli.messages import complain
from synsamp.errors import SynsampError, refuse
from synsamp.experiments.registry import Entry, Registry

if TYPE_CHECKING:
    from synsamp.report.write import ReportPage
    from synsamp.runs.parallel.workers import Workers
    from synsamp.runs.storage.folder import Description, RunFolder

HeldRun = tuple[Entry, "RunFolder"]


def plan_run(
    entry: Entry,
    preset: str | None,
    settings: Sequence[str],
    seed: int,
    trials: int | None,
    vary: Sequence[str] = (),
    one_by_one: bool = False,
) -> Description:
    """Resolve what was asked for: one seed, or an ensemble of as many as the preset says."""
    from synsamp.runs.ensembles.plan import describe_ensemble, one_at_a_time, require_data_of_all
    from synsamp.runs.execute import describe_run

    experiment = entry.load()
    one = describe_run(experiment, preset, settings, seed)
    if trials is None:
        given: Any = experiment.trials.get(one.preset, 1)
        if not isinstance(given, int) or isinstance(given, bool) or given < 1:
            name = f"trials of {experiment.name} for the preset {one.preset}"
            raise refuse(name, "must be a whole number >= 1", given, "correct the experiment")
        trials = given
    if one_by_one:
        changes = one_at_a_time(vary)
        one = describe_ensemble(experiment, trials, (), preset, settings, seed, changes)
    elif trials != 1 or vary:
        one = describe_ensemble(experiment, trials, vary, preset, settings, seed)
    require_data_of_all(experiment, one)
    return one.model_copy(update={"source": entry.source, "source_sha256": entry.digest})


def start(
    entries: Sequence[Entry],
    asked: Sequence[Description],
    root: Path,
    force: bool,
    workers: Workers,
    report: ReportPage,
    several: bool = False,
) -> int:
    """Run what was asked for into new folders; all is checked before the first is made."""
    from synsamp.runs.storage.folder import RunFolder, check_new_parent

    if several:
        check_new_parent(root)
    with ExitStack() as stack:
        runs = []
        for entry, description in zip(entries, asked, strict=True):
            path = root / entry.name if several else root
            folder = stack.enter_context(RunFolder.create(path, description, force))
            runs.append((entry, folder))
        return _carry_out(runs, [], root, workers, report)


def resume_folder(
    paths: Sequence[Path], root: Path, registry: Registry, workers: Workers, report: ReportPage
) -> int | None:
    """Continue what is not finished, or return None if there is nothing to do."""
    from synsamp.runs import RunFolder

    with ExitStack() as stack:
        runs, finished = [], []
        for path in paths:
            about = RunFolder(path).description
            entry = registry.of(about.experiment, about.source)
            run = stack.enter_context(RunFolder.reopen(path))
            note_changed_source(run, entry)
            # An ensemble is finished, with a message, if some of its trials failed.
            if run.status.state != "finished" or run.status.message or _to_be_mended(run):
                runs.append((entry, run))
            else:
                typer.echo(f"{path} is finished, nothing to do")
                finished.append(run)
        return _carry_out(runs, finished, root, workers, report) if runs else None


def note_changed_source(run: RunFolder, entry: Entry) -> None:
    """Say so, and note it, if a user's own experiment is not the code that the run began with."""
    if run.description.source_sha256 != entry.digest:
        text = f"{entry.source or entry.name} has changed since the run began: bits may differ"
        complain(f"warning: {text}", 0)
        run.note(text)


def _to_be_mended(run: RunFolder) -> bool:
    """Whether a finished ensemble has lost something, which its trials can give again.

    A single run cannot be repaired: it raises an error and stays unchanged.
    """
    from synsamp.runs.storage.check import integrity_problems

    found = integrity_problems(run.path)
    if not found:
        return False
    more = f" (and {len(found) - 1} more, see `synsamp check`)" if len(found) > 1 else ""
    if run.description.trials is None or any(name == "run.json" for name, _ in run.broken()):
        raise SynsampError(found[0] + more)
    complain(f"warning: {found[0]}{more}", 0)
    return True


def new_folder(name: str, preset: str) -> Path:
    """Name a folder under runs/ that does not exist yet."""
    first = Path("runs") / f"{name}-{preset}-{datetime.now():%Y%m%d-%H%M%S}"
    later = (first.with_name(f"{first.name}-{i}") for i in count(2))
    return next(path for path in chain([first], later) if not path.exists())


def _carry_out(
    runs: Sequence[HeldRun],
    finished: Sequence[RunFolder],
    root: Path,
    workers: Workers,
    report: ReportPage,
) -> int:
    """Run the runs whose folders are held; one that fails does not keep the others from running.

    What is ``finished`` is drawn while the workers are busy with the next run.
    """
    from synsamp.runs.ensembles.run import carry_out_ensemble, first_task
    from synsamp.runs.execute import RunFailedError, carry_out
    from synsamp.runs.parallel.tasks import Lookahead

    console = Console(stderr=True)
    ahead = Lookahead()
    drawing = _Drawing(report, finished)
    several = len(runs) + len(finished) > 1
    if several:
        report.write()
        typer.echo(f"report: {report.out} (open it now; each experiment is added when it is done)")
    for number, (entry, folder) in enumerate(runs, 1):
        place = f"{number} of {len(runs)}: " if several else ""
        console.print(
            f"{place}{entry.name}: running in {folder.path}", markup=False, soft_wrap=True
        )
        try:
            with stopping_on_sigterm():
                if folder.description.trials is None:
                    drawing.catch_up()
                    carry_out(entry.load(), folder, console)
                else:
                    later = runs[number][1] if number < len(runs) else None
                    ahead.next_task = (
                        None
                        if later is None or later.description.trials is None
                        else first_task(runs[number][0].load, later)
                    )
                    carry_out_ensemble(
                        entry.load,
                        folder,
                        console,
                        workers,
                        meanwhile=drawing.catch_up,
                        ahead=ahead,
                    )
        except KeyboardInterrupt:
            ahead.cancel()
            return complain(f"stopped; continue with `synsamp resume {root}`", 130)
        except RunFailedError as error:
            ahead.cancel()  # it may not have been taken
            drawing.code = complain(str(error), 1)
        if folder.status.state == "finished":
            drawing.waiting.append(folder)
            if folder.status.message:
                again = f"{folder.status.message}; `synsamp resume {root}` tries again"
                drawing.code = complain(again, 1)
    try:
        drawing.catch_up()
    except KeyboardInterrupt:
        return complain(f"stopped; draw the rest with `synsamp report {root}`", 130)
    return drawing.code


class _Drawing:
    """Finished runs that are not yet on the page, and the exit code so far."""

    def __init__(self, report: ReportPage, waiting: Sequence[RunFolder]) -> None:
        self.waiting, self.code = list(waiting), 0
        self._report = report

    def catch_up(self) -> None:
        """Draw them; a drawing that fails leaves its run out of the page."""
        while self.waiting:
            try:
                self._report.add(self.waiting.pop(0))
            except SynsampError as error:
                self.code = complain(str(error), 1)


@contextmanager
def stopping_on_sigterm() -> Iterator[None]:
    """Let a polite kill (a cluster's time limit) leave a folder as orderly as Ctrl-C does."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
