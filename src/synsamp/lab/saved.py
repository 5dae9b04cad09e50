"""Run a saved session of the lab as an experiment."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from synsamp import arguments
from synsamp.experiments import Experiment, Parameters
from synsamp.lab.experiment_text import file_name
from synsamp.lab.scene import Scene
from synsamp.lab.session import LARGEST_SEED, MOST_TICKS, Session
from synsamp.seeds import named_seed


def saved_session(
    *,
    scene: str | Scene,
    seed: int,
    settings: Mapping[str, Any],
    actions: Sequence[Mapping[str, Any]],
    ticks: int,
) -> Experiment:
    """Return the experiment that repeats a session of the lab.

    Parameters
    ----------
    scene
        Name of a scene, path of the file that was given to `synsamp lab`, or a scene.
    seed
        Seed of the session. The experiment's seed 0 repeats it, any other gives other noise.
    settings
        Values of knobs when the session opened.
    actions
        Actions with their ticks.
    ticks
        Length of the session.
    """
    ticks = arguments.whole("ticks", ticks, at_least=0, at_most=MOST_TICKS)
    seed = arguments.whole("seed", seed, at_least=0, at_most=LARGEST_SEED)

    def run(parameters: Parameters, trial: int) -> dict[str, xr.Dataset]:
        own = seed if trial == 0 else _other_seed(seed, trial)
        session = Session(_scene(scene), own, settings, actions)
        probes: list[dict[str, Any]] = []
        while session.tick < ticks:
            session.advance(min(1000, ticks - session.tick))
            probes += [event for event in session.events if event["type"] == "probe"]
            failed = [event for event in session.events if event["type"] == "error"]
            if failed:
                raise ValueError(failed[0]["message"])
            session.events = []
        return {"end": _end(session), **({"probes": _probes(probes)} if probes else {})}

    def functional_share(parameters: Parameters, results: Mapping[str, xr.Dataset]) -> float:
        values = results["end"]["theta"].values
        possible = np.isfinite(values)
        return float((values[possible] > 0).mean())

    name = scene if isinstance(scene, str) else scene.name
    return Experiment(
        name=file_name(name).removesuffix(".py"),
        title=f"A session of the lab: {name.removesuffix('.py')}",
        summary="A session of the lab, repeated from its settings and actions.",
        run=run,
        measures=[functional_share],
        also_measured=["functional_share"],
    )


def _scene(given: str | Scene) -> Scene:
    if isinstance(given, Scene):
        return given
    if given.endswith(".py"):
        from synsamp.lab.own import scene_of_file

        return scene_of_file(given)
    from synsamp.lab.scenes import SCENES

    return SCENES[arguments.one_of("scene", given, SCENES)]()


def _other_seed(seed: int, trial: int) -> int:
    return int(named_seed(trial, "lab", seed).generate_state(1)[0])


def _end(session: Session) -> xr.Dataset:
    """θ of the first matrix at the end, and of all others under their names."""
    found: dict[str, Any] = {}
    for k, (name, values) in enumerate(session.theta().items()):
        matrix = np.atleast_2d(values)
        dims = (f"post_{k}", f"pre_{k}") if k else ("post", "pre")
        label = "theta" if k == 0 else "theta_" + re.sub(r"\W", "_", name)
        found[label] = (dims, matrix, {"description": f"θ of {name}"})
    return xr.Dataset(found, attrs={"tick": session.tick, "time_s": session.time_s})


def _probes(events: Sequence[Mapping[str, Any]]) -> xr.Dataset:
    """Share of correct trials of each probe; NaN for a twin that was not there."""

    def share(event: Mapping[str, Any], which: str) -> float:
        found = event["values"].get(which)
        return np.nan if found is None else found["correct"] / found["trials"]

    return xr.Dataset(
        {
            which: ("probe", [share(event, which) for event in events])
            for which in ("network", "twin")
        },
        {"time_s": ("probe", [event["time_s"] for event in events])},
    )
