"""The command line: a thin shell over experiments, runs and report.

Heavy modules are imported inside the commands, so that ``synsamp --help`` answers at once. Bad
input ends in exactly one line on standard error and exit code 2; a run that failed or was not
strict enough in exit code 1; Ctrl-C in 130, with a folder that `synsamp resume` continues.
"""

from __future__ import annotations

import errno
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from synsamp.errors import SynsampError, refuse
from synsamp.experiments import REGISTRY, Entry, Registry
from synsamp.report.spines import spines

if TYPE_CHECKING:
    from synsamp.runs.folder import RunFolder

Folders = Annotated[
    list[Path], typer.Argument(metavar="DIR...", help="Run folders, or folders of runs.")
]


def main() -> None:
    """Run the command line over the paper's experiments."""
    sys.exit(run_command_line(sys.argv[1:], REGISTRY))


def run_command_line(arguments: Sequence[str], registry: Registry) -> int:
    """Run one command and return its exit code; every expected trouble becomes one line."""
    app = build_app(registry)
    try:
        code = app(list(arguments) or ["--help"], prog_name="synsamp", standalone_mode=False)
    except typer.TyperException as error:  # unknown command or option, missing argument
        return _complain(error.format_message() + " Try `synsamp --help`.", 2)
    except SynsampError as error:
        return _complain(str(error), 2)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return _complain("the disk is full; make room, then give the same command again", 1)
        what = f"{error.filename}: " if error.filename else ""
        return _complain(f"{what}{error.strerror or error}; check the path and its permissions", 2)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    return code if isinstance(code, int) else 0


def build_app(registry: Registry) -> typer.Typer:
    """Build the commands over a set of experiments."""
    app = typer.Typer(
        help="Synaptic sampling: run the experiments of “Network plasticity as Bayesian "
        "inference” again, check what the paper claims, and read the report.",
        epilog="Start with `synsamp list`, then `synsamp run landscape`.",
        add_completion=False,
        pretty_exceptions_enable=False,
    )

    @app.command("list")
    def list_command(
        name: Annotated[
            str | None, typer.Argument(help="Show this experiment's parameters.")
        ] = None,
    ) -> None:
        """Show the experiments, or the parameters of one of them.

        `synsamp list landscape` shows every name that `--set` of `synsamp run` takes, with the
        values of both presets and what it means.
        """
        from synsamp import terminal

        entry = None if name is None else registry.find(name)
        table = (
            terminal.experiments(registry) if entry is None else terminal.parameters(entry.load())
        )
        Console().print(table)

    @app.command("run")
    def run_command(
        name: Annotated[str, typer.Argument(help="An experiment, its alias (fig1…), or `all`.")],
        preset: Annotated[
            str, typer.Option(help="`quick` (seconds) or `paper` (as in the paper).")
        ] = "quick",
        seed: Annotated[
            str, typer.Option(metavar="N", help="Same seed, same bits, on any threads.")
        ] = "0",
        out: Annotated[
            Path | None,
            typer.Option(help="New folder for the run. \\[default: runs/NAME-PRESET-TIME]"),
        ] = None,
        settings: Annotated[
            list[str] | None,
            typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter; repeatable."),
        ] = None,
        force: Annotated[bool, typer.Option("--force", help="Replace a run at --out.")] = False,
        strict: Annotated[
            bool, typer.Option("--strict", help="Exit with 1 if a claim does not hold.")
        ] = False,
    ) -> int:
        """Run an experiment and write its results, figures, claims and report into one folder.

        Examples: `synsamp run landscape`, `synsamp run fig1 --preset paper --seed 3`,
        `synsamp run landscape --set rule.temperature=4 --out hot`, `synsamp run all`.

        Ctrl-C is safe: `synsamp resume DIR` continues, and ends in the same bits.
        """
        from synsamp.runs.execute import describe
        from synsamp.runs.folder import RunFolder, check_new_parent

        everything = name == "all"
        if everything and settings:
            raise SynsampError(f"--set must go with one experiment, got {settings[0]!r} for all")
        entries = list(registry) if everything else [registry.find(name)]
        if not entries:
            raise SynsampError("run all needs at least one experiment, got none in this build")
        root = out or _new_folder("all" if everything else entries[0].name, preset)
        if everything:
            check_new_parent(root)
        # All that was asked for is checked before the first folder is made.
        asked = [describe(e.load(), preset, settings or [], _whole(seed)) for e in entries]
        with ExitStack() as stack:
            jobs = []
            for entry, description in zip(entries, asked, strict=True):
                path = root / entry.name if everything else root
                folder = stack.enter_context(RunFolder.create(path, description, force))
                jobs.append((entry, folder))
            code = _carry_out(jobs, root)
        return _conclude(root, registry, code, strict)

    @app.command("resume")
    def resume_command(
        folder: Annotated[Path, typer.Argument(metavar="DIR", help="A run that was stopped.")],
    ) -> int:
        """Continue a run that was stopped by Ctrl-C, a crash, a kill or a full disk.

        It goes on from the newest intact checkpoint and ends in the same bits as a run that was
        never stopped. A folder made by `synsamp run all` is completed; what is finished stays.
        """
        from synsamp.runs import RunFolder, find_runs

        with ExitStack() as stack:
            jobs = []
            for path in find_runs(folder):
                entry = registry.find(RunFolder(path).description.experiment)
                run = stack.enter_context(RunFolder.reopen(path))
                if run.status.state == "finished":
                    typer.echo(f"{path} is finished, nothing to do")
                else:
                    jobs.append((entry, run))
            code = _carry_out(jobs, folder)
        return _conclude(folder, registry, code) if jobs else 0

    @app.command("report")
    def report_command(
        folders: Folders,
        out: Annotated[
            Path | None,
            typer.Option(help="The page to write. \\[default: report.html in DIR, or beside them]"),
        ] = None,
    ) -> None:
        """Draw finished runs again and write them as one page (HTML, needs no network).

        With several folders the page has a navigation; the claims stay as the runs stored them.
        """
        import os

        from synsamp.report.write import write_report
        from synsamp.runs import find_runs

        runs = [run for folder in folders for run in _in_order(find_runs(folder), registry)]
        parent = folders[0] if len(folders) == 1 else Path(os.path.commonpath([*folders]) or ".")
        typer.echo(f"report: {write_report(runs, registry, out or parent / 'report.html')}")

    @app.command("bench")
    def bench_command(
        name: Annotated[str | None, typer.Argument(help="One benchmark. \\[default: all]")] = None,
        json_file: Annotated[
            Path | None, typer.Option("--json", metavar="FILE", help="Also write the rows here.")
        ] = None,
    ) -> None:
        """Measure speed against other tools, all in one run on this machine.

        Peers that clash with the pinned versions live in their own virtual environments; where
        one is missing the table says which command makes it.
        """
        from synsamp import bench

        bench.check_target(json_file)
        measured = {}
        for each in [name] if name is not None else bench.names():
            benchmark = bench.load(each)
            measured[each] = rows = benchmark.run()
            typer.echo(f"\n{benchmark.TITLE}\n\n{benchmark.table(rows)}")
        bench.save(json_file, measured)

    @app.command(
        "data",
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )
    def data_command(context: typer.Context) -> Any:
        """Show, fetch and check the data sets (`synsamp data --help`)."""
        from synsamp.data.commands import app as data_app

        return data_app(context.args or ["--help"], prog_name="synsamp data", standalone_mode=False)

    app.command("spines")(spines)

    @app.command("doctor")
    def doctor_command() -> int:
        """Show versions, threads, data and caches, and whether anything stands in the way."""
        from synsamp.doctor import examine

        return examine(Console())

    return app


Job = tuple[Entry, "RunFolder"]


def _new_folder(name: str, preset: str) -> Path:
    """Name a folder under runs/ that does not exist yet."""
    first = Path("runs") / f"{name}-{preset}-{datetime.now():%Y%m%d-%H%M%S}"
    later = (first.with_name(f"{first.name}-{i}") for i in count(2))
    return next(path for path in chain([first], later) if not path.exists())


def _carry_out(jobs: Sequence[Job], root: Path) -> int:
    """Run the jobs whose folders are held; one that fails does not keep the others from running."""
    from synsamp.runs.execute import RunFailedError, carry_out

    console = Console(stderr=True)
    code = 0
    for entry, folder in jobs:
        console.print(f"{entry.name}: running in {folder.path}", markup=False, soft_wrap=True)
        try:
            with _stopping_on_sigterm():
                carry_out(entry.load(), folder, console)
        except KeyboardInterrupt:
            return _complain(f"stopped; continue with `synsamp resume {root}`", 130)
        except RunFailedError as error:
            code = _complain(str(error), 1)
    return code


def _conclude(root: Path, registry: Registry, code: int, strict: bool = False) -> int:
    """Write one report of what is finished and print the claims; return the exit code."""
    from synsamp import terminal
    from synsamp.report.write import write_report
    from synsamp.runs import RunFolder, find_runs

    runs = _in_order(find_runs(root), registry)
    finished = [path for path in runs if RunFolder(path).status.state == "finished"]
    if code == 130 or not finished:
        return code
    report = write_report(finished, registry, root / "report.html")
    claims = {RunFolder(p).description.experiment: RunFolder(p).claims() for p in finished}
    Console().print(terminal.claims(claims))
    typer.echo(f"report: {report}")
    broken = strict and not all(claim.holds for found in claims.values() for claim in found)
    return 1 if broken else code


def _in_order(runs: Sequence[Path], registry: Registry) -> list[Path]:
    """Sort the runs of one folder as the paper has its figures."""
    from synsamp.runs import RunFolder

    names = [entry.name for entry in registry]
    return sorted(
        runs, key=lambda p: names.index(registry.find(RunFolder(p).description.experiment).name)
    )


@contextmanager
def _stopping_on_sigterm() -> Iterator[None]:
    """Let a polite kill (a cluster's time limit) leave a folder as orderly as Ctrl-C does."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _whole(text: str) -> int:
    """Read ``--seed``."""
    if not text.isdecimal() or len(text) > 30:
        raise refuse("--seed", "must be a whole number >= 0", text[:40], "for example --seed 7")
    return int(text)


def _complain(message: str, code: int) -> int:
    """Print exactly one line on standard error."""
    line = " ".join(message.split())
    print("synsamp:", "".join(c if c.isprintable() else "?" for c in line), file=sys.stderr)
    return code
