"""The command line: a thin shell over experiments, runs and report.

Heavy modules are imported inside the commands, so that ``synsamp --help`` answers at once. Bad
input ends in exactly one line on standard error and exit code 2; a run that failed or was not
strict enough in exit code 1; Ctrl-C in 130, with a folder that `synsamp resume` continues.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from synsamp.cli_arguments import check_words, guard
from synsamp.cli_runs import (
    beside,
    check_folders,
    complain,
    conclude,
    describe,
    in_order,
    new_folder,
    places,
    resume_folder,
    start,
    whole,
)
from synsamp.cli_spines import spines
from synsamp.errors import FailureError, SynsampError
from synsamp.experiments.registry import REGISTRY, Registry
from synsamp.printing import make_printable
from synsamp.progress import progress_bar

Folders = Annotated[
    list[Path], typer.Argument(metavar="DIR...", help="Run folders, or folders of runs.")
]
Preset = Annotated[str, typer.Option(help="`quick` (seconds) or `paper` (as in the paper).")]
Seed = Annotated[str, typer.Option(metavar="N", help="Same seed, same bits, on any workers.")]
Out = Annotated[
    Path | None,
    typer.Option(help="New folder for the run. \\[default: runs/NAME-PRESET-TIME]"),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a parameter; repeatable."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace a run at --out.")]
Count = Annotated[
    str | None, typer.Option("--workers", metavar="N", help="Processes. \\[default: all cores]")
]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="A running Dask scheduler: its address or file."),
]

Mixed = Annotated[
    bool,
    typer.Option(
        "--mixed-processors", help="Let workers of different kinds take part; bits may differ."
    ),
]


def main() -> None:
    """Run the command line over the paper's experiments."""
    sys.exit(run_command_line(sys.argv[1:], REGISTRY))


def run_command_line(arguments: Sequence[str], registry: Registry) -> int:
    """Run one command and return its exit code; every expected trouble becomes one line."""
    make_printable(sys.stdout, sys.stderr)
    try:
        check_words(arguments)
        app = build_app(registry)
        code = app(list(arguments) or ["--help"], prog_name="synsamp", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()  # a full disk behind it is told here, not after the end
    except typer.TyperException as error:  # unknown command or option, missing argument
        return complain(error.format_message() + " Try `synsamp --help`.", 2)
    except SynsampError as error:
        return complain(str(error), 1 if isinstance(error, FailureError) else 2)
    except (MemoryError, ImportError) as error:
        return _explain_memory(error)
    except BrokenPipeError:  # `synsamp list | head`: nobody reads on, which is no mistake
        _stop_writing()
        return 1
    except OSError as error:
        return _explain_system(error)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    return code if isinstance(code, int) else 0


def _explain_memory(error: MemoryError | ImportError) -> int:
    """A library that cannot be loaded is short of memory too, if it is installed at all."""
    if isinstance(error, ModuleNotFoundError):
        return complain(f"{error}; install synsamp again", 1)
    why = f" ({error})" if str(error) else ""
    remedy = "close other programs, raise the limit (ulimit -v), or ask for less"
    return complain(f"memory must suffice for this command, got too little{why}; {remedy}", 1)


def _explain_system(error: OSError) -> int:
    """A full disk and a lack of memory are no mistakes of the user; a wrong path is one."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        code = complain("the disk is full; make room, then give the same command again", 1)
        _stop_writing()
        return code
    if error.errno in (errno.ENOMEM, errno.EAGAIN, None):
        return _explain_memory(MemoryError(str(error)))
    what = f"{error.filename}: " if error.filename else ""
    return complain(f"{what}{error.strerror or error}; check the path and its permissions", 2)


def _stop_writing() -> None:
    """Drop what waits to be written to standard output: the interpreter would try once more."""
    with suppress(AttributeError, OSError):  # closed, or none of the system's
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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

        console = Console()
        if name is None:
            console.print(terminal.experiments(registry))
        else:
            console.print(terminal.parameters(registry.find(name).load(), console.width))

    @app.command("run")
    def run_command(
        name: Annotated[str, typer.Argument(help="An experiment, its alias (fig1…), or `all`.")],
        preset: Preset = "quick",
        seed: Seed = "0",
        out: Out = None,
        settings: Settings = None,
        trials: Annotated[
            str | None,
            typer.Option(metavar="N", help="Run it N times, each with its own seed."),
        ] = None,
        workers: Count = None,
        scheduler: Scheduler = None,
        mixed: Mixed = False,
        force: Force = False,
        strict: Annotated[
            bool, typer.Option("--strict", help="Exit with 1 if a claim does not hold.")
        ] = False,
    ) -> int:
        """Run an experiment and write its results, figures, claims and report into one folder.

        Examples: `synsamp run landscape`, `synsamp run fig1 --preset paper --seed 3`,
        `synsamp run landscape --set rule.temperature=4 --out hot`, `synsamp run all`.

        Ctrl-C is safe: `synsamp resume DIR` continues, and ends in the same bits.
        """
        everything = name == "all"
        if everything and settings:
            raise SynsampError(f"--set must go with one experiment, got {settings[0]!r} for all")
        entries = list(registry) if everything else [registry.find(name)]
        if not entries:
            raise SynsampError("run all needs at least one experiment, got none in this build")
        count = None if trials is None else whole("--trials", trials)
        asked = [
            describe(e.load(), preset, settings or [], whole("--seed", seed), count)
            for e in entries
        ]
        root = out or new_folder("all" if everything else entries[0].name, preset)
        with places(workers, scheduler, mixed) as where:
            code = start(entries, asked, root, force, where, several=everything)
        return conclude(root, registry, code, strict)

    @app.command("sweep")
    def sweep_command(
        name: Annotated[str, typer.Argument(help="An experiment or its alias (fig1…).")],
        vary: Annotated[
            list[str],
            typer.Option(metavar="KEY=A,B,…", help="Values of a parameter; repeatable."),
        ],
        trials: Annotated[str, typer.Option(metavar="N", help="Trials at each combination.")] = "8",
        preset: Preset = "quick",
        seed: Seed = "0",
        out: Out = None,
        settings: Settings = None,
        workers: Count = None,
        scheduler: Scheduler = None,
        mixed: Mixed = False,
        force: Force = False,
    ) -> int:
        """Run an experiment at every combination of some values, several times each.

        Example: `synsamp sweep generalization --vary temperature=0,0.25,1,4 --vary
        learning.n_inputs=50,100,200 --trials 20`. Values that are lists are parted by `|`:
        `--vary "prior.means=1,0|2,0"`.
        """
        entry = registry.find(name)
        seed_, count = whole("--seed", seed), whole("--trials", trials)
        asked = describe(entry.load(), preset, settings or [], seed_, count, vary)
        root = out or new_folder(f"{entry.name}-sweep", preset)
        with places(workers, scheduler, mixed) as where:
            code = start([entry], [asked], root, force, where)
        return conclude(root, registry, code)

    @app.command("resume")
    def resume_command(
        folder: Annotated[Path, typer.Argument(metavar="DIR", help="A run that was stopped.")],
        workers: Count = None,
        scheduler: Scheduler = None,
        mixed: Mixed = False,
    ) -> int:
        """Continue a run that was stopped by Ctrl-C, a crash, a kill or a full disk.

        It goes on from the newest intact checkpoint and ends in the same bits as a run that was
        never stopped. A folder made by `synsamp run all` or of many trials is completed; what is
        finished stays.
        """
        with places(workers, scheduler, mixed) as where:
            code = resume_folder(folder, registry, where)
        return 0 if code is None else conclude(folder, registry, code)

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
        from synsamp.report.write import write_report
        from synsamp.runs import find_runs

        runs = [run for folder in folders for run in in_order(find_runs(folder), registry)]
        page = out or beside(folders) / "report.html"
        typer.echo(f"report: {write_report(runs, registry, page)}")

    @app.command("check")
    def check_command(folders: Folders) -> int:
        """Check that runs are finished and every file is as the run wrote it.

        Prints a line for each thing that is wrong, and what to do; the exit code is then 1.
        """
        return check_folders(folders)

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
        wanted = [name] if name is not None else bench.names()
        for number, each in enumerate(wanted):
            benchmark = bench.load(each)
            with progress_bar(f"measuring {each}", len(wanted)) as advance:
                advance(number)
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

        return guard(data_app)(
            context.args or ["--help"], prog_name="synsamp data", standalone_mode=False
        )

    app.command("spines")(spines)

    @app.command("doctor")
    def doctor_command() -> int:
        """Show versions, threads, data and caches, and whether anything stands in the way."""
        from synsamp.doctor import examine

        return examine(Console())

    return guard(app)
