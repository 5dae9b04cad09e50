"""``synsamp run``, ``sweep`` and ``resume``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from synsamp.cli.arguments import MOST_TRIALS, whole_number
from synsamp.cli.cluster import cluster_of
from synsamp.cli.execution import new_folder, plan_run, resume_folder, start
from synsamp.cli.look import Own
from synsamp.cli.summary import conclude, in_registry_order, report_in
from synsamp.errors import SynsampError
from synsamp.experiments.registry import Registry

Preset = Annotated[
    str | None,
    typer.Option(help="`quick` (seconds) or `paper` (as in the paper). \\[default: the first]"),
]
Seed = Annotated[
    str,
    typer.Option(metavar="N", help="Random seed; results do not depend on the number of workers."),
]
Out = Annotated[
    Path | None,
    typer.Option(help="New folder for the run. \\[default: runs/NAME-PRESET-TIME]"),
]
SetOption = Annotated[
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
        "--mixed-processors",
        help="Allow workers with different CPU types; results may not be bit-identical.",
    ),
]


def add_run(app: typer.Typer, registry: Registry) -> None:
    """Add ``synsamp run``."""

    @app.command("run")
    def run_command(
        name: Annotated[
            str,
            typer.Argument(
                help="An experiment, its alias (fig1…), your file.py, or `all` (the whole paper)."
            ),
        ],
        preset: Preset = None,
        seed: Seed = "0",
        out: Out = None,
        settings: SetOption = None,
        trials: Annotated[
            str | None,
            typer.Option(metavar="N", help="Seeds to run. \\[default: set by the preset]"),
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
        `synsamp run landscape --set rule.temperature=4 --out hot`, `synsamp run all`,
        `synsamp run my_experiment.py --trials 8`. Several seeds form an ensemble, which runs on all
        cores and over which claims are judged.

        Ctrl-C is safe: `synsamp resume DIR` continues with bit-identical results.
        """
        everything = name == "all"
        if everything and settings:
            raise SynsampError(f"--set must go with one experiment, got {settings[0]!r} for all")
        known = registry if everything else registry.including(name)
        entries = known.paper if everything else [known.find(name)]
        if not entries:
            raise SynsampError("run all needs at least one experiment, got none in this build")
        count = (
            None
            if trials is None
            else whole_number("--trials", trials, at_least=1, at_most=MOST_TRIALS)
        )
        asked = [
            plan_run(e, preset, settings or [], whole_number("--seed", seed), count)
            for e in entries
        ]
        root = out or new_folder("all" if everything else entries[0].name, asked[0].preset)
        report = report_in(root, known, [entry.name for entry in entries])
        with cluster_of(workers, scheduler, mixed) as where:
            code = start(entries, asked, root, force, where, report, several=everything)
        return conclude(root, known, code, report, strict)


def add_sweep(app: typer.Typer, registry: Registry) -> None:
    """Add ``synsamp sweep``."""

    @app.command("sweep")
    def sweep_command(
        name: Annotated[
            str, typer.Argument(help="An experiment, its alias (fig1…), or your file.py.")
        ],
        vary: Annotated[
            list[str],
            typer.Option(metavar="KEY=A,B,…", help="Values of a parameter; repeatable."),
        ],
        trials: Annotated[str, typer.Option(metavar="N", help="Trials at each combination.")] = "8",
        one_at_a_time: Annotated[
            bool,
            typer.Option(
                "--one-at-a-time", help="Vary one parameter at a time instead of all combinations."
            ),
        ] = False,
        preset: Preset = None,
        seed: Seed = "0",
        out: Out = None,
        settings: SetOption = None,
        workers: Count = None,
        scheduler: Scheduler = None,
        mixed: Mixed = False,
        force: Force = False,
    ) -> int:
        """Run an experiment at every combination of some values, several times each.

        Example: `synsamp sweep generalisation --vary rule.temperature=0,0.25,1,4 --vary
        rule.data_size=50,100,200 --trials 20`. Separate values that are lists by `|`:
        `--vary "rule.prior.means=1,0|2,0"`.

        With `--one-at-a-time` the experiment runs unchanged and then with each value by itself;
        the report shows which verdicts depend on which value.
        """
        known = registry.including(name)
        entry = known.find(name)
        seed_, count = (
            whole_number("--seed", seed),
            whole_number("--trials", trials, at_least=1, at_most=MOST_TRIALS),
        )
        asked = plan_run(entry, preset, settings or [], seed_, count, vary, one_at_a_time)
        root = out or new_folder(f"{entry.name}-sweep", asked.preset)
        report = report_in(root, known, [entry.name])
        with cluster_of(workers, scheduler, mixed) as where:
            code = start([entry], [asked], root, force, where, report)
        return conclude(root, known, code, report)


def add_resume(app: typer.Typer, registry: Registry) -> None:
    """Add ``synsamp resume``."""

    @app.command("resume")
    def resume_command(
        folder: Annotated[Path, typer.Argument(metavar="DIR", help="A run that was stopped.")],
        own: Own = None,
        workers: Count = None,
        scheduler: Scheduler = None,
        mixed: Mixed = False,
    ) -> int:
        """Continue a run that was stopped by Ctrl-C, a crash, a kill or a full disk.

        The run continues from its newest intact checkpoint; results are bit-identical to those of
        a run without a stop. In a folder of several runs or trials, only those that are not
        finished run; the others stay unchanged.
        """
        from synsamp.runs import RunFolder, find_runs

        known = registry if own is None else registry.including(own)
        paths = in_registry_order(find_runs(folder), known)
        report = report_in(
            folder, known, [RunFolder(path).description.experiment for path in paths]
        )
        with cluster_of(workers, scheduler, mixed) as where:
            code = resume_folder(paths, folder, known, where, report)
        return 0 if code is None else conclude(folder, known, code, report)
