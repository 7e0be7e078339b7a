"""A simulated year, with very few subscribers; the tests ignore its seconds and bytes."""

import json
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bench.options import ROOT
from bench.year.publisher import ISSUES, Publisher
from tests.support.postgres import PLACE

SUBSCRIBERS, MONTHS = 500, 2
NEW = 8  # subscribers a month, a fifth of a twelfth


@pytest.mark.slow
@pytest.mark.timeout(960)
def test_two_months_are_simulated_and_reported(backend: str, tmp_path: Path) -> None:
    page = tmp_path / "growth.md"
    with TemporaryDirectory(dir=PLACE) as folder:
        Path(folder).chmod(0o755)  # PostgreSQL runs as another user if we are root
        words = [sys.executable, "-m", "bench.year", "--databases", backend, "--folder", folder]
        words += ["--subscribers", str(SUBSCRIBERS), "--months", str(MONTHS)]
        words += ["--results", str(tmp_path), "--page", str(page)]
        subprocess.run(words, cwd=ROOT, check=True, timeout=900)
    found = json.loads((tmp_path / f"{backend}.json").read_text())
    before, after = found["before"], found["after"]
    assert [month["number"] for month in found["months"]] == [*range(MONTHS + 1)]
    assert "check" in found["months"][-1]["seconds"]  # it found no fault
    assert before["subscription"]["rows"] == SUBSCRIBERS
    assert after["subscription"]["rows"] == SUBSCRIBERS + MONTHS * NEW
    assert after["issue"]["rows"] == ISSUES + MONTHS
    assert after["dispatch"]["rows"] == MONTHS
    assert after["dispatch_line"]["rows"] > SUBSCRIBERS
    assert after["claim"]["rows"] == MONTHS  # one copy in 500
    assert after["letter_batch"]["rows"] == MONTHS
    assert after["renewal_letter"]["rows"] > MONTHS
    assert "send letters" in found["months"][-1]["seconds"]
    assert after["period"]["rows"] > after["subscription"]["rows"]  # some were renewed
    text = page.read_text()
    for plot in page.with_suffix("").glob("*.svg"):
        assert f"({page.stem}/{plot.name})" in text


def test_a_twelfth_of_the_subscriptions_ends_each_month_and_most_are_renewed() -> None:
    publisher = Publisher(1200, date(2025, 11, 1))
    known = {row["order_id"]: row for row in publisher.known_orders()}
    last_issues = Counter(
        int(row["start_issue"]) + ISSUES - 1 for row in known.values() if "start_issue" in row
    )
    assert sum(last_issues.values()) == len(known) * 19 / 20
    assert set(last_issues) == set(range(ISSUES, 2 * ISSUES))
    renewed = [row["renews"] for month in range(1, 13) for row in publisher.renewals(month)]
    assert len(set(renewed)) == len(renewed)
    assert 0.7 < len(renewed) / len(known) < 0.9
    for order in renewed:
        assert order in known


def test_the_year_begins_with_its_first_day() -> None:
    publisher = Publisher(1, date(2025, 11, 1))
    assert publisher.month(1) == date(2025, 11, 1)
    assert publisher.month(3) == date(2026, 1, 1)
    assert publisher.month(0) == date(2025, 10, 1)
    assert publisher.month(-11) == date(2024, 11, 1)
    assert publisher.release(ISSUES) == date(2025, 10, 20)
