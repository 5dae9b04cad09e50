"""A place that keeps tables and checkpoints in memory and can lose everything after a while."""

from __future__ import annotations

import copy
from contextlib import contextmanager

import numpy as np

from synsamp.protocol.memory import MemoryContext


class KilledError(Exception):
    """The process is gone."""


class Checkpoints:
    """Keeps a deep copy of each state with the lengths of all tables at that moment."""

    def __init__(self, place):
        self.place = place
        self.kept = None

    def load(self):
        if self.kept is None:
            return None
        state, rows = copy.deepcopy(self.kept)
        self.place.rows = rows
        return state

    def due(self):
        return self.place.always

    def save(self, state):
        lengths = {name: copy.deepcopy(table.rows) for name, table in self.place.tables.items()}
        self.kept = copy.deepcopy((state, lengths))


class Table:
    def __init__(self, columns, rows):
        self.columns = columns
        self.rows = rows

    def append(self, **columns):
        assert set(columns) == set(self.columns)
        lengths = {len(values) for values in columns.values()}
        assert len(lengths) == 1
        for name, values in columns.items():
            self.rows[name].append(np.array(values))


class Place(MemoryContext):
    """Dies at the ``dies_at``-th report of progress; `reborn` continues with what was saved."""

    def __init__(self, dies_at=None, always=True):
        self.tables = {}
        self.rows = {}
        self.always = always
        self.dies_at = dies_at
        self.reports = 0
        self.checkpoint = Checkpoints(self)

    def reborn(self, dies_at=None):
        other = Place(dies_at, self.always)
        other.checkpoint.kept = self.checkpoint.kept
        return other

    @contextmanager
    def progress(self, description, total):
        place = self

        class Bar:
            def advance(self, amount=1.0):
                place.reports += 1
                if place.dies_at is not None and place.reports > place.dies_at:
                    place.checkpoint.save = lambda state: None  # nothing more reaches the disk
                    raise KilledError

        yield Bar()

    def table(self, name, table, coordinates):
        rows = self.rows.get(name, {key: [] for key in table.columns})
        self.tables[name] = Table(table.columns, rows)
        return self.tables[name]

    def arrays(self):
        return {
            f"{name}:{key}": np.concatenate(parts)
            for name, table in self.tables.items()
            for key, parts in table.rows.items()
            if parts
        }
