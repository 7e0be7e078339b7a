"""The list of tests that run on PostgreSQL too: it names existing tests, the cheapest ones."""

import re
from pathlib import Path

from tests.conftest import NAMED, always_on_both
from tools.postgres_tests import choose

ROOT = Path(__file__).parents[1]
UPDATE = "run `make postgres-tests`"


def test_each_test_of_the_list_exists_and_would_not_run_there_anyway() -> None:
    names = NAMED.read_text(encoding="utf-8").splitlines()
    assert len(names) > 50
    for name in names:
        path, _, function = name.partition("::")
        text = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^(async )?def {function}\(", text, re.MULTILINE), f"{name}: {UPDATE}"
        assert not always_on_both(Path(path)), f"{name}: {UPDATE}"


def test_the_cheapest_tests_that_run_every_statement_are_chosen() -> None:
    store, slow, quick, rest = (
        "tests/store/test_it.py::test_it",
        "tests/api/test_it.py::test_slow",
        "tests/api/test_it.py::test_quick",
        "tests/cli/test_it.py::test_it",
    )
    statements = {store: {"a"}, slow: {"a", "b", "c"}, quick: {"b", "c"}, rest: {"c", "d"}}
    seconds = {store: 1.0, slow: 1.0, quick: 0.1, rest: 5.0}
    assert choose(seconds, statements) == [quick, rest]
