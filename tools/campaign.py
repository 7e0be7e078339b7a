"""Run the long tests, part by part, and write what came of them into docs/reliability.md.

`make campaign` runs all parts, and `make campaign PARTS="races faults"` these. A part consists of
steps. Those that have passed are not repeated until a file changes, except for tests of other
steps. So a campaign that was stopped goes on where it stopped, and a test that is corrected does
not repeat the others. A part that fails does not stop the others.
"""

import argparse
import fnmatch
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from tools.on_day import DAYS
from tools.reliability_page import PAGE, ROOT, put_row

ALL_BUT_PAGE = ("--", ".", f":!{PAGE.relative_to(ROOT)}")
STATE = ROOT / ".campaign"  # what has passed, and the data of coverage
HEAD = "| Part | What it runs | Result | Duration | Commit | Date |\n|---|---|---|---|---|---|\n"
PYTEST = (sys.executable, "-m", "pytest", "--quiet", "--numprocesses=logical", "--dist=worksteal")
ON_DAY = (sys.executable, "tools/on_day.py")
LIMIT = ("--timeout=7200",)  # seconds for a test
DETERMINISTIC = ("-m", "not (crash or races or fuzz or faults)", "--ignore=tests/web/browser")
NO_COSTS = "--ignore-glob=*_costs.py"  # a tracer costs more than what they measure
NO_PLANS = "--ignore-glob=*/test_query_plans*.py"  # Citus has others, and other tables
IMAGE = ("test_image.py", "test_rootless.py")
TESTS = "tests/*test_*.py"  # fnmatch: also in folders below
IMPORTED = re.compile(r"^from (tests\.[\w.]*test_\w+) import", re.MULTILINE)
SEPARATE = ("bench", "crash", "faults", "files", "golden", "install", "races", "support")


@dataclass(frozen=True)
class Part:
    """A part of a campaign.

    what: a phrase for the page. steps: the command of each step. environment: more variables.
    needs: variables without which the part is left out.
    """

    what: str
    steps: Mapping[str, tuple[str, ...]]
    environment: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()


@dataclass
class Outcome:
    """What came of a part. commit: of the last step. seconds: of each step that passed.

    trees: the files that each of these steps used, as a hash.
    """

    commit: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    trees: dict[str, str] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def row(self, name: str, part: Part) -> str:
        """The row of the page."""
        left = [step for step in part.steps if step not in self.seconds]
        result = "passed"
        if left:
            result = f"**failed**: {', '.join(self.failed)}" if self.failed else "not finished"
        minutes = sum(self.seconds.values()) / 60
        today = f"{datetime.now(UTC):%Y-%m-%d}"
        return f"| {name} | {part.what} | {result} | {minutes:.0f} min | {self.commit} | {today} |"


def folders(*without: str) -> Iterator[str]:
    """The folders of tests, and `tests/test_*.py` for the files beside them."""
    for folder in sorted((ROOT / "tests").iterdir()):
        if folder.is_dir() and folder.name[0] not in "_." and folder.name not in without:
            yield f"tests/{folder.name}"
    yield "tests/test_*.py"


def files(pattern: str) -> list[str]:
    """The files of tests of a pattern."""
    return [str(file.relative_to(ROOT)) for file in sorted(ROOT.glob(pattern))]


def marked(*marks: str) -> list[str]:
    """The files of tests with one of these marks, in the folders with the other tests."""
    marker = re.compile(rf"mark\.({'|'.join(marks)})\b")
    found = [name for folder in folders(*SEPARATE) for name in files(f"{folder}/**/test_*.py")]
    found += files("tests/test_*.py")
    return [name for name in found if marker.search((ROOT / name).read_text(encoding="utf-8"))]


def each(paths: Iterator[str] | list[str], *options: str) -> dict[str, tuple[str, ...]]:
    """A step for each path: pytest with these options."""
    steps = {}
    for path in paths:
        found = files(path) if "*" in path else [path]
        steps[path] = (*PYTEST, *options, *LIMIT, *found)
    return steps


def covered() -> dict[str, tuple[str, ...]]:
    """A step for each folder, measured, and one that demands 100 % of all together.

    Those without a mark among the tests of faults are the ones of reads from a replica.
    """
    data = STATE / "coverage"
    measured = ("--backend=both", *DETERMINISTIC, NO_COSTS, "--cov", "--cov-report=")
    steps = each([*folders(*SEPARATE), "tests/faults"], *measured)
    report = [sys.executable, "-m", "coverage"]
    total = f"--data-file={data / 'total'}"
    script = " && ".join(
        (
            shlex.join([*report, "combine", "--keep", "--quiet", total]) + f" {data}/of-*",
            shlex.join([*report, "report", "--fail-under=100", total]),
        )
    )
    tests = {
        path: ("env", f"COVERAGE_FILE={data}/of-{number}", *step)
        for number, (path, step) in enumerate(steps.items())
    }
    return {**tests, "report": ("sh", "-c", script)}


def parts() -> dict[str, Part]:
    """All parts, by name, in the order in which they run."""
    everything = list(folders(*SEPARATE))
    installs = files("tests/install/test_*.py")
    postgres = each(everything, "--backend=postgres", *DETERMINISTIC)
    citus = each(everything, "--backend=postgres", *DETERMINISTIC, NO_PLANS)
    return {
        "coverage": Part(
            "every test that uses no chance, on both databases; each branch of `model`, "
            "`services`, `store` and `api` must run",
            covered(),
        ),
        "postgres": Part("the same, all of it on PostgreSQL", postgres),
        "replica": Part(
            "the same, and masthead reads from a replica",
            postgres,
            environment={"MASTHEAD_TEST_REPLICA": "yes"},
        ),
        "failover": Part(
            "the same, with synchronous replication; each process loses its primary",
            postgres,
            environment={"MASTHEAD_TEST_FAILOVER": "yes"},
        ),
        "last-release": Part(
            "tests of the last release, on databases that this version has migrated",
            {"tests": (sys.executable, "tools/last_release.py")},
        ),
        "citus": Part(
            "the same on a Citus cluster, which two variables name, without query plans",
            citus,
            needs=("MASTHEAD_TEST_POSTGRES", "MASTHEAD_TEST_CITUS"),
        ),
        "days": Part(
            "the tests of `make check` over midnight of days to come; needs a C compiler",
            {day: (*ON_DAY, day, *PYTEST, "-m", "not slow") for day in DAYS},
        ),
        "chance": Part(
            "random input, with 2,000 examples",
            each(everything, "-m", "fuzz", "--backend=both", "--hypothesis-profile=long"),
        ),
        "faults": Part(
            "faults of all that masthead depends on, and kills, in 40 rounds; see below",
            each(
                [
                    *files("tests/faults/**/test_*.py"),
                    *files("tests/crash/test_*.py"),
                    *marked("faults", "crash"),
                ],
                *("-m", "faults or crash", "--backend=both", "--numprocesses=0"),
                *("-p", "tests.support.reliability", f"--reliability={PAGE}"),
            ),
            environment={"MASTHEAD_TEST_ROUNDS": "40"},
        ),
        "races": Part(
            "writers that meet, in 200 rounds",
            each(
                files("tests/races/test_*.py") + marked("races"),
                *("-m", "races", "--backend=both"),
            ),
            environment={"MASTHEAD_TEST_ROUNDS": "200"},
        ),
        "image": Part(
            "the container image: the steps of the Dockerfile, and containers of an ordinary user",
            each([file for file in installs if file.endswith(IMAGE)], "--numprocesses=0"),
        ),
        "install": Part(
            "installations, upgrades, distributions and the blocks of the guides",
            each([file for file in installs if not file.endswith(IMAGE)]),
        ),
        "browser": Part("every page in Chromium", each(files("tests/web/browser/**/test_*.py"))),
        "bench": Part("the benchmarks on very little data", each(files("tests/bench/test_*.py"))),
    }


def git(*words: str) -> bytes:
    """What a command of git prints."""
    command = ("git", *words)
    return subprocess.run(command, check=True, capture_output=True, cwd=ROOT).stdout


def tree(command: tuple[str, ...] = ()) -> str:
    """A hash of all files that git knows, as they are now, without the page.

    command: of a step; without the tests that it neither runs nor imports. If it names no tests,
    all files count.
    """
    used = used_tests(command)
    left_out = [
        path
        for path in git("ls-files", "-z", "tests").decode().split("\0")[:-1]
        if used and fnmatch.fnmatch(path, TESTS) and path not in used
    ]
    digest = hashlib.sha256()
    for words in ("ls-files --stage", "diff HEAD", "status --porcelain"):
        digest.update(git(*words.split(), *ALL_BUT_PAGE, *(f":!{path}" for path in left_out)))
    return digest.hexdigest()


def used_tests(command: Iterable[str]) -> set[str]:
    """The files of tests that a command names, by path or folder, and those that they import."""
    used = set[str]()
    named = [ROOT / word for word in command if word.startswith("tests/")]
    waiting = [
        file for path in named for file in ([path] if path.is_file() else path.rglob("*.py"))
    ]
    while waiting:
        file = waiting.pop()
        path = str(file.relative_to(ROOT))
        if path not in used:
            used.add(path)
            modules = IMPORTED.findall(file.read_text(encoding="utf-8"))
            waiting += [ROOT / f"{module.replace('.', '/')}.py" for module in modules]
    return used


def commit() -> str:
    """The commit of the files, with a plus if any but the page have changed since."""
    plus = "+" if git("status", "--porcelain", *ALL_BUT_PAGE) else ""
    return git("rev-parse", "--short=8", "HEAD").decode().strip() + plus


def run(name: str, part: Part) -> bool:
    """Run the steps that have not passed yet, and write the row; returns whether all passed."""
    file = STATE / f"{name}.json"
    outcome = Outcome(**json.loads(file.read_text())) if file.exists() else Outcome()
    for step in [*outcome.seconds]:
        if step not in part.steps or outcome.trees[step] != tree(part.steps[step]):
            del outcome.seconds[step], outcome.trees[step]
    outcome.failed = []
    for step, command in part.steps.items():
        if step in outcome.seconds:
            continue
        print(f"\n=== {name}: {step}", flush=True)
        outcome.commit, files = commit(), tree(command)
        began = time.monotonic()
        status = subprocess.run(
            command, cwd=ROOT, env={**os.environ, **part.environment}
        ).returncode
        if status in (0, 5):  # pytest ends with 5 if it finds no test with these markers
            outcome.seconds[step], outcome.trees[step] = time.monotonic() - began, files
        else:
            outcome.failed.append(step)
        file.write_text(json.dumps(vars(outcome)))
        put_row("campaign", HEAD, outcome.row(name, part), parts())
    return not outcome.failed


def main() -> int:
    """Run the parts that the command line names, or all; returns the exit code."""
    known = parts()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(known))
    chosen = parser.parse_args().parts or list(known)
    if unknown := [name for name in chosen if name not in known]:
        parser.error(f"no part is called {unknown[0]!r}; there are {', '.join(known)}")
    (STATE / "coverage").mkdir(parents=True, exist_ok=True)
    failed = []
    for name in chosen:
        missing = [needed for needed in known[name].needs if not os.environ.get(needed)]
        if missing:
            print(f"\n=== {name} is left out: {missing[0]} is not set", flush=True)
        elif not run(name, known[name]):
            failed.append(name)
    print(f"\n=== Failed: {', '.join(failed)}" if failed else "\n=== All passed", flush=True)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
