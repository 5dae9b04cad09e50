"""Compile kernels with given parts, and keep the machine code on disk."""

from synsamp.specialise.binding import is_compiled, specialise, why_not_compiled
from synsamp.specialise.pointers import compiled_at, pointer_to

__all__ = ["compiled_at", "is_compiled", "pointer_to", "specialise", "why_not_compiled"]
