"""docs/performance.md and its plots, generated from the stored results."""

from collections.abc import Callable
from pathlib import Path
from textwrap import fill

from bench.options import PARTS, ROOT
from bench.report import compared_tables, tables
from bench.report.plots import Bar, bars, lines
from bench.report.targets import LIST, NAMES, Found, p50
from bench.results import Result, load

INTRODUCTION = """\
# Performance

`make bench` and `make bench-full` generate this page from the figures in `bench/results`.
Each part is measured in one run on one machine, and the servers that are compared take turns.
Look at the ratios rather than the rates: they are much the same on other machines. Figures are
medians of several rounds, with the lowest and the highest value in brackets.
"""

METHOD = """\
## How it is measured

- **Data** is imported with `masthead import`: one account, some sixty countries of which a few
  have most subscribers, one tenth gifts, one twentieth memberships, 24 issues per subscription.
  There are countries with five subscriptions and sources with twenty at any size.
- **Servers** run on one core and wrk on the other, with 16 connections. PostgreSQL shares the core
  of the servers. The measurements with two workers, and of reads during a write, use both cores
  for everything.
- **The bare server** is the limit: granian and an application of ten lines that returns the same
  bytes from memory. **Our own overhead** is the CPU of masthead's middleware, router and
  authentication: that of its requests with handlers that respond from memory, less that of the
  bare server's.
- **pgbench** runs the statements of our list as captured in the server's log: the same values,
  prepared, over as many connections, on the same core as PostgreSQL. **The loop of asyncpg** runs
  them in one process of Python and does nothing else: the least that a round trip costs there.
- **Bare SQL** is the captured statements of masthead's writes, run again by one thread directly
  through the driver, on a copy of the database: the same statements, values, transactions, cache
  and durability, without reads and rules. A bulk write may take 1.5 times as long, with the start
  and the end of a command, but without the work of a client. Its CPU is that of the process that
  measures, of the process that reads a large file, and of PostgreSQL.
- **Other frameworks** are in `bench/peers`: FastAPI with SQLAlchemy's async ORM, and Django REST
  Framework, with the same tables, the same server (granian; ASGI and WSGI) and the same JSON,
  which is compared before the measurement. What they read from the database is counted with the
  same requests: their queries, the rows of these, and the tables that a plan scans as a whole:
  only small ones, such as sources and issues. Their SQLite has its own statistics.
- **Another version** of masthead, such as the last release, runs from a git worktree with the
  packages of this one, and has a database of its own that it created itself.
- **CPU** is the user and system time of all processes of the server, divided by the number of
  requests.
- **Growth and search** are measured with one client that sends one request after the other, so
  that they show the query plans, not the load.

## Run the benchmark

```sh
make bench         # small data, both databases: 15 minutes
make bench-full    # up to ten million copies: 90 minutes, and 60 GB of disk space
.venv/bin/python -m bench --help
.venv/bin/python -m bench --only growth --databases sqlite --sizes 10000 1000000   # one part
.venv/bin/python -m bench --only against --against v0.2.0   # compared with another version
```

Install wrk (`apt-get install wrk`) and PostgreSQL with pgbench from your system's packages. Data
is kept in `MASTHEAD_BENCH_CACHE`, by default in a temporary folder, for the next run. If you run
one part alone, the figures of the other parts stay on this page.
"""


NOTES = ROOT / "bench" / "notes.md"  # written by people: why targets are missed


def write_page(results: Path, page: Path) -> None:
    """Write the page and its plots."""
    found = load(results)
    folder = page.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    sections = [INTRODUCTION, _machine(found), "## Targets\n", tables.target_table(found)]
    if NOTES.exists():
        sections.append(NOTES.read_text())
    for title, about, part, make, plot in SECTIONS:
        measured = [found[part, database] for database in NAMES if (part, database) in found]
        shown = [result for result in measured if result.data["rows"]]
        if not shown:
            continue
        sections += [f"## {title}\n", f"{fill(about, tables.WIDTH)}\n"]
        for result in shown:
            sections.append(f"### {NAMES[result.database]}\n")
            sections.append(make(result))
            if plot:
                name = f"{part}-{result.database}.svg"
                (folder / name).write_text(plot(result))
                sections.append(f"![{title}, {NAMES[result.database]}]({folder.name}/{name})\n")
    remembered = [found["memory", name] for name in NAMES if ("memory", name) in found]
    if remembered:
        sections += ["## Memory\n", tables.memory_table(remembered)]
    page.write_text("\n".join([*sections, METHOD]))


def _machine(found: Found) -> str:
    """The machine, the versions, and when each part was measured."""
    if not found:
        return "Nothing has been measured yet.\n"
    machines: dict[str, None] = {}
    versions: dict[str, str] = {}
    for result in sorted(found.values(), key=lambda result: result.measured):
        about = result.machine
        machines[", ".join(about[name] for name in ("processor", "cores", "memory", "kernel"))] = (
            None
        )
        versions |= result.versions
    told = "; ".join([*machines, ", ".join(f"{name} {value}" for name, value in versions.items())])
    lines = [
        "## Machine\n",
        f"{fill(told, tables.WIDTH)}.\n",
        tables.table(
            [
                *("part", "database", "preset", "rounds", "seconds each"),
                *("measured (UTC)", "commit", "processor"),
            ],
            [
                [
                    result.part,
                    NAMES[result.database],
                    result.preset,
                    str(result.rounds),
                    f"{result.seconds:g}",
                    result.measured,
                    result.commit,
                    result.machine["processor"],
                ]
                for result in sorted(found.values(), key=lambda each: PARTS.index(each.part))
            ],
        ),
    ]
    return "\n".join(lines)


def _limits(result: Result) -> str:
    rows = [
        Bar(row["name"], {"share of the bare server": row["of_bare"]["median"]})
        for row in result.data["rows"]
    ]
    return bars(f"Reads, relative to the bare server ({NAMES[result.database]})", rows)


def _against(result: Result) -> str:
    rows = [
        Bar(
            row["name"],
            {
                "times FastAPI + SQLAlchemy": row["of_fastapi"]["median"],
                "times Django REST Framework": row["of_django"]["median"],
            },
        )
        for row in result.data["rows"]
    ]
    return bars(
        f"masthead compared with other frameworks ({NAMES[result.database]})", rows, unit="×"
    )


GROWN = {
    "subscriptions: all": "subscriptions",
    "subscriptions: all, deep": "subscriptions, deep",
    "copies: all": "copies",
    "copies: all, deep": "copies, deep",
    "copies: Not sent": "copies not sent",
    "copies: rare country": "copies, rare country",
    "copies: issue, common country, Sent": "copies, issue+country+status",
    "subscriptions: rare country": "subscriptions, rare country",
}


def _series(result: Result, names: dict[str, str]) -> dict[str, dict[int, float]]:
    rows = {row["name"]: row for row in result.data["rows"]}
    return {
        shown: {size: p50(rows[name], size) for size in result.data["sizes"]}
        for name, shown in names.items()
        if name in rows
    }


def _growth(result: Result) -> str:
    marked = [row["name"] for row in result.data["rows"] if row["group"] == "write"]
    names = {**GROWN, **{name: name for name in marked}}
    title = f"Growth ({NAMES[result.database]})"
    return lines(title, _series(result, names), x_name="copies", y_name="p50, ms")


def _search(result: Result) -> str:
    names = {row["name"]: row["name"].partition(": ")[2] for row in result.data["rows"]}
    names = {name: shown for name, shown in names.items() if name.startswith("subscribers")}
    title = f"Search for subscribers ({NAMES[result.database]})"
    return lines(title, _series(result, names), x_name="subscribers", y_name="p50, ms")


Section = tuple[str, str, str, Callable[[Result], str], Callable[[Result], str] | None]
SECTIONS: tuple[Section, ...] = (
    (
        "Reads",
        "One worker on one core, the load generator on the other.",
        "endpoints",
        compared_tables.endpoint_table,
        _limits,
    ),
    (
        "Unchanged and compressed lists",
        "One worker on one core, the load generator on the other. Unchanged lists are asked for "
        "with their `ETag` in `If-None-Match`, which gets 304.",
        "unchanged",
        tables.unchanged_table,
        None,
    ),
    (
        "Two workers",
        "Servers, database and load generator share both cores.",
        "workers",
        tables.worker_table,
        None,
    ),
    (
        "Other frameworks",
        "The same endpoints in other frameworks, with the same data and server; see `bench/peers`.",
        "peers",
        compared_tables.peer_table,
        _against,
    ),
    (
        "The version before",
        "The same data, requests and pages in another version of masthead and in this one, in "
        "turn, with the same packages. A slower operation is a finding.",
        "against",
        compared_tables.against_table,
        None,
    ),
    (
        "Writes",
        "One worker. Every write is durable, on SQLite with `synchronous=FULL`.",
        "writes",
        tables.write_table,
        None,
    ),
    (
        "Bulk writes",
        "Complete requests and commands, within one process.",
        "bulk",
        tables.bulk_table,
        None,
    ),
    (
        "Events",
        "The same bulk writes with the events of their changes, and without them.",
        "events",
        tables.event_table,
        None,
    ),
    (
        "Reads during a bulk write",
        f"Consecutive requests of `{LIST}`, with an up-to-date read model, before and during the "
        "write.",
        "beside",
        tables.beside_table,
        None,
    ),
    (
        "Fairness",
        "Consecutive requests of a small account, before and while a large account works. The "
        "requests of the large account itself are the control.",
        "fairness",
        tables.fairness_table,
        None,
    ),
    (
        "Dispatch runs",
        f"Consecutive requests of `{LIST}`, before and while a run is frozen, marked and undone "
        "over the API.",
        "dispatch",
        tables.dispatch_table,
        None,
    ),
    (
        "Moving in and out",
        "Complete commands within one process, each on a new copy of the database. An order has "
        "about five copies.",
        "moving",
        tables.moving_table,
        None,
    ),
    (
        "Pages",
        "Every page of the desk and of the page for subscribers, one after the other, within one "
        "process: the first page of each list, a late one, and some filters and searches. CPU is "
        "that of masthead and of PostgreSQL. Pages keep some counts until the account changes, so "
        "each is also asked after a write. Files are sent while they are read; the memory is that "
        "by which the process grew at most.",
        "pages",
        tables.page_table,
        None,
    ),
    (
        "Growth",
        "One request after the other, with a separate database for each size. One tenth of the "
        "records come after a deep page.",
        "growth",
        lambda result: tables.size_table(result, "copies"),
        _growth,
    ),
    (
        "Search",
        "One request after the other, in accounts whose subscribers have one issue each.",
        "search",
        lambda result: tables.size_table(result, "subscribers"),
        _search,
    ),
    (
        "SQLite versions",
        "The SQLite that masthead includes, compared with Python's own: the same "
        "statements and values on copies of the same data, with alternating runs in separate "
        "processes. For reads, look at the CPU time; the elapsed time of writes mostly depends on "
        "the disk.",
        "engine",
        tables.engine_table,
        None,
    ),
)
