"""A standalone cluster of Spark on loopback: one master and some workers, each a process of its own.

What the executors see is as little as possible: an empty folder, a bare environment, and a Python that has PySpark and
the standard library only. So a test on this cluster fails if anything else were needed there.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pyspark

from tests.sessions import QUICK_START

T = TypeVar("T")

SPARK_HOME = Path(pyspark.__file__).parent
EXECUTOR_MEMORY = "512m"
"""Little more than the least that Spark accepts."""

_MASTER = "org.apache.spark.deploy.master.Master"
_WORKER = "org.apache.spark.deploy.worker.Worker"
_EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend"
_PATIENCE = 300.0
"""A busy machine needs minutes to start what an idle one starts in seconds."""


@dataclass
class Cluster:
    """Processes that were started, and where they write."""

    folder: Path
    master: subprocess.Popen[bytes]
    url: str
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def add_workers(self, count: int) -> None:
        """Each with one core, and with an address of its own: Spark runs no task twice at the same address."""
        logs = [self._spawn_worker() for _ in range(count)]
        for log, worker in zip(logs, self.workers[-count:], strict=True):
            _found_in(log, r"Successfully registered with master", worker)

    def _spawn_worker(self) -> Path:
        number = len(self.workers) + 2
        host, log = f"127.0.0.{number}", self.folder / f"worker-{number}.log"
        options = ["--host", host, "--webui-port", "0", "--cores", "1", "--memory", "1g"]
        self.workers.append(_spawn(self.folder, log, host, [_WORKER, *options, self.url]))
        return log

    def executors(self) -> list[int]:
        """The processes that run tasks."""
        return [child for worker in self.workers for child in _children(worker.pid) if _runs(child, _EXECUTOR)]

    def kill_worker(self, number: int) -> None:
        """With its executors, as if the machine were gone."""
        _kill(self.workers[number])

    def stop(self) -> None:
        for process in (*self.workers, self.master):
            _kill(process)

    def settings(self) -> dict[str, str]:
        """What an application sets to run on this cluster."""
        return {
            "spark.master": self.url,
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.extraJavaOptions": QUICK_START,
            "spark.executor.memory": EXECUTOR_MEMORY,
            "spark.executor.extraJavaOptions": QUICK_START,
        }

    def python(self) -> Path:
        """What `PYSPARK_PYTHON` has to be: our Python without its installed packages, sparkwhy among them."""
        return self.folder / "python"


@contextmanager
def cluster(folder: Path, *, workers: int = 2) -> Iterator[Cluster]:
    """A cluster whose processes are gone afterwards, whatever happens; it writes into the folder only."""
    started = _with_master(folder)
    try:
        started.add_workers(workers)
        yield started
    finally:
        started.stop()


def _with_master(folder: Path) -> Cluster:
    _write_python(folder / "python")
    host, log = "127.0.0.1", folder / "master.log"
    master = _spawn(folder, log, host, [_MASTER, "--host", host, "--port", "0", "--webui-port", "0"])
    try:
        return Cluster(folder, master, _found_in(log, r"Starting Spark master at (spark://\S+)", master))
    except BaseException:
        _kill(master)
        raise


def _write_python(place: Path) -> None:
    """`-S`: without site-packages. Spark itself hands PySpark to its executors."""
    place.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -S "$@"\n')
    place.chmod(0o755)


def _spawn(folder: Path, log: Path, host: str, command: list[str]) -> subprocess.Popen[bytes]:
    """A process in a group of its own, in which its executors are too. `spark-class` finds Java as PySpark does."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "JAVA_HOME", "LANG") if name in os.environ}
    ours = {
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_CONF_DIR": str(folder),
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_WORKER_DIR": str(folder / "work"),
        "SPARK_LOCAL_IP": host,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": QUICK_START,
    }
    with log.open("wb") as out:
        return subprocess.Popen(
            [str(SPARK_HOME / "bin" / "spark-class"), *command],
            cwd=folder,
            env=kept | ours,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _found_in(log: Path, pattern: str, process: subprocess.Popen[bytes]) -> str:
    """What the process writes of itself: the last group of the pattern, once it is there."""

    def found() -> re.Match[str] | None:
        assert process.poll() is None, log.read_text(errors="replace")
        return re.search(pattern, log.read_text(errors="replace"))

    match = wait_for(found)
    return match[match.re.groups]


def wait_for(look: Callable[[], T | None], seconds: float = _PATIENCE) -> T:
    """What is looked for, as soon as there is something."""
    deadline = time.monotonic() + seconds
    while not (seen := look()):
        assert time.monotonic() < deadline, f"nothing after {seconds} seconds: {look}"
        time.sleep(0.05)
    return seen


def _children(pid: int) -> list[int]:
    """Of all its threads: any of them may have started one, and may be gone by now."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found.extend(map(int, path.read_text().split()))
    return found


def _runs(pid: int, main: str) -> bool:
    with suppress(OSError):
        return main.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    return False


def _kill(process: subprocess.Popen[bytes]) -> None:
    """The whole group. One that was waited for has no group any more, or one of somebody else."""
    if process.returncode is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
