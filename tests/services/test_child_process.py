"""Work on large files runs in processes with limits, and ends when nobody waits for it."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from masthead.model.errors import Busy, Invalid, Unavailable
from masthead.model.translations import current_language, in_language
from masthead.services import child_process
from masthead.services.child_process import (
    SMALL,
    SpareProcess,
    child_memory,
    machine_memory,
    most_children,
    run_in_child,
    run_on_file,
)
from masthead.supervision import NICE
from masthead.temporary_files import TemporaryFile, shared_folder
from tests.support.waiting import until

GIB = 1024**3


def describe(path: Path) -> tuple[int, str, int]:
    """The process, its language and its priority."""
    print("this is no result", path)  # noqa: T201
    return os.getpid(), current_language(), os.nice(0)


def refuse() -> None:
    raise Invalid("This is wrong.", code="wrong", field="email", value="x")


def miss() -> None:
    raise Unavailable("The disk is full")


def fill() -> int:
    return len(bytearray(64 * GIB))


def spin() -> None:
    while True:
        pass


def crash() -> None:
    raise ZeroDivisionError


def start_another_and_wait(note: Path) -> None:
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    note.write_text(f"{os.getpid()} {other.pid}")
    time.sleep(600)


def note_and_wait(note: Path) -> None:
    note.write_text(f"{os.getpid()} ")
    time.sleep(600)


def kill_oneself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def test_a_function_runs_behind_requests_in_the_language_of_the_caller() -> None:
    with in_language("de"):
        pid, language, nice = await run_in_child(describe, Path("x"), account_id=1)
    assert (language, nice) == ("de", min(os.nice(0) + NICE, 19))
    assert pid != os.getpid()


async def test_only_work_on_large_files_gets_a_process() -> None:
    run = partial(run_on_file, describe, Path("x"), account_id=1)
    assert (await run(size=SMALL))[0] == os.getpid()
    assert (await run(size=SMALL + 1))[0] != os.getpid()


# --- spare processes ------------------------------------------------------------------------------

loaded: list[int] = []


def load() -> None:
    loaded.append(os.getpid())


def describe_load() -> tuple[int, list[int]]:
    """The process, and those that have called `load` in it."""
    return os.getpid(), loaded


async def take(spare: SpareProcess) -> int:
    """The process that did a piece of work; it has called `load` once before."""
    pid, loaded = await run_in_child(describe_load, account_id=1, start=spare.take)
    assert loaded == [pid]
    return pid


async def test_a_spare_process_does_one_piece_of_work() -> None:
    spare = SpareProcess(load)
    spare.prepare()
    waiting = waiting_of(spare)
    spare.prepare()
    assert waiting_of(spare) is waiting
    assert await take(spare) == waiting.pid
    assert not is_alive(waiting.pid)
    assert await take(spare) != waiting.pid


async def test_a_spare_process_that_has_ended_is_replaced() -> None:
    spare = SpareProcess(load)
    spare.prepare()
    killed = waiting_of(spare)
    killed.kill()
    killed.wait()
    assert await take(spare) != killed.pid


async def test_a_spare_process_ends_if_nobody_takes_it() -> None:
    spare = SpareProcess(load, seconds=0.1)
    spare.prepare()
    waiting = waiting_of(spare)
    await until(lambda: not is_alive(waiting.pid))
    assert waiting.wait() == 0
    assert await take(spare) != waiting.pid


async def test_a_spare_process_that_is_about_to_end_is_replaced() -> None:
    spare = SpareProcess(load, seconds=0)
    spare.prepare()
    old = waiting_of(spare)
    assert await take(spare) != old.pid
    assert not is_alive(old.pid)


async def test_a_spare_process_without_its_server_ends() -> None:
    spare = SpareProcess(load)
    spare.prepare()
    with waiting_of(spare) as waiting:
        assert waiting.stdin is not None
        waiting.stdin.close()
    assert waiting.returncode == 0


def waiting_of(spare: SpareProcess) -> subprocess.Popen[bytes]:
    process = spare._process
    assert process is not None
    return process


async def test_a_refusal_arrives_as_it_was_raised() -> None:
    with pytest.raises(Invalid, match="This is wrong") as refused:
        await run_in_child(refuse, account_id=1)
    assert (refused.value.code, refused.value.field, refused.value.value) == ("wrong", "email", "x")
    with pytest.raises(Busy, match=r"^The disk is full; try again in a few seconds\.$"):
        await run_in_child(miss, account_id=1)


@pytest.mark.parametrize("work", [fill, kill_oneself])
async def test_too_much_memory_is_refused(work: Callable[[], object]) -> None:
    with pytest.raises(Invalid, match="too much memory or time"):
        await run_in_child(work, account_id=1)


async def test_too_much_time_is_refused() -> None:
    with pytest.raises(Invalid, match="too much memory or time"):
        await run_in_child(spin, account_id=1, seconds=1)


async def test_a_defect_is_an_error_of_its_own(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RuntimeError, match="crash"):
        await run_in_child(crash, account_id=1)
    assert "ZeroDivisionError" in capfd.readouterr().err


async def test_nothing_goes_on_when_nobody_waits(tmp_path: Path) -> None:
    note = tmp_path / "note"
    running = asyncio.create_task(run_in_child(start_another_and_wait, note, account_id=1))
    await until(lambda: note.exists() and len(note.read_text().split()) == 2)
    pids = [int(pid) for pid in note.read_text().split()]
    assert all(map(is_alive, pids))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await until(lambda: not any(map(is_alive, pids)))


async def test_a_process_is_gone_when_its_caller_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if no thread was free to wait for it when the caller was cancelled."""
    started = list[subprocess.Popen[bytes]]()

    def start() -> subprocess.Popen[bytes]:
        started.append(child_process._start())
        return started[0]

    is_free = threading.Event()
    with ThreadPoolExecutor(1) as threads:
        monkeypatch.setattr(child_process, "_child_threads", threads)
        threads.submit(is_free.wait)
        running = asyncio.create_task(run_in_child(spin, account_id=1, start=start))
        await until(lambda: bool(started))
        running.cancel()
        await asyncio.sleep(0)
        is_free.set()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert started[0].returncode == -signal.SIGKILL


async def test_nothing_goes_on_when_the_server_is_killed(tmp_path: Path) -> None:
    note = tmp_path / "note"
    code = (
        "import asyncio, pathlib\n"
        "from masthead.services.child_process import run_in_child\n"
        f"from {__name__} import note_and_wait\n"
        f"asyncio.run(run_in_child(note_and_wait, pathlib.Path({str(note)!r}), account_id=1))"
    )
    server = await asyncio.create_subprocess_exec(sys.executable, "-c", code)
    await until(lambda: note.exists() and note.read_text().endswith(" "))
    assert is_alive(int(note.read_text()))
    server.kill()
    await server.wait()
    await until(lambda: not is_alive(int(note.read_text())))


async def test_an_account_has_one_process_and_the_machine_has_some(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(child_process, "WAIT_SECONDS", 0.0)
    monkeypatch.setattr(child_process, "most_children", lambda machine, processors: 2)
    notes = [tmp_path / "1", tmp_path / "2"]
    running = [
        asyncio.create_task(run_in_child(start_another_and_wait, note, account_id=number))
        for number, note in enumerate(notes, 1)
    ]
    await until(lambda: all(note.exists() for note in notes))
    for account_id in (1, 3):
        with pytest.raises(Busy, match="other files"):
            await run_in_child(describe, Path("x"), account_id=account_id)
    for task in running:
        task.cancel()
    await asyncio.wait(running)
    assert await run_in_child(describe, Path("x"), account_id=3)


@pytest.mark.parametrize(
    "machine, processors, children, memory",
    [(64, 8, 8, 4), (16, 2, 2, 4), (8, 4, 4, 1), (4, 8, 2, 1), (1, 1, 1, 1)],
)
def test_all_processes_fit_into_half_of_the_memory(
    machine: int, processors: int, children: int, memory: int
) -> None:
    assert most_children(machine * GIB, processors) == children
    assert child_memory(machine * GIB, processors) == memory * GIB


@pytest.mark.parametrize("text, is_less", [("max\n", False), ("1000\n", True), (None, False)])
def test_a_container_may_have_less_memory_than_its_machine(
    tmp_path: Path, text: str | None, is_less: bool
) -> None:
    if text is not None:
        (tmp_path / "limit").write_text(text)
    assert (machine_memory(tmp_path / "limit") == 1_000) == is_less


def size_of(file: TemporaryFile) -> int:
    return file.path.stat().st_size


async def test_a_temporary_file_outlives_the_process_that_reads_it() -> None:
    file = TemporaryFile()
    file.path.write_text("abc")
    assert await run_in_child(size_of, file, account_id=1) == 3
    assert file.path.exists()


def test_a_folder_of_somebody_else_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = shared_folder("locks")
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.rmdir()
    folder.symlink_to(tmp_path)
    with pytest.raises(PermissionError):
        shared_folder("locks")


# --- Every caller knows what its work costs -------------------------------------------------------

COSTS = {  # how a caller says how much work a file is: an archive is more than its bytes
    "services.billing.letterhead": "work_of(content)",
    "services.debits.mandates": "work_of(content)",
    "services.dispatch.label_problems": "size=self._cost",
    "services.imports.work.open_uploads": "size=cost_of(path)",
    "services.issues.covers": "work_of(content)",
    "web.billing.bank_statements": "size=cost_of(path)",
    "web.returns.carrier_files": "size=cost_of(content.path)",
}


def test_every_caller_says_what_a_file_costs_when_it_is_unpacked() -> None:
    root = Path(child_process.__file__).parents[1]
    found = {
        ".".join(path.relative_to(root).with_suffix("").parts): text
        for path in root.rglob("*.py")
        if " run_on_file(" in (text := path.read_text(encoding="utf-8"))
        and path.name != "child_process.py"
    }
    assert found.keys() == COSTS.keys()
    assert [module for module, how in COSTS.items() if how not in found[module]] == []
