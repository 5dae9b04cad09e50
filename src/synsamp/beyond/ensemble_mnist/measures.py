"""What averaging over samples is judged by, of one seed."""

from __future__ import annotations

from synsamp.beyond.ensemble_mnist.parameters import EnsembleParameters
from synsamp.claims import Ratio, Value
from synsamp.experiments.base import Results


def measures(p: EnsembleParameters, results: Results) -> dict[str, Value]:
    """The average of all samples, the last sample, and plain SGD, each by the same scores."""
    end = results["scores"].load().isel(sample=-1)

    def score(name: str, arm: str, kind: str) -> float:
        return float(end[name].sel(arm=arm, kind=kind))

    def gain(name: str, ahead: tuple[str, str], behind: tuple[str, str]) -> float:
        return score(name, *ahead) - score(name, *behind)

    def ratio(name: str, one: tuple[str, str], other: tuple[str, str]) -> Ratio:
        return Ratio(score(name, *one), score(name, *other))

    mean, last = ("sampled", "mean"), ("sampled", "one")
    sgd, path = ("sgd", "one"), ("sgd", "mean")
    found: dict[str, Value] = {
        f"{name}_{who}": score(name, *which)
        for name in ("accuracy", "log_score", "calibration_error", "rotated", "letters")
        for who, which in (("mean", mean), ("last", last), ("sgd", sgd))
    }
    return found | {
        "accuracy_mean_over_last": gain("accuracy", mean, last),
        "accuracy_mean_over_sgd": gain("accuracy", mean, sgd),
        "accuracy_path_over_sgd": gain("accuracy", path, sgd),
        "log_score_mean_by_sgd": ratio("log_score", mean, sgd),
        "log_score_path_by_sgd": ratio("log_score", path, sgd),
        "calibration_mean_by_sgd": ratio("calibration_error", mean, sgd),
        "calibration_path_by_sgd": ratio("calibration_error", path, sgd),
        "rotated_mean_over_sgd": gain("rotated", mean, sgd),
        "rotated_path_over_sgd": gain("rotated", path, sgd),
        "letters_mean_over_sgd": gain("letters", mean, sgd),
        "letters_path_over_sgd": gain("letters", path, sgd),
        "letters_shuffled": score("letters", "shuffled", "mean"),
        "letters_by_disagreement": score("disagreement", *mean),
    }
