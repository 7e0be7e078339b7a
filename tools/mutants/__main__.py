"""Find out which changes of the code the tests do not notice.

    python -m tools.mutants                             a sample of 400, or goes on with it
    python -m tools.mutants --count 20 --package model
    python -m tools.mutants --package services/billing tests/model tests/services/billing
    python -m tools.mutants --only ID                   one mutant again, such as after a new test
    python -m tools.mutants --report                    shows the results again, and runs nothing

A mutant is a copy of the code with one change: `<` instead of `<=`, or a statement less. Each one
is tested with the quick tests (`make check`), and if these do not notice it, with the remaining
deterministic ones. All that no test notices are listed, except those with a reason in
tools/mutants/reasons.toml. The exit code is 1 if there are such mutants, or if the quick tests
notice less than 98 % of what all notice.

Results are kept in .mutants/. Another run goes on where the last one ended. It runs a test without
a mutant again if its file has changed, and a mutant if its module or its tests have changed. A run
of the usual sample writes its table into docs/reliability.md.
"""

import argparse
import os
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from tests.support.postgres import PostgresMissing, open_cluster
from tools.mutants.plan import ROOT, Plan, run_pytest
from tools.mutants.report import read_outcomes, read_reasons, report, write_table
from tools.mutants.sample import choose, list_mutants, read_sample, write_sample

PACKAGES = ("model", "services", "store", "api", "web")
SETS = {
    "quick": ["-m", "not (slow or crash or races or faults)"],  # of `make check`, without kills
    "whole": ["-m", "not (crash or races or fuzz or faults)"],
}


def prepare(packages: list[str], count: int, seed: int) -> Path:
    """Choose a sample, the same number of each package; returns the folder of results."""
    sizes = [
        count // len(packages) + (each < count % len(packages)) for each in range(len(packages))
    ]
    sample = [
        mutant
        for package, size in zip(packages, sizes, strict=True)
        for mutant in choose(ROOT, list_mutants(ROOT, f"masthead/{package}"), size, seed)
    ]
    folder = ROOT / ".mutants"
    folder.mkdir(exist_ok=True)
    write_sample(folder / "sample.json", sample)
    return folder


def run(folder: Path, name: str, wanted: list[int], jobs: int, tests: list[str]) -> None:
    """Test mutants with a set of tests; exits if that is not possible."""
    plan = Plan(str(folder), name, str(ROOT), jobs, wanted, [])
    if name == "whole":
        quick = replace(plan, name="quick").collected.read_text().splitlines()
        plan = replace(plan, skip_tests=quick)
    environment = dict(os.environ)
    with ExitStack() as stack:
        try:
            environment["MASTHEAD_TEST_POSTGRES"] = stack.enter_context(open_cluster()).address
        except PostgresMissing as reason:
            sys.stderr.write(f"Tests with PostgreSQL are skipped: {reason}.\n")
        try:
            run_pytest(plan, [*SETS[name], *tests], environment)
        except subprocess.CalledProcessError as reason:
            sys.exit(f"The tests cannot run: pytest ends with {reason.returncode}.")


def main() -> None:
    """Run the mutants, and show what became of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="chooses the sample (default: 1)")
    parser.add_argument("--count", type=int, default=400, help="of mutants (default: 400)")
    parser.add_argument(
        "--package", action="append", help="such as model or services/billing (default: all)"
    )
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="of a mutant")
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 4), help="processes")
    parser.add_argument("--report", action="store_true", help="run nothing")
    parser.add_argument("--quick", action="store_true", help="do not run the slow tests")
    parser.add_argument("tests", nargs="*", help="folders of tests (default: all)")
    options = parser.parse_args()
    packages = options.package or list(PACKAGES)
    if missing := [each for each in packages if not (ROOT / "masthead" / each).is_dir()]:
        parser.error(f"not a package of masthead: {', '.join(missing)}")
    folder = prepare(packages, options.count, options.seed)
    sample = read_sample(folder / "sample.json")
    unknown = set(options.only) - {each.id for each in sample}
    if unknown:
        parser.error(f"not in this sample: {', '.join(sorted(unknown))}")
    explained = read_reasons(ROOT, sample)
    wanted = [
        number
        for number, each in enumerate(sample)
        if each.id in options.only or not (options.only or each.id in explained)
    ]
    if not options.report:
        run(folder, "quick", wanted, options.jobs, options.tests)
        survivors = {each.mutant.id for each in read_outcomes(ROOT, folder) if not each.is_quick}
        late = [number for number in wanted if sample[number].id in survivors]
        if late and not options.quick:
            run(folder, "whole", late, options.jobs, options.tests)
    outcomes = read_outcomes(ROOT, folder)
    is_usual = (packages, options.count, options.seed) == (list(PACKAGES), 400, 1)
    if is_usual and not (options.report or options.only or options.tests):
        write_table(ROOT, outcomes)
    sys.exit(report(ROOT, outcomes))


if __name__ == "__main__":
    main()
