"""Measures of averaging over samples, of one seed.

Branches are the networks of `protocol`: ``sampled``, ``sgd`` and ``shuffled``. A gain or ratio
compares the average over the states of a branch with the last state of plain SGD.
"""

from __future__ import annotations

from typing import Any

from synsamp.claims import Multiple, Ratio, Share, measures_in
from synsamp.experiments.base import Results


def _score(results: Results, name: str, branch: str, kind: str = "mean") -> float:
    return float(results["scores"].isel(sample=-1)[name].sel(branch=branch, kind=kind))


def _gain(results: Results, name: str, branch: str) -> float:
    return _score(results, name, branch) - _score(results, name, "sgd", "one")


def _ratio(results: Results, name: str, branch: str) -> Ratio:
    return Ratio(_score(results, name, branch), _score(results, name, "sgd", "one"))


def accuracy(p: Any, results: Results, branch: str) -> Share:
    """Accuracy of the average over all states."""
    return _score(results, "accuracy", branch)


def last_accuracy(p: Any, results: Results, branch: str) -> Share:
    """Accuracy of the last state."""
    return _score(results, "accuracy", branch, "one")


def calibration_error(p: Any, results: Results, branch: str) -> Share:
    """Expected calibration error of the average over all states."""
    return _score(results, "calibration_error", branch)


def last_calibration_error(p: Any, results: Results, branch: str) -> Share:
    """Expected calibration error of the last state."""
    return _score(results, "calibration_error", branch, "one")


def accuracy_gain_over_last(p: Any, results: Results) -> float:
    """Accuracy of the average over samples minus that of the last sample."""
    return accuracy(p, results, "sampled") - last_accuracy(p, results, "sampled")


def accuracy_gain(p: Any, results: Results, branch: str) -> float:
    """Accuracy of the average minus that of plain SGD."""
    return _gain(results, "accuracy", branch)


def log_score_ratio(p: Any, results: Results, branch: str) -> Multiple:
    """Log score of the average, and of plain SGD."""
    return _ratio(results, "log_score", branch)


def calibration_ratio(p: Any, results: Results, branch: str) -> Multiple:
    """Calibration error of the average, and of plain SGD."""
    return _ratio(results, "calibration_error", branch)


def rotated_gain(p: Any, results: Results, branch: str) -> float:
    """Detection of rotated digits by the average minus that by plain SGD."""
    return _gain(results, "rotated", branch)


def letters_gain(p: Any, results: Results, branch: str) -> float:
    """Detection of letters by the average minus that by plain SGD."""
    return _gain(results, "letters", branch)


def letters_detected(p: Any, results: Results, branch: str) -> Share:
    """Area under the ROC curve of the detection of letters by the average."""
    return _score(results, "letters", branch)


MEASURES = measures_in(__name__)
ALSO_MEASURED = (
    "accuracy@sampled",
    "last_accuracy@sampled",
    "last_accuracy@sgd",
    "calibration_error@sampled",
    "last_calibration_error@sgd",
)
"""Shown in docs/paper/deep-experiments.md."""
