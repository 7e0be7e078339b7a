"""docs/performance.md and its plots, from the results that there are."""

from collections.abc import Callable
from pathlib import Path

from bench.options import PARTS, ROOT
from bench.report import tables
from bench.report.plots import Bar, bars, lines
from bench.report.targets import LIST, NAMES, Found, p50
from bench.results import Result, load

INTRODUCTION = """\
# Performance

What `make bench` and `make bench-full` found, written by them; `bench/results` has the figures.
Everything is measured in one run on one machine, contenders in turn, and what counts are the
ratios of a round: another machine gives other rates and much the same ratios. Figures are medians
of the rounds, with the least and the most in brackets.
"""

METHOD = """\
## How it is measured

- **Data** come through `masthead import`: one publication, some sixty countries of which few have
  most subscribers, a tenth gifts, a twentieth memberships, 24 issues a subscription. Countries
  with five subscriptions and sources with twenty are there at any size.
- **Servers** run on one core, wrk on the other, with 16 connections; PostgreSQL shares the core
  of the servers. Only two workers, and reads beside a write, have both cores, with the load on
  them too.
- **The limit** is masthead's own server, envelope, door and authentication, whose handlers give
  the same bytes from memory. **The bare server** has none of that: granian and an application of
  ten lines.
- **pgbench** runs the statements of our list, overheard from the server's log, with the same
  values, prepared, over as many connections, on the same core as PostgreSQL.
- **Bare SQL** is what masthead wrote, overheard, and run again through the driver alone on a copy
  of the database by one thread: the same statements, values, transactions and durability, without
  reads and rules.
- **Peers** are in `bench/peers`: FastAPI with SQLAlchemy's async ORM, and Django REST Framework;
  same tables, same server (granian; ASGI and WSGI), same JSON, which is compared before anything
  is measured.
- **CPU** is user and system time of all processes of the server, divided by requests.
- **Growth and search** are measured by one client that asks one thing after the other, so that
  the plans show, not the load.

## To repeat it

```sh
make bench         # small data, both databases: a quarter of an hour
make bench-full    # up to ten million copies: three quarters, and some 30 GB of disk
.venv/bin/python -m bench --help
.venv/bin/python -m bench --only growth --databases sqlite --sizes 10000 1000000   # a part alone
```

wrk comes from the system's packages (`apt-get install wrk`), and so does PostgreSQL with pgbench.
Data are kept in `MASTHEAD_BENCH_CACHE`, by default a folder of the system's for temporary files,
for the next run. A part that is run alone replaces its own figures on this page; the others stay.
"""


NOTES = ROOT / "bench" / "notes.md"  # in words of ours: why targets are missed, and what follows


def write_page(results: Path, page: Path) -> None:
    """Write the page and its plots anew."""
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
        sections += [f"## {title}\n", f"{about}\n"]
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
    """Where, when and with what each part was measured."""
    if not found:
        return "Nothing has been measured yet.\n"
    newest = max(found.values(), key=lambda result: result.measured)
    versions: dict[str, str] = {}
    for result in sorted(found.values(), key=lambda result: result.measured):
        versions |= result.versions
    about = newest.machine
    told = "; ".join(
        [
            ", ".join(about[name] for name in ("processor", "cores", "memory", "kernel")),
            ", ".join(f"{name} {value}" for name, value in versions.items()),
        ]
    )
    lines = [
        "## The machine\n",
        f"{told}.\n",
        tables.table(
            ["part", "database", "preset", "rounds", "seconds each", "measured (UTC)", "commit"],
            [
                [
                    result.part,
                    NAMES[result.database],
                    result.preset,
                    str(result.rounds),
                    f"{result.seconds:g}",
                    result.measured,
                    result.commit,
                ]
                for result in sorted(found.values(), key=lambda each: PARTS.index(each.part))
            ],
        ),
    ]
    return "\n".join(lines)


def _limits(result: Result) -> str:
    rows = [
        Bar(row["name"], {"of the limit": row["of_limit"]["median"]}) for row in result.data["rows"]
    ]
    return bars(f"Reads, of the limit ({NAMES[result.database]})", rows)


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
    return bars(f"masthead against its peers ({NAMES[result.database]})", rows, unit="×")


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
        tables.endpoint_table,
        _limits,
    ),
    (
        "Two workers",
        "Both cores for servers, database and load generator together.",
        "workers",
        tables.worker_table,
        None,
    ),
    (
        "Peers",
        "What one would write or pick instead, on the same data and server; see `bench/peers`.",
        "peers",
        tables.peer_table,
        _against,
    ),
    (
        "Writes",
        "One worker; every write durable, on SQLite by `synchronous=FULL`.",
        "writes",
        tables.write_table,
        None,
    ),
    (
        "Writes that change much",
        "Whole requests and commands, within one process.",
        "bulk",
        tables.bulk_table,
        None,
    ),
    (
        "Reads beside such a write",
        f"`{LIST}` of fresh documents, one after the other, before and during the write.",
        "beside",
        tables.beside_table,
        None,
    ),
    (
        "Pages",
        "Every page of the web area, whole, over HTTP, one after the other; nothing is pinned.",
        "pages",
        tables.page_table,
        None,
    ),
    (
        "Growth",
        "One request after the other, each size in a database of its own. Deep pages have a tenth "
        "of the records below them.",
        "growth",
        lambda result: tables.size_table(result, "copies"),
        _growth,
    ),
    (
        "Search",
        "One request after the other, in accounts of readers with one issue each.",
        "search",
        lambda result: tables.size_table(result, "readers"),
        _search,
    ),
    (
        "SQLite's versions",
        "The SQLite that masthead includes, compared with Python's own: the same "
        "statements and values on copies of the same data, each engine in its own process, "
        "alternating. For reads, look at the CPU time; the clock time of writes is mostly that of "
        "the disk.",
        "engine",
        tables.engine_table,
        None,
    ),
)
