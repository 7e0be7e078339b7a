"""Write docs/growth.md: what grows over a year, and by how much."""

from collections.abc import Callable
from pathlib import Path
from textwrap import fill

from bench.options import ROOT
from bench.report.plots import history, short
from bench.report.tables import WIDTH, table
from bench.report.targets import NAMES
from bench.year.publisher import ASKED
from bench.year.results import YearResult, load
from bench.year.simulate import CANCELLED, CLAIMED, LISTS, MOVED, Month

NOTES = ROOT / "bench" / "year" / "notes.md"  # written by people: what the figures mean
SMALL = 0.005  # tables that are less of the database are not shown
DAILY = "daily pass", "read model", "trend"
SINGLE = "change of address", "cancel", "claim"
MONTHLY = (
    "import renewals",
    "create issue",
    "import orders",
    "freeze run",
    "export run",
    "mark run",
    "write letters",
    "send letters",
)

INTRODUCTION = """# A year of a publisher

<!-- Written by `python -m bench.year`; the next run overwrites changes. -->

This page shows what a year of work adds to a database, and what becomes slower. The figures come
from a simulation of a publisher with twelve issues a year.
"""
METHOD = f"""## How it is simulated

- The clock of masthead shows the simulated day, so everything happens on its day: a daily pass,
  the read model and the trend every day; every month an import of renewals, a new issue, an import
  of new orders, a dispatch run with its file that is marked as sent, renewal letters by email, and
  claims, whose replacements are in the next run.
- Subscriptions have twelve issues; one in twenty is a membership. Each month, a twelfth of them
  ends. 80 % are renewed, and new subscribers take the place of the others. One in {ASKED} gets a
  letter, since it does not renew by itself.
- Each month, {MOVED:.0%} of the subscribers change their address, {CANCELLED:.1%} cancel, and
  {CLAIMED:.1%} of the copies do not arrive: a request of the API for each.
- The email server is in the process of the worker, and accepts everything.
- One process is the worker: it answers the requests and does the background work. Imports,
  files of runs and `check` are commands in processes of their own.
- The latencies of lists are without a network, of 100 requests one after the other.
- At the end, `masthead check` recounts everything.

```sh
make year                                                   # 500,000 subscribers, both databases
.venv/bin/python -m bench.year --subscribers 20000 --databases sqlite
```
"""


def write_page(results: Path, page: Path) -> None:
    """Write the page and its plots."""
    found = load(results)
    folder = page.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    sections = [INTRODUCTION]
    if NOTES.exists():
        sections.append(NOTES.read_text())
    for result in found:
        sections += _section(result, folder)
    page.write_text("\n".join([*sections, METHOD]))


def _section(result: YearResult, folder: Path) -> list[str]:
    """The figures of one database."""
    name = NAMES[result.database]
    about = ", ".join(result.machine[each] for each in ("processor", "cores", "memory"))
    told = (
        f"{result.subscribers:,} subscribers, {len(result.months) - 1} months, simulated in "
        f"{result.seconds / 60:.0f} minutes; {about}; commit {result.commit}, {result.measured} "
        "(UTC)."
    )
    plots = {
        "disk": history(
            f"Disk ({name})",
            _by_month(result, lambda month: {k: v / 1e6 for k, v in month.disk.items()}),
            x_name="month",
            y_name="MB",
        ),
        "memory": history(
            f"Memory ({name})", _by_month(result, _memory), x_name="month", y_name="MB"
        ),
        "steps": history(
            f"Steps of each month ({name})",
            _by_month(result, lambda month: _only(month.seconds, MONTHLY)),
            x_name="month",
            y_name="seconds",
        ),
        "reads": history(
            f"Lists ({name})",
            _by_month(result, lambda month: month.slow_reads),
            x_name="month",
            y_name="p99, ms",
        ),
    }
    for plot, text in plots.items():
        (folder / f"{plot}-{result.database}.svg").write_text(text)

    def picture(plot: str) -> str:
        return f"![{plot}, {name}]({folder.name}/{plot}-{result.database}.svg)\n"

    return [
        f"## {name}\n",
        f"{fill(told, WIDTH)}\n",
        picture("disk"),
        _table_table(result),
        picture("memory"),
        _peak_table(result),
        picture("steps"),
        _step_table(result),
        picture("reads"),
    ]


def _by_month(
    result: YearResult, figures: Callable[[Month], dict[str, float]]
) -> dict[str, dict[int, float]]:
    """The figures of each month, by name and month."""
    series: dict[str, dict[int, float]] = {}
    for month in result.months:
        for name, value in figures(month).items():
            series.setdefault(name, {})[month.number] = value
    return series


def _only(values: dict[str, float], names: tuple[str, ...]) -> dict[str, float]:
    return {name: values[name] for name in names if name in values}


def _memory(month: Month) -> dict[str, float]:
    """Megabytes of the worker, and of the largest import and export of the month."""
    found = {"worker": month.worker / 1e6}
    shown = {"import orders": "import", "export run": "file of a run"}
    return found | {shown[k]: v / 1e6 for k, v in month.peaks.items() if k in shown}


def _table_table(result: YearResult) -> str:
    """The tables by what a year adds to them."""
    total = sum(each.size for each in result.after.values())
    rows, others = [], 0
    grown = {
        name: each.size - (result.before[name].size if name in result.before else 0)
        for name, each in result.after.items()
    }
    for name in sorted(grown, key=lambda each: -grown[each]):
        after, before = result.after[name], result.before.get(name)
        if after.size < SMALL * total:
            others += grown[name]
            continue
        rows.append(
            [
                f"`{name}`",
                f"{before.rows if before else 0:,}",
                f"{after.rows:,}",
                f"{(before.size if before else 0) / 1e6:,.1f}",
                f"{after.size / 1e6:,.1f}",
                f"{grown[name] / 1e6:,.1f}",
                f"{grown[name] / result.subscribers:,.0f}",
            ]
        )
    started = sum(each.size for each in result.before.values())
    rows.append(["others", "", "", "", "", f"{others / 1e6:,.1f}", ""])
    rows.append(
        [
            "all",
            "",
            "",
            f"{started / 1e6:,.1f}",
            f"{total / 1e6:,.1f}",
            f"{(total - started) / 1e6:,.1f}",
            f"{(total - started) / result.subscribers:,.0f}",
        ]
    )
    head = ["table, with its indexes", "rows before", "rows after", "MB before", "MB after"]
    return table([*head, "MB added", "bytes added per subscriber"], rows)


def _peak_table(result: YearResult) -> str:
    """The peak memory of commands in the first and the last month."""
    first, last = _ends(result)
    names = [*result.months[0].peaks, *first.peaks, *last.peaks]
    rows = [
        [
            f"`{name}`" if name == "check" else name,
            *(
                f"{month.peaks[name] / 1e6:,.0f}" if name in month.peaks else ""
                for month in (result.months[0], first, last)
            ),
        ]
        for name in dict.fromkeys(names)
    ]
    return table(["peak memory in MB", "before", "first month", "last month"], rows)


def _step_table(result: YearResult) -> str:
    """The duration of each step in the first and the last month."""
    first, last = _ends(result)
    rows = []
    for name in (*MONTHLY, *DAILY, *SINGLE):
        if name in first.seconds and name in last.seconds:
            is_often = name in DAILY or name in SINGLE
            took = [(each.median if is_often else each.seconds)[name] for each in (first, last)]
            rows.append([f"{name}, median" if is_often else name, *_compared(took, "s")])
            if name in DAILY:
                took = [each.seconds[name] for each in (first, last)]
                rows.append([f"{name}, slowest day", *_compared(took, "s")])
    for name in LISTS:
        for kind, reads in (("median", "reads"), ("p99", "slow_reads")):
            took = [getattr(each, reads)[name] for each in (first, last)]
            rows.append([f"list: {name}, {kind}", *_compared(took, "ms")])
    if "check" in last.seconds:
        rows.append(["`check`", "", f"{short(last.seconds['check'])} s", ""])
    return table(["step", "first month", "last month", "last / first"], rows)


def _compared(values: list[float], unit: str) -> list[str]:
    if unit == "s" and max(values) < 0.1:
        values, unit = [each * 1e3 for each in values], "ms"
    first, last = values
    return [f"{short(first)} {unit}", f"{short(last)} {unit}", f"{last / first:.2f}"]


def _ends(result: YearResult) -> tuple[Month, Month]:
    return result.months[min(1, len(result.months) - 1)], result.months[-1]
