"""Run the tests of `make check` many times, to find those that fail by chance.

Each run has a random order of its own, by pytest-randomly. Of the usual 20 runs, ten share the
machine with two busy loops, and two have one core only. The output of each run is below .flaky/,
and the table of the usual 20 runs is in docs/reliability.md. A run is not repeated while no file
changes: a test that fails by chance must be corrected.
"""

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from tools.campaign import PYTEST, ROOT, commit, put_between, tree

FOLDER = ROOT / ".flaky"
RUNS = 20
BUSY = {2, 4, 6, 8, 10, 12, 14, 16, 18, 20}  # beside busy loops
ONE_CORE = {7, 17}
LOOPS = 2
TESTS = (*PYTEST, "-m", "not slow", "-p", "no:cacheprovider")
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """What came of a run. kind: of machine. failed: the tests, or the exit code of pytest."""

    kind: str
    seed: int
    seconds: float
    failed: Sequence[str]


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


def run(number: int, seed: int, log: Path) -> Run:
    """Run the tests once, and print a line about it."""
    command = [*TESTS, f"--randomly-seed={seed}"]
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
    print(f"{number:3}  {kind:17}  seed {seed:<6} {took:6.0f} s  {result}", flush=True)
    return Run(kind, seed, took, failed if status else [])


def table(runs: Sequence[Run]) -> str:
    """The table of the page: a row for each kind of machine."""
    lines = ["| Machine | Runs | Without a failure | Longest run | Failed tests |"]
    lines += ["|---|---:|---:|---:|---|"]
    for kind in dict.fromkeys(each.kind for each in runs):
        of = [each for each in runs if each.kind == kind]
        counts = Counter(name for each in of for name in each.failed)
        failed = ", ".join(f"`{name}` ({times})" for name, times in sorted(counts.items()))
        passed = sum(not each.failed for each in of)
        longest = max(each.seconds for each in of) / 60
        lines += [f"| {kind} | {len(of)} | {passed} | {longest:.0f} min | {failed or 'none'} |"]
    return "\n".join([*lines, "", f"Commit {commit()}, {datetime.now(UTC):%Y-%m-%d}."])


def main() -> int:
    """Run what has not run yet; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seed", type=int, default=1, help="of the first run; then one more each")
    options = parser.parse_args()
    folder = FOLDER / tree()[:12]
    folder.mkdir(parents=True, exist_ok=True)
    runs = list[Run]()
    for number in range(1, options.runs + 1):
        seed = options.seed + number - 1
        log = folder / f"{number:02}-seed-{seed}.log"
        file = log.with_suffix(".json")
        if file.exists():
            runs.append(Run(**json.loads(file.read_text())))
            continue
        runs.append(run(number, seed, log))
        file.write_text(json.dumps(asdict(runs[-1])))
    if options.runs == RUNS:
        put_between("flaky", table(runs))
    return any(each.failed for each in runs)


if __name__ == "__main__":
    sys.exit(main())
