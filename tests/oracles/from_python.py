"""Parts of the kernel have no entrance for Python; here a test gets one with an entrance."""

from numba import njit

INSIDE_ONLY = ("nopython", "no_cpython_wrapper", "no_cfunc_wrapper", "inline", "forceinline")


def from_python(part):
    """``part`` compiled with the same arithmetic, to be called from Python."""
    options = {k: v for k, v in part.targetoptions.items() if k not in INSIDE_ONLY}
    return njit(**options)(part.py_func)
