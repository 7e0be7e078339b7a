"""What the forked processes do: which tests, with which mutant, and for how long at most."""

import json
import mmap
import struct
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

import pytest

from tools.mutants.functions import digest_of, read_numbers
from tools.mutants.plan import Plan, Result, read_records, read_results, unpack
from tools.mutants.sample import Mutant

SHARD = 200  # tests that one process runs without a mutant
SLOWER = 10  # how much slower than without a mutant a test may be
NEAR = 10.0  # seconds for tests of the same feature that do not seem to call the mutant
NEAR_AT_IMPORT = 30.0  # the same, if its code has run before all tests
STARTING = 120.0  # seconds that a new process may take until its first test


@dataclass
class Task:
    """What one forked process does.

    mutant: None if it only notes what tests call. limits: seconds for each test.
    tests: a digest of those that call the mutant. is_complete: whether these are the last ones.
    again: whether a new process is to import the mutant, if a forked one has not noticed it.
    is_new: whether this is that process.
    """

    items: list[pytest.Item]
    mutant: Mutant | None = None
    limits: list[float] = field(default_factory=list)
    tests: str = ""
    is_complete: bool = True
    again: bool = False
    is_new: bool = False
    folder: str = ""
    began: float = 0.0

    @property
    def said(self) -> Path:
        """Where the process writes the test that failed."""
        return Path(self.folder, "failed")

    def write_chosen(self) -> None:
        """Keep the tests and their limits for a new process."""
        names = [item.nodeid for item in self.items]
        Path(self.folder, "chosen").write_text(json.dumps([names, self.limits]))

    def read_chosen(self) -> tuple[list[str], list[float]]:
        """The tests that `write_chosen` kept, and their limits."""
        names, limits = json.loads(Path(self.folder, "chosen").read_text())
        return names, limits


class Alarm:
    """When a process is stopped at the latest. It sets this itself, before each test."""

    def __init__(self, folder: str) -> None:
        with Path(folder, "alarm").open("a+b") as opened:
            opened.truncate(8)
            self._shared = mmap.mmap(opened.fileno(), 8)

    def set(self, seconds: float) -> None:
        """Stop the process in so many seconds."""
        struct.pack_into("d", self._shared, 0, time.monotonic() + seconds)

    def is_over(self) -> bool:
        """Whether the time is over."""
        (moment,) = struct.unpack_from("d", self._shared)
        return time.monotonic() > float(moment)


class Tasks:
    """The tasks that are left, from the files of a plan.

    at_import: one byte for each function, 1 if it was called before all tests. items: all tests.
    """

    def __init__(
        self, plan: Plan, sample: Sequence[Mutant], at_import: bytes, items: list[pytest.Item]
    ) -> None:
        self.plan, self.sample, self.at_import = plan, sample, at_import
        self.items = {item.nodeid: item for item in items}
        digests = {path: digest_of(path) for path in {item.path for item in items}}
        self.digests = {item.nodeid: digests[item.path] for item in items}
        self.numbers = read_numbers(Path(plan.folder))
        self.seconds: dict[str, float] = {}

    def list_shards(self) -> list[Task]:
        """The tests whose present version has not run yet, divided."""
        known = {
            name: record.digest
            for name, record in read_records(self.plan.records).items()
            if record.outcome != "failed"  # perhaps the machine was too busy
        }
        new = [item for name, item in self.items.items() if known.get(name) != self.digests[name]]
        return [Task(new[start : start + SHARD]) for start in range(0, len(new), SHARD)]

    def list_first(self) -> list[Task]:
        """The mutants without a valid result, with the tests that most likely notice them."""
        return self._list_mutants(is_first=True)

    def list_rest(self) -> list[Task]:
        """The mutants that have survived, with all other tests that call them."""
        return self._list_mutants(is_first=False)

    def _list_mutants(self, is_first: bool) -> list[Task]:
        tests_of = self._find_tests()
        results = read_results(self.plan.results)
        tasks = []
        for number in self.plan.wanted:
            mutant, reaching = self.sample[number], tests_of[number]
            tests = digest_of(
                "\n".join(f"{name} {self.digests[name]}" for name in sorted(reaching))
            )
            result = results.get(mutant.id)
            if result and self._is_done(result, mutant, tests, is_first):
                continue
            is_early = any(map(self._is_early, self._numbers_of(mutant)))
            first, rest = self.choose_tests(mutant, reaching, is_early)
            names = first if is_first else rest
            tasks.append(
                Task(
                    [self.items[name] for name in names],
                    mutant,
                    [self.plan.patience + SLOWER * self.seconds[name] for name in names],
                    tests,
                    is_complete=not is_first or not rest,
                    again=is_early or mutant.is_constant,
                )
            )
        return tasks

    def _find_tests(self) -> Mapping[int, Set[str]]:
        """The tests that call each mutant, and pass without it."""
        records = read_records(self.plan.records)
        usable = [
            record
            for name, record in records.items()
            if name in self.items and record.outcome == "passed"
        ]
        self.seconds = {record.test: record.seconds for record in usable}
        functions = {number: self._numbers_of(self.sample[number]) for number in self.plan.wanted}
        of_module: dict[str, list[int]] = defaultdict(list)
        for name, number in self.numbers.items():
            of_module[name.partition(":")[0]].append(number)
        found: dict[int, set[str]] = defaultdict(set)
        for record in usable:
            reached = unpack(record.reached)
            for number, own in functions.items():
                known = [each for each in own if each < len(reached)]
                if own and not known:  # newer than the record: tests of its module may call it
                    module = of_module[self.sample[number].module]
                    known = [each for each in module if each < len(reached)]
                if any(reached[each] for each in known):
                    found[number].add(record.test)
        return found

    def _numbers_of(self, mutant: Mutant) -> list[int]:
        return [self.numbers[name] for name in mutant.users if name in self.numbers]

    def _is_early(self, number: int) -> bool:
        return bool(self.at_import[number])

    def _is_done(self, result: Result, mutant: Mutant, tests: str, is_first: bool) -> bool:
        """Whether the result would be the same today, and is all that is asked for."""
        is_enough = is_first or result.how or result.is_complete
        if not is_enough or result.code != mutant.digest(Path(self.plan.root)):
            return False
        if result.test:
            return result.tests == self.digests.get(result.test) and result.test in self.seconds
        return result.tests == tests

    def choose_tests(
        self, mutant: Mutant, reaching: Set[str], is_early: bool
    ) -> tuple[list[str], list[str]]:
        """The tests that run first, in a good order, and the others.

        The first ones end with some tests of the same feature that do not call the mutant: they are
        for code whose result is kept for all tests, such as in a fixture of a session.
        """
        near = {name for name in self.seconds if self.plan.is_near(name, mutant)}

        def rank(name: str) -> tuple[bool, bool, float]:
            needs_server = "postgres" in name.partition("[")[2]
            return needs_server, name not in near, self.seconds[name]

        ordered = sorted(reaching, key=rank)
        first = self._within(ordered, self.plan.first)
        others = sorted(near - reaching, key=rank)
        added = self._within(others, NEAR_AT_IMPORT if is_early else NEAR)
        return first + added, ordered[len(first) :]

    def _within(self, names: list[str], seconds: float) -> list[str]:
        """The first tests that take so many seconds together; at least one."""
        ends = accumulate(self.seconds[name] for name in names)
        return [
            name
            for number, (name, end) in enumerate(zip(names, ends, strict=True))
            if not number or end <= seconds
        ]

    def list_controls(self) -> list[Task]:
        """The tests that killed, to run again without a mutant: those that fail prove nothing."""
        wanted = {self.sample[number].id for number in self.plan.wanted}
        results = read_results(self.plan.results).values()
        killers = {each.test for each in results if each.mutant in wanted}
        chosen = [item for name, item in self.items.items() if name in killers]
        return [Task(chosen)] if chosen else []
