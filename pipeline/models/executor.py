"""Who works a list of independent tasks off: threads of this process now; an engine for many machines is another class of this protocol.

A task that calls a model keeps the finished answer by its request hash before it returns (`pipeline.models.desk`), so that no engine
pays twice for a task that it hands out again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Protocol, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
Say = Callable[[str], None]


class Executor(Protocol):
    """Hands tasks out."""

    def run(self, work: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """`work` of every task, in the order of `tasks`.

        After the first failure nothing more is handed out; what is in work is waited for, then the failure of the first task in
        order is raised.
        """
        ...


class InOrder:
    """One after the other, in this thread."""

    def run(self, work: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """As `Executor.run`."""
        return [work(task) for task in tasks]


class Threads:
    """At most `limit` tasks at once, in threads of this process.

    Ctrl-C hands nothing more out and waits for what is in work, which is paid for already; a second one stops at once.
    """

    def __init__(self, limit: int, say: Say) -> None:
        self._limit = limit
        self._say = say

    def run(self, work: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """As `Executor.run`. Raises KeyboardInterrupt after Ctrl-C."""
        if len(tasks) < 2 or self._limit < 2:
            return InOrder().run(work, tasks)
        waiting: SimpleQueue[int] = SimpleQueue()
        for number in range(len(tasks)):
            waiting.put(number)
        results: dict[int, Result] = {}
        failures: dict[int, BaseException] = {}
        stop = threading.Event()

        def loop() -> None:
            while not stop.is_set():
                try:
                    number = waiting.get_nowait()
                except Empty:
                    return
                try:
                    results[number] = work(tasks[number])
                except BaseException as error:  # noqa: BLE001 - it is raised again by the thread that waits
                    failures[number] = error
                    stop.set()

        # Daemons: a second Ctrl-C must not wait for an answer that may take minutes.
        threads = [threading.Thread(target=loop, daemon=True) for _ in range(min(self._limit, len(tasks)))]
        for thread in threads:
            thread.start()
        try:
            _join(threads)
        except KeyboardInterrupt:
            stop.set()
            self._say("stopping: what is on its way is waited for, since it is paid for; Ctrl-C again stops at once")
            _join(threads)
            raise
        if failures:
            raise failures[min(failures)]
        return [results[number] for number in range(len(tasks))]


def _join(threads: Sequence[threading.Thread]) -> None:
    for thread in threads:
        # With a time-out the wait can be interrupted on every system.
        while thread.is_alive():
            thread.join(0.2)
