"""`make flaky`: what has run is not repeated, and the page shows what came of the 20 runs."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools import flaky, reliability_page
from tools.flaky import Run

BEGIN, END = "<!-- flaky: begin -->", "<!-- flaky: end -->"


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page and a folder that belong to the test, and files that do not change."""
    page = tmp_path / "reliability.md"
    page.write_text(f"Before\n\n{BEGIN}\n\n{END}\n\nAfter\n")
    monkeypatch.setattr(reliability_page, "PAGE", page)
    monkeypatch.setattr(flaky, "FOLDER", tmp_path / "runs")
    monkeypatch.setattr(flaky, "tree", lambda: "the files")
    return page


def test_each_run_is_done_once_and_written_into_the_page(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = list[int]()

    def run(number: int, log: Path) -> Run:
        ran.append(number)
        kind = "alone" if number % 2 else "beside busy loops"
        return Run(kind, 60.0 * number, ["tests/test_a.py::test_b"] if number == 3 else [])

    monkeypatch.setattr(flaky, "run", run)
    monkeypatch.setattr(sys, "argv", ["flaky", "2", "1"])
    assert flaky.main() == 0
    assert ran == [2, 1]
    monkeypatch.setattr(sys, "argv", ["flaky"])
    assert flaky.main() == flaky.main() == 1
    assert ran == [2, 1, *range(3, 21)]
    rows = [line.split(" | ") for line in page.read_text().splitlines() if line[:2] == "| "]
    assert [first for first, *_rest in rows] == ["| Run", *[f"| {each}" for each in range(1, 21)]]
    assert rows[2][1:4] == ["beside busy loops", "passed", "2 min"]
    assert rows[3][1:4] == ["alone", "**failed**: `tests/test_a.py::test_b`", "3 min"]


def test_a_run_says_which_tests_failed(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = "print('FAILED tests/test_a.py::test_b - why'); raise SystemExit(1)"
    monkeypatch.setattr(flaky, "TESTS", (sys.executable, "-c", program))
    done = flaky.run(1, page.with_name("log"))
    assert (done.kind, list(done.failed)) == ("alone", ["tests/test_a.py::test_b"])


def test_a_busy_loop_ends_with_the_process_that_started_it() -> None:
    program = f"import subprocess, sys; subprocess.Popen((sys.executable, '-c', {flaky.LOOP!r}))"
    command = (sys.executable, "-c", f"{program}.stdout; sys.stdin.read()")
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == b"\n"  # of the loop
        parent.kill()
        assert parent.stdout.read() == b""  # the loop has closed it


def test_an_unknown_run_is_refused(
    page: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["flaky", "21"])
    with pytest.raises(SystemExit):
        flaky.main()
    assert "there is no run 21; there are 1 to 20" in capsys.readouterr().err
