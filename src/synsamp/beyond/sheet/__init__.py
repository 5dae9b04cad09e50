"""A sheet of neurons rewires around a focal lesion."""

from synsamp.beyond.sheet.experiment import EXPERIMENT

__all__ = ["EXPERIMENT"]
