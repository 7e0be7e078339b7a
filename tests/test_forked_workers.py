"""Tests that are collected once and run in several processes."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.forked_workers import Parts
from tests.support.serving import ROOT

CONFTEST = """
import os, pathlib, pytest
from tests.support.forked_workers import ForkedWorkers

def pytest_configure(config):
    config.pluginmanager.register(ForkedWorkers(2), "forked-workers")

@pytest.fixture(scope="session", autouse=True)
def session():
    yield
    with open("ended", "a") as ended:
        ended.write(f"{os.getpid()}\\n")
"""
TESTS = """
import os, pytest

@pytest.mark.parametrize("number", range(9))
def test_passes(number, tmp_path):
    with open("ran", "a") as ran:
        ran.write(f"{number} {os.getpid()} {tmp_path}\\n")

def test_fails():
    print("what it printed")
    assert 1 == 2

def test_ends_its_process():
    os._exit(3)

def test_skipped():
    pytest.skip("not today")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with tests that have run in two processes."""
    folder = tmp_path_factory.mktemp("tests")
    (folder / "output").write_text(run(folder))
    return folder


def run(folder: Path, *options: str) -> str:
    """What pytest prints about the tests, which it runs in a folder."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_all.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "--rootdir=.", f"--override-ini=pythonpath={ROOT}", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return f"{done.stdout}\n{done.stderr}\nexit code {done.returncode}\n"


def test_each_test_runs_once_in_one_of_the_processes(folder: Path) -> None:
    ran = [line.split() for line in (folder / "ran").read_text().splitlines()]
    assert sorted(number for number, _, _ in ran) == [str(number) for number in range(9)]
    assert len({path for _, _, path in ran}) == 9


def test_all_outcomes_are_reported(folder: Path) -> None:
    output = (folder / "output").read_text()
    assert "2 failed, 9 passed, 1 skipped" in output
    assert "what it printed" in output
    assert "exit code 1\n" in output


def test_a_test_that_ends_its_process_has_failed_and_another_process_goes_on(folder: Path) -> None:
    output = (folder / "output").read_text()
    assert "The process has ended in this test, with exit code 3." in output


def test_the_fixtures_of_each_process_end_with_it(folder: Path) -> None:
    ran = {line.split()[1] for line in (folder / "ran").read_text().splitlines()}
    ended = (folder / "ended").read_text().split()
    assert len(ended) == len(set(ended))
    assert len(ran - set(ended)) <= 1  # that of the process that has ended itself


def test_after_the_first_failure_no_other_test_begins(tmp_path: Path) -> None:
    output = run(tmp_path, "--maxfail=1", "-k", "fails or passes")
    assert "stopping after 1 failures" in output
    assert "exit code 1\n" in output


def test_a_process_without_tests_takes_over_half_of_the_largest_part() -> None:
    parts = Parts(8, 2)
    assert [parts.take(0) for _ in range(4)] == [0, 1, 2, 3]
    assert [parts.take(0) for _ in range(2)] == [6, 7]
    assert [parts.take(1) for _ in range(3)] == [4, 5, None]
    assert parts.take(0) is None


def test_parts_that_are_cleared_have_no_tests() -> None:
    parts = Parts(8, 2)
    assert parts.take(1) == 4
    parts.clear()
    assert (parts.take(0), parts.take(1)) == (None, None)
