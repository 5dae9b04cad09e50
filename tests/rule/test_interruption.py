"""Ctrl-C works at any time, and an interrupted step raises an error afterwards."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from numba import njit

import synsamp as ss
from synsamp.rule import backends


def _interrupt_soon(seconds=1.0):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


@pytest.mark.parametrize("threads", [1, 2])
def test_the_compiled_loop_comes_back_for_ctrl_c_however_many_steps(threads):
    rule = ss.Rule(njit(lambda theta: -theta), ss.Gaussian())
    moving = ss.Chains(rule, np.zeros((2, 50)), 1e-3, 1, threads)
    moving.burn_in(1)  # compile
    began = time.perf_counter()
    _interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        moving.burn_in(10**12)  # years
    assert time.perf_counter() - began < 60


def test_after_an_interruption_within_a_piece_chains_do_not_continue(monkeypatch):
    moving = ss.Chains(ss.Rule(prior=ss.Gaussian()), np.zeros((3, 2)), 0.01, 1)
    state = moving.state()
    whole = moving.advance(10)
    kernel = ss.Overdamped.kernel
    calls = []

    def stopping(self, rule):
        def one(*arguments):
            calls.append(1)
            if len(calls) == 2:
                raise KeyboardInterrupt
            return kernel(self, rule)(*arguments)

        return one

    monkeypatch.setattr(ss.Overdamped, "kernel", stopping)
    with pytest.raises(KeyboardInterrupt):
        moving.advance(10)
    monkeypatch.undo()
    with pytest.raises(ss.SynsampError, match="restore"):
        moving.advance(10)
    moving.restore(state)
    assert np.array_equal(moving.advance(10), whole)


def test_pieces_add_up_and_follow_the_clock(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(backends.time, "perf_counter", lambda: clock[0])
    sizes = []
    for n in backends.Pace().pieces(10_000):
        sizes.append(n)
        clock[0] += 0.001 * n if len(sizes) < 12 else 0.01 * n  # work becomes ten times as slow
    assert sum(sizes) == 10_000
    assert max(sizes[:11]) <= 256  # 0.1 s at 1 ms a step, at most doubled
    assert max(sizes[14:]) <= 32  # at 10 ms a step it shrinks again


def test_where_a_step_takes_long_a_piece_is_one_step(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(backends.time, "perf_counter", lambda: clock[0])
    sizes = []
    for n in backends.Pace().pieces(100):
        sizes.append(n)
        clock[0] += 0.001 if len(sizes) < 4 else 1.0 * n
    assert sizes[:4] == [1, 1, 2, 4]
    assert sizes[-10:] == [1] * 10


def test_pieces_are_longer_where_every_piece_has_an_overhead(monkeypatch):
    # Ten thousand chains: each call of the compiled loop costs 0.4 s, whatever the steps.
    clock = [0.0]
    monkeypatch.setattr(backends.time, "perf_counter", lambda: clock[0])
    sizes = []
    for n in backends.Pace().pieces(20_000):
        sizes.append(n)
        clock[0] += 0.4 + 0.001 * n + (5.0 if len(sizes) == 1 else 0.0)  # the first compiles
    assert len(sizes) < 30  # 12 s of overhead in 20 s of work; one step at a time was 8,000 s
