"""Who works a list of independent tasks off: threads of this process now; an engine for many machines is another class of this protocol.

A task that calls a model keeps the finished answer by its request hash before it returns (`pipeline.models.desk`), so that no engine
pays twice for a task that it hands out again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import Protocol, TypeVar

from schemas.stopping import StoppedBySignalError

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
    """At most `limit` tasks at once, in threads of this process; a task that hands out tasks of its own does not count while it waits.

    Ctrl-C hands nothing more out, those tasks of tasks neither, and waits for what is in work, which is paid for already; a second one
    stops at once, and so does a signal that ends the process: who sent it soon kills what has not ended.
    """

    def __init__(self, limit: int, say: Say) -> None:
        self._limit = limit
        self._say = say
        self._slots = threading.BoundedSemaphore(limit)
        self._own = threading.local()
        self._stopped = threading.Event()

    def run(self, work: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """As `Executor.run`. Raises KeyboardInterrupt after Ctrl-C."""
        if not getattr(self._own, "slot", False):
            return self._run(work, tasks)
        self._slots.release()
        try:
            return self._run(work, tasks)
        finally:
            self._slots.acquire()

    def _run(self, work: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        waiting: SimpleQueue[int] = SimpleQueue()
        for number in range(len(tasks)):
            waiting.put(number)
        results: dict[int, Result] = {}
        failures: dict[int, BaseException] = {}
        stop = threading.Event()

        def loop(end: threading.Event) -> None:
            self._own.slot = True
            try:
                turns()
            finally:
                end.set()

        def turns() -> None:
            while True:
                with self._slots:
                    if stop.is_set() or self._stopped.is_set():
                        return
                    try:
                        number = waiting.get_nowait()
                    except Empty:
                        return
                    try:
                        results[number] = work(tasks[number])
                    except BaseException as error:  # noqa: BLE001 - it is raised again by the thread that waits
                        failures[number] = error
                        stop.set()

        # Threads also for one task, so that Ctrl-C does not tear an answer that is on its way; daemons, since a second Ctrl-C must
        # not wait for one that may take minutes.
        ends = [threading.Event() for _ in range(min(self._limit, len(tasks)))]
        for end in ends:
            threading.Thread(target=loop, args=[end], daemon=True).start()
        try:
            _wait_for(ends)
        except StoppedBySignalError:
            self._stopped.set()
            raise
        except KeyboardInterrupt:
            self._stopped.set()
            self._say("stopping: what is on its way is waited for, since it is paid for; Ctrl-C again stops at once")
            _wait_for(ends)
            raise
        if failures:
            raise failures[min(failures)]
        if len(results) < len(tasks):
            raise KeyboardInterrupt
        return [results[number] for number in range(len(tasks))]


def _wait_for(ends: Sequence[threading.Event]) -> None:
    # Not `Thread.join`: before Python 3.13 one that is interrupted takes a thread that works on for ended.
    for end in ends:
        # With a time-out the wait can be interrupted on every system.
        while not end.wait(0.2):
            pass
