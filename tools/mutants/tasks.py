"""What the forked processes do: which tests, with which mutant, and for how long at most."""

import time
from collections import defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

import pytest

from tools.mutants.plan import Plan, digest_of, read_records, read_results
from tools.mutants.sample import Mutant

SHARD = 500  # tests that one process runs without a mutant
SLOWER = 10  # how much slower than without a mutant a test may be
NEAR = 10.0  # seconds for tests of the same feature that do not seem to execute the mutant
NEAR_AT_IMPORT = 60.0  # the same, if its code has run before all tests


@dataclass
class Task:
    """What one forked process does.

    mutant: None if it only notes what tests execute. tests: a digest of those that execute it.
    limits: seconds for each test. longest: seconds for all.
    """

    items: list[pytest.Item]
    mutant: Mutant | None = None
    tests: str = ""
    limits: list[float] = field(default_factory=list)
    longest: float = 7200.0
    at_import: bool = False
    folder: str = ""
    deadline: float = 0.0
    began: float = field(default_factory=time.monotonic)

    @property
    def said(self) -> Path:
        """Where the process writes the test that failed."""
        return Path(self.folder, "failed")

    @property
    def chosen(self) -> Path:
        """Where a new process finds the tests to run."""
        return Path(self.folder, "chosen")


class Tasks:
    """The tasks that are left, from the files of a plan.

    at_import: the numbers of the mutants whose code has run before all tests. items: all tests.
    """

    def __init__(
        self, plan: Plan, sample: Sequence[Mutant], at_import: Set[int], items: list[pytest.Item]
    ) -> None:
        self.plan, self.sample, self.at_import, self.items = plan, sample, at_import, items
        digests = {path: digest_of(path) for path in {item.path for item in items}}
        self.digests = {item.nodeid: digests[item.path] for item in items}
        self.seconds: dict[str, float] = {}

    def list_shards(self) -> list[Task]:
        """The tests whose present version has not run yet, divided."""
        known = {
            name: record.digest
            for name, record in read_records(self.plan.records).items()
            if record.outcome != "failed"  # perhaps the machine was too busy
        }
        new = [item for item in self.items if known.get(item.nodeid) != self.digests[item.nodeid]]
        return [Task(new[start : start + SHARD]) for start in range(0, len(new), SHARD)]

    def list_mutants(self) -> list[Task]:
        """The mutants without a valid result."""
        records = read_records(self.plan.records)
        usable = {
            item.nodeid: item
            for item in self.items
            if item.nodeid in records and records[item.nodeid].outcome == "passed"
        }
        self.seconds = {name: records[name].seconds for name in usable}
        tests_of: dict[int, set[str]] = defaultdict(set)
        for name in usable:
            for number in records[name].reached:
                tests_of[number].add(name)
        results = read_results(self.plan.results)
        tasks = []
        for number in self.plan.wanted:
            mutant, reaching = self.sample[number], tests_of[number]
            tests = digest_of(
                "\n".join(f"{name} {self.digests[name]}" for name in sorted(reaching))
            )
            result = results.get(mutant.id)
            if result and result.is_valid(usable, tests):
                continue
            names = self.choose_tests(number, reaching)
            limits = [self.plan.patience + SLOWER * self.seconds[name] for name in names]
            longest = 3 * self.plan.patience + SLOWER * sum(self.seconds[name] for name in names)
            items = [usable[name] for name in names]
            tasks.append(Task(items, mutant, tests, limits, longest, number in self.at_import))
        return tasks

    def choose_tests(self, number: int, reaching: Set[str]) -> list[str]:
        """The tests that execute a mutant, in a good order, then some others of its feature.

        The latter are for code whose result is kept for all tests, such as a session's fixtures.
        """
        near = {name for name in self.seconds if self.plan.is_near(name, self.sample[number])}

        def rank(name: str) -> tuple[bool, bool, float]:
            needs_server = "postgres" in name.partition("[")[2]
            return needs_server, name not in near, self.seconds[name]

        others = sorted(near - reaching, key=rank)
        ends = accumulate(self.seconds[name] for name in others)
        limit = NEAR_AT_IMPORT if number in self.at_import else NEAR
        added = [name for name, end in zip(others, ends, strict=True) if end < limit]
        return sorted(reaching, key=rank) + added

    def list_controls(self) -> list[Task]:
        """The tests that killed, to run again without a mutant: those that fail prove nothing."""
        killers = {result.test for result in read_results(self.plan.results).values()}
        chosen = [item for item in self.items if item.nodeid in killers]
        return [Task(chosen)] if chosen else []
