"""What became of the mutants: a table, and each one that no test noticed."""

import sys
import tomllib
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tools.campaign import commit
from tools.mutants.plan import Result, read_records, read_results
from tools.mutants.sample import Mutant, read_sample
from tools.reliability_page import put_between

REASONS = Path(__file__).parent / "reasons.toml"
COLUMNS = ("mutants", "quick tests", "slow tests", "with a reason", "survived", "not run")
REQUIRED = 0.98  # of the mutants that all tests kill, the quick ones kill at least this part


@dataclass(frozen=True)
class Outcome:
    """A mutant with its results. whole: None if the slow tests did not run with it."""

    mutant: Mutant
    quick: Result | None
    whole: Result | None

    @property
    def is_quick(self) -> bool:
        """Whether a quick test noticed it."""
        return bool(self.quick and self.quick.how)

    @property
    def is_killed(self) -> bool:
        """Whether any test noticed it."""
        return self.is_quick or bool(self.whole and self.whole.how)


def read_outcomes(root: Path, folder: Path) -> list[Outcome]:
    """All mutants of a sample, with the results that count.

    A test that fails without the mutant too has not killed it, and a module that has changed since
    may have another result.
    """
    sample = read_sample(folder / "sample.json")
    codes = {each.id: each.digest(root) for each in sample}
    found = []
    for name in ("quick", "whole"):
        records = read_records(folder / f"{name}-tests.jsonl")
        results = read_results(folder / f"{name}-mutants.jsonl")
        found.append(
            {
                id: result
                for id, result in results.items()
                if result.code == codes.get(id)
                and (not result.test or records[result.test].outcome == "passed")
            }
        )
    quick, whole = found
    return [Outcome(each, quick.get(each.id), whole.get(each.id)) for each in sample]


def read_reasons(root: Path, sample: Sequence[Mutant], file: Path = REASONS) -> set[str]:
    """The ids of the mutants that no test has to notice.

    A reason counts only for the same change of the same line.
    """
    entries = tomllib.loads(file.read_text()).get("mutant", []) if file.exists() else []
    lines = {each["id"]: each["line"] for each in entries if each["reason"]}
    return {
        each.id
        for each in sample
        if each.id in lines and each.line((root / each.path).read_text()) == lines[each.id]
    }


def count(outcomes: Sequence[Outcome], explained: Set[str]) -> Iterator[tuple[str, list[int]]]:
    """The rows of the table: the package, and the numbers below `COLUMNS`."""
    packages = list(dict.fromkeys(each.mutant.package for each in outcomes))
    for name in (*packages, "all"):
        of = [each for each in outcomes if name in {each.mutant.package, "all"}]
        quick = sum(each.is_quick for each in of)
        slow = sum(each.is_killed for each in of) - quick
        left = [each for each in of if not each.is_killed]
        reasons = sum(each.mutant.id in explained for each in left)
        missing = sum(each.quick is None and each.mutant.id not in explained for each in left)
        survived = len(left) - reasons - missing
        yield name, [len(of), quick, slow, reasons, survived, missing]


def report(root: Path, outcomes: Sequence[Outcome], reasons: Path = REASONS) -> int:
    """Write the table and the mutants without a test or a reason; returns the exit code."""
    say = sys.stdout.write
    explained = read_reasons(root, [each.mutant for each in outcomes], reasons)
    say(f"\n{'package':<10}  {'  '.join(COLUMNS)}\n")
    for name, numbers in count(outcomes, explained):
        cells = (f"{each:{len(head)}}" for each, head in zip(numbers, COLUMNS, strict=True))
        say(f"{name:<10}  {'  '.join(cells)}\n")
    quick = sum(each.is_quick for each in outcomes)
    killed = sum(each.is_killed for each in outcomes)
    part = quick / killed if killed else 0.0
    hows = [each.quick.how for each in outcomes if each.quick]
    say(
        f"\nThe quick tests kill {part:.1%} of what all tests kill;"
        f" {hows.count('time')} by time, {hows.count('crash')} by a crash.\n"
    )
    left = [
        each
        for each in outcomes
        if each.quick and not each.is_quick and each.mutant.id not in explained
    ]
    for each in left:
        say(f"\n{'slow tests kill' if each.is_killed else 'survivor'}: {each.mutant.id}\n")
        say(each.mutant.diff((root / each.mutant.path).read_text()) + "\n")
    is_good = part >= REQUIRED and all(each.is_killed for each in left)
    return 0 if is_good else 1


def write_table(root: Path, outcomes: Sequence[Outcome]) -> None:
    """Put the table into docs/reliability.md, with the date and the commit."""
    explained = read_reasons(root, [each.mutant for each in outcomes])
    columns = [f"{each[0].upper()}{each[1:]}" for each in ("package", *COLUMNS)]
    lines = [columns, ["---", *["---:"] * len(COLUMNS)]]
    lines += [[name, *map(str, numbers)] for name, numbers in count(outcomes, explained)]
    rows = "\n".join(f"| {' | '.join(each)} |" for each in lines)
    put_between("mutants", f"{rows}\n\nCommit {commit()}, {datetime.now(UTC):%Y-%m-%d}.")
