"""Checkpoints come back equal, or are recognised as damaged; never anything between."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from synsamp.packing import DamagedStateError
from synsamp.runs.storage.checkpoint import (
    CheckpointFolder,
    Owner,
    read_checkpoint,
    write_checkpoint,
)

leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(2**200), 2**200)  # a generator's state has 128 bits
    | st.floats(allow_nan=True)
    | st.text(max_size=8).filter(lambda s: s.isprintable())
    | hnp.arrays(
        st.sampled_from(["f8", "f4", "i8", "u4", "?", "c16", "<U3"]),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3),
    )
)
keys = st.text(max_size=5).filter(lambda s: s.isprintable())
states = st.dictionaries(
    keys, st.recursive(leaves, lambda inner: st.dictionaries(keys, inner, max_size=3), max_leaves=6)
)


def store(folder, interval_s=0.0):
    return CheckpointFolder(folder, Owner("a run"), interval_s=interval_s)


def same(a, b):
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, np.ndarray | np.generic):
        return type(a) is type(b) and a.dtype == b.dtype and a.tobytes() == b.tobytes()
    return type(a) is type(b) and (a == b or (a != a and b != b))


@given(states)
@settings(max_examples=60, deadline=None)
def test_every_state_comes_back_bit_identical(tmp_path_factory, state):
    path = tmp_path_factory.mktemp("c") / "1.checkpoint"
    write_checkpoint(path, state)
    assert same(read_checkpoint(path), state)


def test_a_generator_continues_with_the_same_draws(tmp_path):
    rng = np.random.default_rng(3)
    rng.normal(size=7)
    write_checkpoint(tmp_path / "1.checkpoint", {"rng": rng.bit_generator.state})
    other = np.random.default_rng(4)
    other.bit_generator.state = read_checkpoint(tmp_path / "1.checkpoint")["rng"]
    assert np.array_equal(rng.normal(size=9), other.normal(size=9))


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_any_flipped_bit_and_any_cut_is_noticed(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("c") / "1.checkpoint"
    write_checkpoint(path, {"a": np.arange(20.0), "n": 3, "s": "text"})
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        content[place] ^= 1 << data.draw(st.integers(0, 7))
    else:
        del content[place:]
    path.write_bytes(content)
    with pytest.raises(DamagedStateError):
        read_checkpoint(path)


def test_a_damaged_one_is_passed_over_with_a_warning(tmp_path, caplog):
    checkpoints = store(tmp_path / "c")
    for number in range(5):
        checkpoints.save({"number": number})
    files = sorted((tmp_path / "c").iterdir())
    assert len(files) == 2
    assert store(tmp_path / "c").load() == {"number": 4}
    files[1].write_bytes(files[1].read_bytes()[:-1] + b"x")
    with caplog.at_level(logging.WARNING):
        assert store(tmp_path / "c").load() == {"number": 3}
    assert "damaged" in caplog.text
    files[0].write_bytes(b"")
    assert store(tmp_path / "c").load() is None


def test_a_write_that_was_killed_leaves_no_checkpoint(tmp_path):
    store(tmp_path).save({"number": 1})
    (tmp_path / ".00000002.checkpoint.part").write_bytes(b"synsamp checkpoint 1\nhalf")
    assert store(tmp_path).load() == {"number": 1}


def test_numbering_continues_after_a_restart(tmp_path):
    store(tmp_path).save({"number": 1})
    store(tmp_path).save({"number": 2})
    assert store(tmp_path).load() == {"number": 2}


def test_due_follows_the_wall_clock(tmp_path):
    assert store(tmp_path, interval_s=0.0).due()
    assert not store(tmp_path, interval_s=60.0).due()


@pytest.mark.parametrize("bad", [{"a": np.array([{}])}, {"a": object()}, {1: 2}, {"a": [1, 2]}])
def test_what_could_not_come_back_equal_raises_an_error_at_once(tmp_path, bad):
    with pytest.raises(TypeError, match="checkpoint state"):
        write_checkpoint(tmp_path / "1.checkpoint", bad)
    assert list(tmp_path.iterdir()) == []
