"""A pytest plugin that writes the results of the fault tests into docs/reliability.md.

The part `faults` of `make campaign` loads it, once for each file of tests. A run replaces the
sections of its own tests and leaves the others. A test adds what it measured with
`record_property("client", …)` and `record_property("recovery", …)`: what a client sees, and how the
service recovers.
"""

import re
from pathlib import Path
from typing import Any

import pytest

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
HEAD = ("| Test | Database | Client | Recovery | Result |", "|---|---|---|---|---|")
MARKERS = ("faults", "crash")


class Campaign:
    """The outcome of every fault test of this run."""

    def __init__(self, page: Path) -> None:
        self._page = page
        self._rows: dict[str, list[str]] = {}
        self._results: dict[str, pytest.TestReport] = {}  # of tests that run, by their id

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the result of a test, or of a setup that failed or was skipped."""
        if report.when == "call" or (report.when == "setup" and not report.passed):
            self._results[report.nodeid] = report
        if report.when == "teardown" and report.nodeid in self._results:  # fixtures add notes
            notes = {name: str(value) for name, value in report.user_properties}
            if group := notes.get("group"):
                row = _row(self._results.pop(report.nodeid), notes)
                self._rows.setdefault(group, []).append(row)

    def pytest_sessionfinish(self) -> None:
        """Write the page."""
        text = self._page.read_text(encoding="utf-8")
        before, _, rest = text.partition(BEGIN)
        written, _, after = rest.partition(END)
        report = _report(written, self._rows)
        self._page.write_text(f"{before}{BEGIN}\n\n{report}\n{END}{after}", encoding="utf-8")


def _report(written: str, rows: dict[str, list[str]]) -> str:
    """The sections of the page, in which those with new rows are new."""
    sections = {}
    for section in written.split("### ")[1:]:
        heading, _, table = section.partition("\n")
        sections[heading] = table.strip()
    for group, found in rows.items():
        sections[group] = "\n".join([*HEAD, *sorted(found)])
    return "\n\n".join(f"### {group}\n\n{sections[group]}" for group in sorted(sections))


def _row(report: pytest.TestReport, notes: dict[str, str]) -> str:
    result = "passed" if report.passed else "**failed**" if report.failed else "skipped"
    result += f", {report.duration:.0f} s" if report.passed else ""
    cells = [_sentence(report.nodeid), _database(report.nodeid)]
    return f"| {' | '.join([*cells, notes.get('client', ''), notes.get('recovery', ''), result])} |"


def _sentence(node: str) -> str:
    name, _, parameters = node.rpartition("::")[2].partition("[")
    extra = re.sub(r"\b(sqlite|postgres)\b-?", "", parameters.rstrip("]")).strip("-")
    words = name.removeprefix("test_").replace("_", " ").capitalize()
    return f"{words} ({extra})" if extra else words


def _database(node: str) -> str:
    backend = re.search(r"\[.*\b(sqlite|postgres)\b", node)
    return {"sqlite": "SQLite", "postgres": "PostgreSQL"}[backend[1]] if backend else ""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the path of the page."""
    parser.addoption("--reliability", type=Path, required=True, help="page to write results into")


def pytest_configure(config: pytest.Config) -> None:
    """Collect results in this process."""
    config.pluginmanager.register(Campaign(config.getoption("--reliability")), "reliability")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Record for each fault test the section of the page that it belongs to."""
    for item in items:
        if any(item.get_closest_marker(name) for name in MARKERS):
            module: Any = getattr(item, "module", None)
            heading = (module.__doc__ or item.nodeid).strip().partition("\n")[0].rstrip(".")
            item.user_properties.append(("group", heading))
