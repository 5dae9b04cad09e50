"""What the images alone say of the inputs, before anything is simulated.

An input is *background* of a phase if it is bright in less than 1 % of the images of every digit
shown there, and *matters* if it is bright in more than half of the images of one of them. It is
*new* with a digit if it is bright in more than 20 % of that digit's images and in less than 5 % of
those of any digit shown before.
"""

from __future__ import annotations

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from synsamp.data import Digits
from synsamp.paper.fig4_adaptation.course import Course
from synsamp.paper.shared.digit_circuit import ink_shares, mean_images

BACKGROUND, MATTERS, NEW, NOT_NEW = 0.01, 0.5, 0.2, 0.05
N_CANDIDATES, N_EXAMPLES = 20, 16

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


def describe_images(source: Digits, course: Course) -> xr.Dataset:
    """Mean images and kinds of inputs (``pre``), and some examples to draw."""
    digits = course.all_digits
    height, width = source.images.shape[1:]
    mean, ink = mean_images(source, digits), ink_shares(source, digits)
    rows = [[digits.index(d) for d in phase] for phase in course.digits]
    return xr.Dataset(
        {
            "mean_image": (("digit", "pre"), mean),
            "ink": (("digit", "pre"), ink, {"description": "share of bright images"}),
            "background": (("phase", "pre"), np.stack([background(ink[r]) for r in rows])),
            "matters": (("phase", "pre"), np.stack([matters(ink[r]) for r in rows])),
            "new": ("pre", new_inputs(ink, course)),
            "candidate_input": ("candidate", candidate_inputs(mean, ink, course)),
            "examples": (
                ("digit", "example", "row", "column"),
                np.stack([source.by_digit(d)[:N_EXAMPLES] for d in digits]),
            ),
        },
        coords={"digit": list(digits)},
        attrs={"height": height, "width": width},
    )


def background(ink: Floats) -> Bools:
    """Inputs that are dark for all of these digits; ``ink[digit, input]``."""
    return np.asarray((ink < BACKGROUND).all(axis=0), bool)


def matters(ink: Floats) -> Bools:
    """Inputs that are bright in most images of one of these digits."""
    return np.asarray((ink > MATTERS).any(axis=0), bool)


def new_inputs(ink: Floats, course: Course) -> Bools:
    """Inputs that are bright for the new digit and dark for all digits before it."""
    if course.new_phase is None or course.new_digit is None:
        return np.zeros(ink.shape[1], bool)
    new, old = _rows(course, course.new_phase, course.new_digit)
    return np.asarray((ink[new] > NEW) & (ink[old] < NOT_NEW).all(axis=0), bool)


def candidate_inputs(mean: Floats, ink: Floats, course: Course) -> NDArray[np.int64]:
    """Inputs to trace: background of the old digits, and of those the brightest for the new one.

    Without a new digit: the brightest inputs of the first phase.
    """
    if course.new_phase is None or course.new_digit is None:
        first = [course.all_digits.index(d) for d in course.digits[0]]
        brightness, allowed = mean[first].max(axis=0), np.ones(mean.shape[1], bool)
    else:
        new, old = _rows(course, course.new_phase, course.new_digit)
        brightness, allowed = mean[new] - mean[old].max(axis=0), background(ink[old])
    order = np.argsort(np.where(allowed, -brightness, np.inf), kind="stable")
    return order[: min(N_CANDIDATES, int(allowed.sum()))].astype(np.int64)


def _rows(course: Course, phase: int, digit: int) -> tuple[int, list[int]]:
    """Rows of the new digit and of those shown before it."""
    place = course.all_digits.index
    return place(digit), [place(d) for d in course.before(phase)]
