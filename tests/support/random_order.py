"""A pytest plugin that runs the tests in a random order, which `--order-seed` repeats.

Files come in a random order, and so do the tests in a file. The tests of a file on one database
stay together, because its server and the fixtures of the file would be set up again for each.
`make flaky` loads this plugin.
"""

import random
from itertools import groupby

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the seed."""
    parser.addoption("--order-seed", type=int, required=True, help="seed of the random order")


def pytest_report_header(config: pytest.Config) -> str:
    """Name the seed."""
    return f"random order: --order-seed={config.getoption('--order-seed')}"


@pytest.hookimpl(trylast=True)  # after pytest, which groups the tests by their databases
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle the files of each database, and the tests in each file."""
    chance = random.Random(config.getoption("--order-seed"))
    shuffled: list[pytest.Item] = []
    for database in ("", "sqlite", "postgres"):
        chosen = [item for item in items if _database(item) == database]
        chosen.sort(key=lambda item: item.path)
        files = [list(found) for _, found in groupby(chosen, key=lambda item: item.path)]
        chance.shuffle(files)
        for file in files:
            chance.shuffle(file)
            shuffled += file
    items[:] = shuffled


def _database(item: pytest.Item) -> str:
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    return str(parameters.get("backend", ""))
