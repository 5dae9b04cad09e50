"""What averaging over samples is judged by, of one seed."""

from __future__ import annotations

from synsamp.claims import Ratio, Value
from synsamp.experiments.base import Results
from synsamp.experiments.beyond.ensemble_mnist.parameters import EnsembleParameters


def measures(p: EnsembleParameters, results: Results) -> dict[str, Value]:
    """The average of all samples, the last sample, and plain SGD, each by the same scores."""
    end = results["scores"].load().isel(sample=-1)

    def score(name: str, arm: str, kind: str) -> float:
        return float(end[name].sel(arm=arm, kind=kind))

    def gain(name: str, ahead: tuple[str, str], behind: tuple[str, str]) -> float:
        return score(name, *ahead) - score(name, *behind)

    mean, last = ("sampled", "mean"), ("sampled", "one")
    sgd, again, path = ("sgd", "one"), ("sgd_again", "one"), ("sgd", "mean")
    found: dict[str, Value] = {
        f"{name}_{who}": score(name, *which)
        for name in ("accuracy", "log_score", "calibration_error", "rotated", "letters")
        for who, which in (("mean", mean), ("last", last), ("sgd", sgd))
    }
    return found | {
        "accuracy_mean_over_last": gain("accuracy", mean, last),
        "accuracy_sgd_mean_over_last": gain("accuracy", path, sgd),
        "accuracy_mean_over_sgd": gain("accuracy", mean, sgd),
        "accuracy_sgd_over_sgd": gain("accuracy", again, sgd),
        "log_score_sgd_over_mean": gain("log_score", sgd, mean),
        "log_score_sgd_over_sgd": gain("log_score", sgd, again),
        "calibration_mean_by_sgd": Ratio(
            score("calibration_error", *mean), score("calibration_error", *sgd)
        ),
        "calibration_sgd_mean_by_sgd": Ratio(
            score("calibration_error", *path), score("calibration_error", *sgd)
        ),
        "rotated_mean_over_sgd": gain("rotated", mean, sgd),
        "rotated_sgd_over_sgd": gain("rotated", again, sgd),
        "letters_mean_over_sgd": gain("letters", mean, sgd),
        "letters_sgd_over_sgd": gain("letters", again, sgd),
        "letters_shuffled": score("letters", "shuffled", "mean"),
        "letters_by_disagreement": score("disagreement", *mean),
    }
