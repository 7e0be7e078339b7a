"""What became of the mutants: a table, and each one that no test noticed."""

import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.mutants.plan import Result, read_records, read_results
from tools.mutants.sample import Mutant, read_sample

REASONS = Path(__file__).parent / "reasons.toml"
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


def read_outcomes(folder: Path) -> list[Outcome]:
    """All mutants of a sample. A test that fails without the mutant too has not killed it."""
    found = []
    for name in ("quick", "whole"):
        records = read_records(folder / f"{name}-tests.jsonl")
        results = read_results(folder / f"{name}-mutants.jsonl")
        found.append(
            {
                id: result
                for id, result in results.items()
                if not result.test or records[result.test].outcome == "passed"
            }
        )
    quick, whole = found
    sample = read_sample(folder / "sample.json")
    return [Outcome(each, quick.get(each.id), whole.get(each.id)) for each in sample]


def report(root: Path, outcomes: Sequence[Outcome], reasons: Path) -> int:
    """Write the table and the mutants without a test or a reason; returns the exit code."""
    say = sys.stdout.write
    say(f"\n{'package':<10} mutants  quick tests  slow tests  survived  not run\n")
    packages = list(dict.fromkeys(each.mutant.package for each in outcomes))
    for name in (*packages, "all"):
        of = [each for each in outcomes if name in {each.mutant.package, "all"}]
        quick = sum(each.is_quick for each in of)
        slow = sum(each.is_killed for each in of) - quick
        missing = sum(each.quick is None for each in of)
        survived = len(of) - quick - slow - missing
        say(f"{name:<10} {len(of):7}  {quick:11}  {slow:10}  {survived:8}  {missing:7}\n")
    quick = sum(each.is_quick for each in outcomes)
    killed = sum(each.is_killed for each in outcomes)
    part = quick / killed if killed else 0.0
    hows = [each.quick.how for each in outcomes if each.quick]
    say(
        f"\nThe quick tests kill {part:.1%} of what all tests kill;"
        f" {hows.count('time')} by time, {hows.count('crash')} by a crash.\n"
    )
    left = _list_unexplained(root, outcomes, reasons)
    for each in left:
        say(f"\n{'slow tests kill' if each.is_killed else 'survivor'}: {each.mutant.id}\n")
        say(each.mutant.diff((root / each.mutant.path).read_text()) + "\n")
    is_good = part >= REQUIRED and all(each.is_killed for each in left)
    return 0 if is_good else 1


def _list_unexplained(root: Path, outcomes: Sequence[Outcome], file: Path) -> list[Outcome]:
    """The tested mutants that no quick test noticed and that have no reason.

    A reason counts only for the same change of the same line.
    """
    entries = tomllib.loads(file.read_text()).get("mutant", []) if file.exists() else []
    explained = {(each["id"], each["line"]) for each in entries if each["reason"]}
    return [
        each
        for each in outcomes
        if each.quick
        and not each.is_quick
        and (each.mutant.id, each.mutant.line((root / each.mutant.path).read_text()))
        not in explained
    ]
