"""Tasks on workers hear that they are no longer wanted, and a lost result is waited for."""

from __future__ import annotations

import time
from functools import partial

import pytest
from rich.console import Console

from synsamp.runs.parallel.tasks import (
    Lookahead,
    SchedulerLostError,
    StoppedError,
    Task,
    run_tasks,
)
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


class Submitting(Client):
    """Notes what is submitted and cancelled; every task ends at once."""

    def __init__(self):
        self.submitted, self.cancelled = [], []

    def submit(self, function, task, *arguments, key, pure):
        self.submitted.append(task.label)
        future = Future(["finished"])
        future.key = key
        return future

    def cancel(self, futures, force):
        self.cancelled += futures


def test_the_first_task_of_the_next_list_begins_before_its_turn_and_once():
    client, ahead = Submitting(), Lookahead()
    a, b, c = ([Task(name, quick, letter + name) for name in "01"] for letter in "abc")
    ahead.next_task = b[0]
    assert len(list(run_tasks(client, a, print, ahead=ahead))) == 2
    assert client.submitted == ["a0", "a1", "b0"]  # its own list comes first
    ahead.next_task = c[0]
    assert [ended.name for ended in run_tasks(client, b, print, ahead=ahead)] == ["0", "1"]
    assert client.submitted[3:] == ["c0", "b1"]  # b0 is not submitted again
    ahead.cancel()  # list c has no turn
    assert [future.key.endswith("-0") for future in client.cancelled[-1:]] == [True]
    assert ahead.take()[0] is None


def test_what_is_done_meanwhile_is_done_once_the_tasks_are_submitted():
    client, seen = Submitting(), []
    tasks = [Task("0", quick, "a0")]
    list(run_tasks(client, tasks, print, meanwhile=lambda: seen.append(list(client.submitted))))
    assert seen == [["a0"]]
