"""`make flaky`: what has run is not repeated, and the page shows what came of the 20 runs."""

import sys
from pathlib import Path

import pytest

from tools import campaign, flaky
from tools.flaky import Run

BEGIN, END = "<!-- flaky: begin -->", "<!-- flaky: end -->"


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page and a folder that belong to the test, and files that do not change."""
    page = tmp_path / "reliability.md"
    page.write_text(f"Before\n\n{BEGIN}\n\n{END}\n\nAfter\n")
    monkeypatch.setattr(campaign, "PAGE", page)
    monkeypatch.setattr(flaky, "FOLDER", tmp_path / "runs")
    monkeypatch.setattr(flaky, "tree", lambda: "the files")
    return page


def test_the_runs_go_on_where_they_stopped_and_are_written_into_the_page(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = list[int]()

    def run(number: int, seed: int, log: Path) -> Run:
        ran.append(number)
        kind = "alone" if number % 2 else "beside busy loops"
        return Run(kind, seed, 60.0 * number, ["tests/test_a.py::test_b"] if number == 3 else [])

    monkeypatch.setattr(flaky, "run", run)
    monkeypatch.setattr(sys, "argv", ["flaky", "--runs=2"])
    assert flaky.main() == 0
    assert "|" not in page.read_text()
    monkeypatch.setattr(sys, "argv", ["flaky"])
    assert flaky.main() == flaky.main() == 1
    assert ran == list(range(1, 21))
    shown = page.read_text()
    assert "| alone | 10 | 9 | 19 min | `tests/test_a.py::test_b` (1) |" in shown
    assert "| beside busy loops | 10 | 10 | 20 min | none |" in shown


def test_a_run_says_which_tests_failed(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = "print('FAILED tests/test_a.py::test_b - why'); raise SystemExit(1)"
    monkeypatch.setattr(flaky, "TESTS", (sys.executable, "-c", program))
    done = flaky.run(1, 5, page.with_name("log"))
    assert (done.kind, done.seed, list(done.failed)) == ("alone", 5, ["tests/test_a.py::test_b"])
