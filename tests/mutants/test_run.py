"""Mutants of a small project: what a test notices is killed, and the rest is listed.

Slow because it starts pytest again for each set of tests, and for some mutants.
"""

import json
import os
import shutil
import textwrap
from pathlib import Path

import pytest

from tools.mutants.plan import Plan, read_records, read_results, run_pytest
from tools.mutants.report import read_outcomes, report
from tools.mutants.sample import Mutant, choose, list_mutants, write_sample

pytestmark = pytest.mark.slow

CODE = """
    import asyncio
    import subprocess
    import sys
    from functools import wraps

    SELECT = "SELECT a FROM t WHERE a < 2"
    QUERY = SELECT + " LIMIT 1"

    def twice(function):
        @wraps(function)
        def call(number):
            return function(function(number)) + 1
        return call

    def discount(amount):
        return 10 if amount >= 100 else 0

    @twice
    def add(number):
        return number + 1

    def loop(number):
        while number < 3:
            number += 1
        return number

    async def wait():
        await asyncio.sleep(0)
        return await asyncio.to_thread(discount, 500)

    def query():
        return QUERY

    def inner(a):
        return a * 2

    def inner_alone(a):
        return a * 3

    def outer():
        program = "from shop.prices import inner; print(inner(4))"
        return int(subprocess.check_output([sys.executable, "-c", program]))

    def outer_alone():
        return int(subprocess.check_output([sys.executable, "-m", "shop.prices"], env={}))

    def limit():
        return 3

    LIMIT = limit()

    def unused(a):
        return a - 1

    if __name__ == "__main__":
        print(inner_alone(4))
"""
TESTS = """
    import asyncio
    import pytest
    from shop import prices

    def test_discount():
        assert prices.discount(150) == 10
        assert prices.discount(5) == 0

    def test_add():
        assert prices.add(1) == 4

    def test_loop():
        assert prices.loop(0) == 3

    def test_wait():
        assert asyncio.run(prices.wait()) == 10

    def test_query():
        assert prices.query().endswith("a < 2 LIMIT 1")

    def test_limit():
        assert prices.LIMIT == 3

    def test_outer_alone():
        assert prices.outer_alone() == 12

    @pytest.mark.slow
    def test_outer():
        assert prices.outer() == 8

    def test_failing():
        assert prices.unused(1) == 1
"""


PYTEST = """
    [pytest]
    markers = slow: takes long
    asyncio_default_fixture_loop_scope = function
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small project."""
    root = tmp_path_factory.mktemp("project")
    files = {
        "pytest.ini": PYTEST,
        "shop/__init__.py": "",
        "shop/prices.py": CODE,
        "tests/test_prices.py": TESTS,
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip())
    return root


def run(
    root: Path, sample: list[Mutant], name: str, wanted: list[int], skip_tests: list[str]
) -> Plan:
    """Test mutants with the quick tests, or with all others."""
    folder = root / "mutants"
    folder.mkdir(exist_ok=True)
    plan = Plan(str(folder), name, str(root), 2, wanted, skip_tests, patience=2.0)
    write_sample(plan.sample, sample)
    run_pytest(plan, ["-m", "not slow"] if name == "quick" else [], os.environ)
    return plan


@pytest.fixture(scope="module")
def sample(root: Path) -> list[Mutant]:
    """Some mutants of the project."""
    wanted = """
        discount:comparison:1 discount:comparison:2 add:arithmetic:1 loop:arithmetic:1
        wait:return:1 twice.<locals>.call:arithmetic:1 SELECT:sql:1 inner:arithmetic:1
        inner_alone:arithmetic:1 unused:arithmetic:1 limit:constant:1
    """.split()
    found = {each.id: each for each in list_mutants(root, "shop")}
    return [found[f"shop.prices:{name}"] for name in wanted]


@pytest.fixture(scope="module")
def plans(root: Path, sample: list[Mutant]) -> list[Plan]:
    """The quick tests, then the others, of the whole sample."""
    quick = run(root, sample, "quick", list(range(len(sample))), [])
    results = read_results(quick.results)
    survivors = [number for number, each in enumerate(sample) if not results[each.id].how]
    return [quick, run(root, sample, "whole", survivors, quick.collected.read_text().splitlines())]


def test_mutants_that_a_test_notices_are_killed_and_the_others_survive(plans: list[Plan]) -> None:
    results = read_results(plans[0].results)
    killed = {
        name.removeprefix("shop.prices:"): each.test or each.how for name, each in results.items()
    }
    test = "tests/test_prices.py::test_"
    assert killed == {
        "discount:comparison:1": "",  # no test has the boundary
        "discount:comparison:2": f"{test}discount",
        "add:arithmetic:1": f"{test}add",
        "loop:arithmetic:1": f"{test}loop",  # endless
        "wait:return:1": f"{test}wait",
        "twice.<locals>.call:arithmetic:1": f"{test}add",
        "SELECT:sql:1": f"{test}query",
        "limit:constant:1": f"{test}limit",  # it runs at import
        "inner_alone:arithmetic:1": f"{test}outer_alone",  # in a process with its own environment
        "inner:arithmetic:1": "",
        "unused:arithmetic:1": "",  # its test fails without the mutant too
    }


def test_the_other_tests_run_for_survivors_and_in_processes_that_they_start(
    plans: list[Plan],
) -> None:
    assert list(read_records(plans[1].records)) == ["tests/test_prices.py::test_outer"]
    result = read_results(plans[1].results)["shop.prices:inner:arithmetic:1"]
    assert result.test == "tests/test_prices.py::test_outer"


def test_survivors_are_listed_until_they_have_a_reason(
    plans: list[Plan], root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcomes = read_outcomes(root, Path(plans[0].folder))
    reasons = tmp_path / "reasons.toml"
    assert report(root, outcomes, reasons) == 1
    shown = capsys.readouterr().out
    assert "survivor: shop.prices:discount:comparison:1" in shown
    assert "+    return 10 if amount > 100 else 0" in shown
    assert "slow tests kill: shop.prices:inner:arithmetic:1" in shown
    assert "The quick tests kill 88.9% of what all tests kill" in shown
    assert "add:arithmetic" not in shown
    reasons.write_text(
        '[[mutant]]\nid = "shop.prices:discount:comparison:1"\n'
        'line = "return 10 if amount > 100 else 0"\nreason = "The boundary is not decided."\n'
    )
    report(root, outcomes, reasons)
    assert "discount:comparison:1" not in capsys.readouterr().out


def test_a_second_run_repeats_only_mutants_whose_tests_have_changed(
    plans: list[Plan], root: Path, sample: list[Mutant], tmp_path: Path
) -> None:
    lines = plans[0].results.read_text().splitlines()
    copy = shutil.copytree(root, tmp_path / "copy")
    (copy / "tests/test_boundary.py").write_text(
        "from shop import prices\n\ndef test_boundary():\n    assert prices.discount(100)\n"
    )
    again = run(copy, sample, "quick", list(range(len(sample))), [])
    [added] = again.results.read_text().splitlines()[len(lines) :]
    result = json.loads(added)
    assert result["mutant"] == "shop.prices:discount:comparison:1"
    assert result["test"] == "tests/test_boundary.py::test_boundary"


def test_the_sample_depends_on_the_seed_and_takes_each_function_once(root: Path) -> None:
    mutants = list(list_mutants(root, "shop"))
    first, again, other = (choose(root, mutants, 6, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert len({each.edit.function for each in first}) == 6
    assert len(choose(root, mutants, 1000, 1)) > 20
