"""Work on a thread of its own, with a limit in time, that leaves no job behind.

The thread that waits stays free: it can be interrupted at any moment, which a call into the JVM cannot. Local
properties of Spark (job group, tags, scheduler pool) are inherited by the working thread and set only there.
"""

from __future__ import annotations

import queue
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from pyspark import InheritableThread
from pyspark.sql import SparkSession

from sparkwhy.errors import TimedOut
from sparkwhy.spark.classic import jvm
from sparkwhy.spark.engine import Progress

T = TypeVar("T")

_GRACE = 10.0
"""Seconds to wait for cancelled jobs to end. Those that take longer are cancelled further in the background."""

_PAUSE = 0.1
"""Seconds between two looks at the clock."""


class WatchedThread(Generic[T]):
    """One piece of work: `stage` is the one that it entered last."""

    def __init__(self, session: SparkSession, work: Callable[[Progress], T], stage: str) -> None:
        self.stage = stage
        self._session = session
        self._work = work
        self._tag = f"sparkwhy-{uuid.uuid4().hex}"
        self._events: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._result: list[T] = []
        self._error: list[BaseException] = []

    def result(self, *, timeout: float | None, since: float, progress: Progress) -> T:
        """Wait for the work and return its result.

        Cancel its jobs when `timeout` seconds have passed since `since`, a moment of `time.monotonic`, and when
        anything is raised while waiting.
        """
        worker: Any = InheritableThread(self._run, session=self._session, name="sparkwhy", daemon=True)
        worker.start()
        try:
            self._wait(None if timeout is None else since + timeout, progress)
        except BaseException as error:
            self._stop(worker)
            if isinstance(error, _Over):
                raise TimedOut(self.stage, timeout or 0.0) from None
            raise
        worker.join()
        if self._error:
            raise self._error[0]
        return self._result[0]

    def _run(self) -> None:
        """Do the work on the other thread, and keep what it returns or raises."""
        try:
            jvm.activate(self._session)
            self._session.sparkContext.addJobTag(self._tag)
            self._result.append(self._work(self._events.put))
        except BaseException as error:  # raised again by whoever waits
            self._error.append(error)
        finally:
            self._events.put(None)

    def _wait(self, deadline: float | None, progress: Progress) -> None:
        """Pass on the stages that the work enters, until it ends."""
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            try:
                entered = self._events.get(timeout=_PAUSE if left is None else max(min(left, _PAUSE), 0))
            except queue.Empty:
                if left is not None and left <= 0:
                    raise _Over from None
                continue
            if entered is None:
                return
            self.stage = entered
            progress(entered)

    def _stop(self, worker: threading.Thread) -> None:
        cancelling = threading.Thread(target=self._cancel, args=(worker,), name="sparkwhy cancel", daemon=True)
        cancelling.start()
        cancelling.join(_GRACE)

    def _cancel(self, worker: threading.Thread) -> None:
        """Cancel the jobs until the thread has ended: a job that is still being planned cannot be cancelled yet."""
        context = self._session.sparkContext
        while worker.is_alive():
            context.cancelJobsWithTag(self._tag)
            worker.join(_PAUSE)


class _Over(Exception):
    """The time is over."""
