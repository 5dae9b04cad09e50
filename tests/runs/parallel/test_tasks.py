"""Tasks on workers hear that they are no longer wanted, and a lost result is waited for."""

from __future__ import annotations

import time
from functools import partial

import pytest
from rich.console import Console

from synsamp.runs.parallel.tasks import SchedulerLostError, StoppedError, Task, run_tasks
from synsamp.runs.parallel.workers import Workers


def until_stopped(begun, stopped, report):
    begun.touch()
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            report(0.5)
        except StoppedError:
            stopped.touch()
            return
        time.sleep(0.05)


def quick(report):
    report(1.0)
    return "done"


def test_an_abandoned_task_stops_within_seconds(tmp_path):
    begun, stopped = tmp_path / "begun", tmp_path / "stopped"
    with Workers(count=2) as workers:
        client = workers.client(Console(quiet=True))
        tasks = [Task("long", partial(until_stopped, begun, stopped), "a long one")]
        tasks.append(Task("short", quick, "a short one"))
        for ended in run_tasks(client, tasks, lambda name, share: None):
            assert (ended.name, ended.value) == ("short", "done")
            while not begun.exists():
                time.sleep(0.05)
            break  # as Ctrl-C would
        end = time.monotonic() + 20
        while not stopped.exists():
            assert time.monotonic() < end, "the task continues"
            time.sleep(0.05)


class Future:
    """One that tells its states one after the other, each time its callback is set."""

    def __init__(self, states):
        self.key, self.states, self.status = "x", list(states), "pending"

    def add_done_callback(self, callback):
        self.status = self.states.pop(0)
        callback(self)

    def result(self):
        return "done"


class Client:
    """Stands for a Dask client whose one task has a given fate."""

    status = "running"

    def __init__(self, *states):
        self.future = Future(states)

    def submit(self, *arguments, **options):
        return self.future

    def subscribe_topic(self, topic, handler):
        pass

    def unsubscribe_topic(self, topic):
        pass

    def cancel(self, futures, force):
        pass


def test_a_result_lost_with_its_worker_is_waited_for():
    found = list(run_tasks(Client("lost", "lost", "finished"), [Task("a", quick, "one")], print))
    assert [(ended.name, ended.value) for ended in found] == [("a", "done")]


def test_a_task_that_is_let_go_means_a_lost_scheduler():
    with pytest.raises(SchedulerLostError):
        list(run_tasks(Client("cancelled"), [Task("a", quick, "one")], print))
