"""Processes of masthead that end when the process that started them has ended."""

import asyncio
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from masthead.temporary_files import use_own_folder

SUPERVISOR = "MASTHEAD_SUPERVISOR_PID"  # set for the processes that masthead starts
CHECK_SECONDS = 0.2
TASK_MEMORY = 4 * 1024**3  # bytes of address space
TASK_SECONDS = 4 * 3600  # of the processor
NICE = 10  # of tasks: requests come first, if the processors are busy

Task = TypeVar("Task", bound=Struct)


def follow_supervisor() -> None:
    """Start a thread that ends this process when its parent is no longer the supervisor.

    A supervisor that is killed cannot stop its workers; they would continue to serve next to those
    of a new supervisor. Nothing is lost: writes are acknowledged only after their commit.
    """
    supervisor = int(os.environ.get(SUPERVISOR, "0"))

    def watch() -> None:
        while os.getppid() == supervisor:
            time.sleep(CHECK_SECONDS)
        os._exit(1)

    if supervisor:
        threading.Thread(target=watch, name="supervision", daemon=True).start()


def limit_resources(memory: int, seconds: int) -> None:
    """Give this process a limit of memory and of the processor's time; lower ones stay.

    memory: bytes of address space.
    """
    for kind, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        _soft, hard = resource.getrlimit(kind)
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (least, least))


def supervised_environment() -> dict[str, str]:
    """The environment of a process that ends when this one has ended."""
    return {**os.environ, SUPERVISOR: str(os.getpid())}


def start_task(module: str, task: Struct) -> subprocess.Popen[bytes]:
    """Start a process for a task: the module, which calls `run_task`, reads it from standard input.

    It ends when this process has ended. A task may contain passwords, so it is not in the command
    line.
    """
    process = subprocess.Popen(  # noqa: S603 - masthead itself
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE,
        env=supervised_environment(),
        start_new_session=True,  # a signal to all processes of a terminal goes only to this one
    )
    assert process.stdin is not None
    with suppress(BrokenPipeError), process.stdin as stream:  # its exit code tells
        stream.write(msgspec.json.encode(task))
    return process


def run_task(type: type[Task], work: Callable[[Task], Coroutine[Any, Any, None]]) -> None:
    """Do the task that standard input names, behind the requests of the server."""
    os.nice(NICE)
    limit_resources(TASK_MEMORY, TASK_SECONDS)
    follow_supervisor()
    use_own_folder()
    asyncio.run(work(msgspec.json.decode(sys.stdin.buffer.read(), type=type)))
