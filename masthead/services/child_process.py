"""Run a function in a process of its own, with limits on how many run, on memory and on time.

Reading a file of a user can take seconds of a processor and gigabytes of memory, even if it is
small. In a thread, that would delay the requests of all accounts, and nothing could end it.
"""

import asyncio
import contextvars
import fcntl
import os
import pickle
import select
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TypeVar

from masthead.model.errors import Busy, Invalid, Unavailable
from masthead.model.translations import (
    current_locale,
    format_number,
    gettext as _,
    gettext_noop,
    set_language,
)
from masthead.supervision import NICE, follow_supervisor, limit_resources, supervised_environment
from masthead.temporary_files import shared_folder

SMALL = 128 * 1024  # bytes of input; work on less takes a thread some milliseconds
LEAST_MEMORY = 1024**3  # bytes of address space for each process, however small the machine is
MOST_MEMORY = 4 * 1024**3  # a workbook of 1,000,000 rows and 20 columns needs two thirds of it
SECONDS = 300.0  # for the work, and also of the processor
WAIT_SECONDS = 60.0  # for another process to end
SPARE_SECONDS = 600.0  # that a spare process is kept for work
_LONGER = 1.1  # so much longer it waits, so that it never ends while it gets its work
_CHECK_SECONDS = 0.05
_WAITING = gettext_noop(
    "masthead is working on other files at the moment. Nothing was changed. Try again in a minute."
)

T = TypeVar("T")

_threads = ThreadPoolExecutor(2, "file")
_child_threads = ThreadPoolExecutor(os.cpu_count() or 1, "child")  # each waits for a process


async def run_on_file(work: Callable[..., T], *args: object, account_id: int, size: int) -> T:
    """Call a function with `size` bytes of a file, in a process if they are many.

    Raises: what the function raises; Invalid if it needs too much memory or time; Busy.
    """
    if size > SMALL:
        return await run_in_child(work, *args, account_id=account_id)
    return await run_in_file_thread(work, *args)


async def run_in_file_thread(work: Callable[..., T], *args: object) -> T:
    """Call a function that takes some milliseconds, in a thread for files; return its result."""
    return await run_in_threads(_threads, work, *args)


async def run_in_threads(threads: Executor, work: Callable[..., T], *args: object) -> T:
    """Call a function in one of some threads, in the language of the caller; return its result."""
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(threads, context.run, work, *args)


class SpareProcess:
    """A process that has imported what some kind of work needs, and waits for work.

    To start Python and to import large libraries can take much longer than the work itself.
    """

    def __init__(self, load: Callable[[], object], *, seconds: float = SPARE_SECONDS) -> None:
        """load: a function of a module, which imports what the work needs.

        seconds: after them, nobody is likely to need it any more.
        """
        self._load, self._seconds = load, seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0

    def prepare(self) -> None:
        """Start the process unless one waits. It ends by itself. Raises: OSError."""
        if not self._is_waiting():
            self._process = self._start(self._seconds * _LONGER)
            self._started = time.monotonic()

    def take(self) -> subprocess.Popen[bytes]:
        """The process that waits, or a new one. It does one piece of work, and ends."""
        if not self._is_waiting():
            return self._start(SPARE_SECONDS)
        process, self._process = self._process, None
        assert process is not None
        return process

    def _start(self, seconds: float) -> subprocess.Popen[bytes]:
        return _start(self._load.__module__, self._load.__qualname__, str(seconds))

    def close(self) -> None:
        """End the process if one waits."""
        if self._process:
            self._process.kill()
            self._process.communicate()  # closes its pipes
            self._process = None

    def _is_waiting(self) -> bool:
        """Whether a process waits. One that has ended, or is about to, is closed."""
        age = time.monotonic() - self._started
        if self._process and (self._process.poll() is not None or age >= self._seconds):
            self.close()
        return self._process is not None


def _start(*words: str) -> subprocess.Popen[bytes]:
    """Start a process that waits for work. words: see `main`. Takes about a millisecond."""
    return subprocess.Popen(  # noqa: S603 - masthead itself
        [sys.executable, "-P", "-m", __name__, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=supervised_environment(),
        start_new_session=True,  # so that it ends with the processes that it has started
    )


async def run_in_child(
    work: Callable[..., T],
    *args: object,
    account_id: int,
    seconds: float = SECONDS,
    start: Callable[[], subprocess.Popen[bytes]] = _start,
) -> T:
    """Call a function of a module in a process, which ends if the caller is cancelled.

    One process of an account runs at a time, and on this machine as many as it has processors, if
    they fit into half of the memory. The others wait. The arguments and the result must be
    picklable. start: gives the process, such as `take` of a spare one.

    Raises: Invalid if the function does, or needs too much memory or time; Busy if other processes
    take too long, or if the function raises Unavailable; RuntimeError if the process fails.
    """
    memory = child_memory(machine_memory())
    task = pickle.dumps((memory, seconds, current_locale(), work, args))
    async with _turn(account_id):
        process = start()
        # Shielded: a thread waits for its end in any case, also if the caller is cancelled first
        end = asyncio.ensure_future(run_in_threads(_child_threads, process.communicate, task))
        try:
            async with asyncio.timeout(seconds):
                answer, _nothing = await asyncio.shield(end)
        except TimeoutError:
            raise _limit_reached(memory, seconds) from None
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await asyncio.shield(end)
    code = process.returncode or 0
    if code < 0:  # a signal: the limit of the processor, or the kernel has no memory
        raise _limit_reached(memory, seconds)
    if code:
        raise RuntimeError(f"The process of {work} failed with {code}.")
    is_result, value = pickle.loads(answer)  # noqa: S301 - of our own process
    if is_result:
        return value  # type: ignore[no-any-return]
    raise value or _limit_reached(memory, seconds)


def _limit_reached(memory: int, seconds: float) -> Invalid:
    text = _(
        "The file needs too much memory or time: more than {size} MB, or {minutes} minutes. Make "
        "it smaller, or split it, and use it again."
    )
    minutes, size = round(seconds / 60), memory // 1024**2
    return Invalid(text.format(size=format_number(size), minutes=format_number(minutes)))


# --- number and memory ----------------------------------------------------------------------------


def machine_memory(limit: Path = Path("/sys/fs/cgroup/memory.max")) -> int:
    """The bytes of memory that this machine, or the container, has."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(machine, int(limit.read_text()))
    except (OSError, ValueError):  # no container, or `max`
        return machine


def most_children(machine: int, processors: int) -> int:
    """The number of processes that may run at a time. machine: its bytes of memory."""
    return max(1, min(processors, machine // 2 // LEAST_MEMORY))


def child_memory(machine: int, processors: int = os.cpu_count() or 1) -> int:
    """The bytes of address space of each process: all together, at most half of the machine's."""
    share = machine // 2 // most_children(machine, processors)
    return max(LEAST_MEMORY, min(share, MOST_MEMORY))


@asynccontextmanager
async def _turn(account_id: int) -> AsyncIterator[None]:
    """Hold two locks during the block: of the account, and one of the machine's.

    They are locks of files, because servers have several workers; the kernel releases them when a
    worker ends. Raises: Busy.
    """
    folder = shared_folder("children")
    slots = range(most_children(machine_memory(), os.cpu_count() or 1))
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            while not (held := _lock(folder, account_id, slots)):  # noqa: ASYNC110 - of other processes
                await asyncio.sleep(_CHECK_SECONDS)
    except TimeoutError:
        raise Busy(_(_WAITING)) from None
    try:
        yield
    finally:
        for descriptor in held:
            os.close(descriptor)


def _lock(folder: Path, account_id: int, slots: range) -> list[int]:
    """The descriptors of both locks; empty if one of them is not free."""
    own = _lock_file(folder / f"account-{account_id}")
    if own is None:
        return []
    for slot in slots:
        if (other := _lock_file(folder / f"place-{slot}")) is not None:
            return [own, other]
    os.close(own)
    return []


def _lock_file(path: Path) -> int | None:
    """The descriptor of a file that nobody else has locked; otherwise None."""
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


# --- the process ----------------------------------------------------------------------------------


def main() -> None:  # pragma: no cover - in its own process
    """Run the function that standard input names, and write what it returns or raises.

    The command line of a spare process has a module, its function to call before, and seconds.
    """
    os.nice(NICE)
    follow_supervisor()
    with os.fdopen(os.dup(1), "wb") as target:
        os.dup2(2, 1)  # what a library prints is no result
        if sys.argv[1:]:
            module, load, patience = sys.argv[1:]
            getattr(import_module(module), load)()
            if not select.select([0], [], [], float(patience))[0]:
                return
        if not (task := sys.stdin.buffer.read()):  # the server has ended
            return
        memory, seconds, language, work, args = pickle.loads(task)  # noqa: S301 - ours
        set_language(language)
        limit_resources(memory, int(seconds))
        answer: tuple[bool, object]
        try:
            answer = True, work(*args)
        except Invalid as reason:
            answer = False, reason
        except Unavailable as reason:
            answer = False, Busy(str(reason))
        except MemoryError:
            answer = False, None
        pickle.dump(answer, target)


if __name__ == "__main__":  # pragma: no cover - in its own process
    main()
