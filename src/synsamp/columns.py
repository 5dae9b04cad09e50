"""Description of a growing table, in memory or in a run folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Column:
    """One recorded quantity: dtype, named dimensions after the first, unit, meaning.

    A ``coordinate`` says when a row was taken, and is no data variable of the Dataset.
    """

    dtype: str
    dimensions: Mapping[str, int] = field(default_factory=dict)
    unit: str = ""
    description: str = ""
    coordinate: bool = False


@dataclass(frozen=True)
class Table:
    """The name of the dimension that grows, and the columns."""

    dimension: str
    columns: Mapping[str, Column]
