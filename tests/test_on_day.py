"""Run programs on a day to come."""

import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.serving import ROOT
from tools.on_day import DAYS, shift_to

CLOCK = "import sqlite3 as s; print(s.connect(':memory:').execute('SELECT datetime()').fetchone())"


@pytest.mark.parametrize(
    "day, expected",
    [
        ("month-end", "2027-02-28"),
        ("month-start", "2027-03-01"),
        ("year-end", "2027-12-31"),
        ("leap-day", "2028-02-29"),
        ("ten-years-on", "2037-07-31"),
    ],
)
def test_the_clock_shows_the_end_of_the_day(day: str, expected: str) -> None:
    now = datetime(2027, 2, 28, 23, 59, tzinfo=UTC)
    shown = now + timedelta(seconds=shift_to(day, now))
    assert f"{shown:%Y-%m-%d %H:%M}" == f"{expected} 23:58"
    assert set(DAYS) == {"month-end", "month-start", "year-end", "leap-day", "ten-years-on"}


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_a_program_and_what_it_starts_have_the_clock_of_the_day() -> None:
    starts = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CLOCK!r}])"
    done = subprocess.run(
        (sys.executable, "tools/on_day.py", "ten-years-on", sys.executable, "-c", starts),
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    year = datetime.now(UTC).year + 10
    assert done.stdout.startswith(f"('{year}-07-31 23:5")
