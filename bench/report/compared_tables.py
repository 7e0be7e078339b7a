"""Tables of what is compared with others: the bare server, other frameworks, another version."""

from typing import Any

from bench.report.plots import short
from bench.report.tables import spread, table
from bench.report.targets import SLOWER
from bench.results import Result


def endpoint_table(result: Result) -> str:
    """One worker, a row for each read."""
    has_database = result.database == "postgres"
    head = ["read", "bytes", "requests/s", "p50 ms", "p99 ms", "CPU µs", "own overhead, µs"]
    head += ["PostgreSQL, CPU µs"] if has_database else []
    head += ["vs. bare server"]
    rows = []
    for row in result.data["rows"]:
        own = row["masthead"]
        cells = [row["name"], f"{row['bytes']:,}", spread(own["rate"])]
        cells += [short(own[name]["median"]) for name in ("p50", "p99", "cpu")]
        cells.append(short(_overhead(row)))
        cells += [short(own["database_cpu"]["median"])] if has_database else []
        cells.append(spread(row["of_bare"]))
        rows.append(cells)
    memory = (
        f"Memory of a worker afterwards: {result.data['worker_bytes'] / 1e6:.0f} MB. A page of "
        "memory that\nseveral processes hold is shared out among them.\n"
    )
    told = [
        f"pgbench runs the statements of `{row['name']}` {spread(row['pgbench']['rate'])} times\n"
        "per second on the same core. The number of pages that masthead sends over HTTP is\n"
        f"{spread(row['of_pgbench'])} times that.\n"
        for row in result.data["rows"]
        if "of_pgbench" in row
    ]
    told += [_round_trip(row) for row in result.data["rows"] if "of_asyncpg" in row]
    return "\n".join([table(head, rows), memory, *told])


def _overhead(row: Any) -> float:
    """Microseconds of CPU for routes, keys and checks; older results do not have it."""
    if "overhead" in row:
        return float(row["overhead"]["median"])
    return float(row["limit"]["cpu"]["median"] - row["bare"]["cpu"]["median"])


def _round_trip(row: Any) -> str:
    """What a loop of asyncpg with the same statements needs."""
    loop = row["asyncpg"]
    return (
        f"A loop of asyncpg that only runs the {row['statements']} statement(s) of "
        f"`{row['name']}`\nreads {spread(loop['rate'])} pages per second with "
        f"{short(loop['cpu']['median'])} µs of CPU for each and\n"
        f"{loop['bytes']['median']:,.0f} bytes in its rows; masthead sends "
        f"{spread(row['of_asyncpg'])} times as many.\n"
    )


def peer_table(result: Result) -> str:
    """masthead and other frameworks."""
    rows = [
        [
            row["name"],
            spread(row["masthead"]["rate"]),
            spread(row["fastapi"]["rate"]),
            spread(row["django"]["rate"]),
            spread(row["of_fastapi"], "×"),
            spread(row["of_django"], "×"),
        ]
        for row in result.data["rows"]
    ]
    head = ["request", "masthead /s", "FastAPI /s", "Django /s", "vs. FastAPI"]
    tables = [table([*head, "vs. Django"], rows)]
    costs = [
        [
            row["name"],
            *(
                f"{row['costs'][peer]['queries']} queries, {row['costs'][peer]['rows']} rows, "
                f"scanned: {', '.join(row['costs'][peer]['scans']) or 'nothing'}"
                for peer in ("fastapi", "django")
            ),
        ]
        for row in result.data["rows"]
        if "costs" in row
    ]
    if costs:
        tables.append("What a request reads from the database, by its queries and their plans:\n")
        tables.append(table(["request", "FastAPI + SQLAlchemy", "Django REST Framework"], costs))
    return "\n".join(tables)


def against_table(result: Result) -> str:
    """Each operation of another version and of this one."""
    rows = [
        [
            row["name"],
            *(spread(row[name]) for name in ("before", "after")),
            spread(row["speed"], "×"),
            "**slower**" if row["speed"]["median"] < SLOWER else "",
        ]
        for row in result.data["rows"]
    ]
    told = f"Before: {result.data['against']}; {result.data['file_rows']:,} imported rows."
    return f"{told}\n\n{table(['operation', 'before', 'after', 'times as fast', ''], rows)}"
