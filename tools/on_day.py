"""Run a program while its clock shows a day to come: `python tools/on_day.py year-end pytest`.

No test may depend on the day on which it runs. A small library, loaded before that of C, shifts the
clock of the program and of all that it starts. This needs Linux and a C compiler.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

SOURCE = Path(__file__).with_name("clock_shift.c")
BEFORE_MIDNIGHT = timedelta(minutes=2)  # the tests run over the end of the day


def leap_day(today: date) -> date:
    """The next 29 February."""
    day = today + timedelta(days=1)
    while (day.month, day.day) != (2, 29):
        day += timedelta(days=1)
    return day


def first_of_next_month(today: date) -> date:
    """The first day of the next month."""
    return (today.replace(day=1) + timedelta(days=32)).replace(day=1)


DAYS: Mapping[str, Callable[[date], date]] = {
    "month-end": lambda today: first_of_next_month(today) - timedelta(days=1),
    "month-start": first_of_next_month,
    "year-end": lambda today: date(today.year, 12, 31),
    "leap-day": leap_day,
    "ten-years-on": lambda today: date(today.year + 10, 7, 31),
}


def clock_variables() -> dict[str, str]:
    """The variables of this clock, for programs that get no others of this process."""
    return {name: os.environ[name] for name in ("LD_PRELOAD", "CLOCK_SHIFT") if name in os.environ}


def shift_to(day: str, now: datetime) -> int:
    """The seconds by which the clock is shifted, until shortly before the end of the day."""
    end = datetime.combine(DAYS[day](now.date()) + timedelta(days=1), time(), UTC)
    return int((end - BEFORE_MIDNIGHT - now).total_seconds())


def main(day: str, *command: str) -> int:
    """Run the command on the day; returns its exit code."""
    compiler = shutil.which("cc")
    if not compiler:
        sys.exit("This needs a C compiler: apt-get install gcc libc6-dev.")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # PostgreSQL runs as another user
        library = Path(folder) / "clock_shift.so"
        subprocess.run((compiler, "-shared", "-fPIC", "-O2", "-o", library, SOURCE), check=True)
        present = int(os.environ.get("CLOCK_SHIFT", "0"))
        shift = present + shift_to(day, datetime.now(UTC))
        changed = {"LD_PRELOAD": str(library), "CLOCK_SHIFT": str(shift)}
        return subprocess.run(command, env={**os.environ, **changed}).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
