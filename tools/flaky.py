"""Run the tests of `make check` many times, to find those that fail by chance.

`make flaky` does all 20 runs, and `make flaky RUNS="2 7"` these two. Each run has an order of its
own, by pytest-randomly. Ten of them share the machine with two busy loops, and two have one core
only. The output of each run is below .flaky/, and its row in docs/reliability.md, where a later
run with the same number replaces it. A run is not repeated while no file changes: a test that
fails by chance must be corrected.
"""

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from tools.campaign import PYTEST, commit, tree
from tools.reliability_page import ROOT, put_row

FOLDER = ROOT / ".flaky"
NUMBERS = range(1, 21)  # each is also the seed of its order
BUSY = NUMBERS[1::2]  # beside busy loops
ONE_CORE = {7, 17}
LOOPS = 2
# A busy loop ends with the process that started it, even if that is killed
LOOP = "import os; parent = os.getppid(); print(flush=True)\nwhile os.getppid() == parent: pass"
HEAD = "| Run | Machine | Result | Duration | Commit | Date |\n|---:|---|---|---:|---|---|\n"
TESTS = (*PYTEST, "-m", "not slow", "-p", "no:cacheprovider")
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """What came of a run. kind: of machine. failed: the tests, or the exit code of pytest."""

    kind: str
    seconds: float
    failed: Sequence[str]


@contextlib.contextmanager
def busy_loops(number: int) -> Iterator[None]:
    """Processes that use all time they get."""
    loops = [
        subprocess.Popen((sys.executable, "-c", LOOP), stdout=subprocess.DEVNULL)
        for _ in range(number)
    ]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def run(number: int, log: Path) -> Run:
    """Run the tests once, and print a line about it."""
    command = [*TESTS, f"--randomly-seed={number}"]
    kind = "beside busy loops" if number in BUSY else "one core" if number in ONE_CORE else "alone"
    if number in ONE_CORE:
        core = min(os.sched_getaffinity(0))
        command = ["taskset", "--cpu-list", str(core), *command]
    began = time.monotonic()
    with log.open("wb") as output, busy_loops(LOOPS if number in BUSY else 0):
        status = subprocess.run(command, cwd=ROOT, stdout=output, stderr=output).returncode
    took = time.monotonic() - began
    failed = FAILED.findall(log.read_text(errors="replace")) or [f"exit code {status}"]
    result = f"FAILED: {', '.join(failed)}" if status else "passed"
    print(f"{number:3}  {kind:17}  {took:6.0f} s  {result}", flush=True)
    return Run(kind, took, failed if status else [])


def row(number: int, done: Run) -> str:
    """The row of the page."""
    failed = "**failed**: " + ", ".join(f"`{name}`" for name in done.failed)
    result = failed if done.failed else "passed"
    minutes, today = done.seconds / 60, f"{datetime.now(UTC):%Y-%m-%d}"
    return f"| {number} | {done.kind} | {result} | {minutes:.0f} min | {commit()} | {today} |"


def main() -> int:
    """Do the runs that were not done yet; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="*", type=int, metavar="RUN", help="1 to 20")
    chosen = parser.parse_args().runs or NUMBERS
    if unknown := [number for number in chosen if number not in NUMBERS]:
        parser.error(f"there is no run {unknown[0]}; there are 1 to {NUMBERS[-1]}")
    folder = FOLDER / tree()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    has_failed = False
    for number in chosen:
        file = folder / f"{number:02}.json"
        if file.exists():
            done = Run(**json.loads(file.read_text()))
        else:
            done = run(number, file.with_suffix(".log"))
            file.write_text(json.dumps(asdict(done)))
            put_row("flaky", HEAD, row(number, done), map(str, NUMBERS))
        has_failed |= bool(done.failed)
    return has_failed


if __name__ == "__main__":
    sys.exit(main())
