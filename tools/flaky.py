"""Run the tests of `make check` many times, to find those that fail by chance.

Each run has a random order of its own, by pytest-randomly. Of the usual 20 runs, ten share the
machine with two busy loops, and two have one core only. The output of each run is below .flaky/.
What has passed is not repeated while no file changes.
"""

import argparse
import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tools.campaign import PYTEST, ROOT, tree

FOLDER = ROOT / ".flaky"
RUNS = 20
BUSY = {2, 4, 6, 8, 10, 12, 14, 16, 18, 20}  # beside busy loops
ONE_CORE = {7, 17}
LOOPS = 2
TESTS = (*PYTEST, "-m", "not slow", "-p", "no:cacheprovider")
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@contextlib.contextmanager
def busy_loops(number: int) -> Iterator[None]:
    """Processes that use all time they get."""
    loops = [subprocess.Popen((sys.executable, "-c", "while True: pass")) for _ in range(number)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def run(number: int, seed: int, log: Path) -> bool:
    """Run the tests once, and print a line about it; returns whether they passed."""
    command = [*TESTS, f"--randomly-seed={seed}"]
    kind = "beside busy loops" if number in BUSY else "one core" if number in ONE_CORE else "alone"
    if number in ONE_CORE:
        core = min(os.sched_getaffinity(0))
        command = ["taskset", "--cpu-list", str(core), *command]
    began = time.monotonic()
    with log.open("wb") as output, busy_loops(LOOPS if number in BUSY else 0):
        status = subprocess.run(command, cwd=ROOT, stdout=output, stderr=output).returncode
    took = time.monotonic() - began
    failed = FAILED.findall(log.read_text(errors="replace"))
    result = "passed" if status == 0 else f"FAILED: {', '.join(failed) or f'exit code {status}'}"
    print(f"{number:3}  {kind:17}  seed {seed:<6} {took:6.0f} s  {result}", flush=True)
    if status == 0:
        log.with_suffix(".passed").touch()
    return status == 0


def main() -> int:
    """Run what has not passed yet; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seed", type=int, default=1, help="of the first run; then one more each")
    options = parser.parse_args()
    folder = FOLDER / tree()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    passed = True
    for number in range(1, options.runs + 1):
        seed = options.seed + number - 1
        log = folder / f"{number:02}-seed-{seed}.log"
        if not log.with_suffix(".passed").exists():
            passed = run(number, seed, log) and passed
    return not passed


if __name__ == "__main__":
    sys.exit(main())
