"""The performance targets, and the measured value of each."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from bench.results import Result

Found = Mapping[tuple[str, str], Result]
NAMES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
LIST = "list subscriptions, 50"
IMPORTED = {"sqlite": 5_000, "postgres": 4_000}  # rows a second
SEARCH_MS = {"sqlite": (10, 100), "postgres": (20, 300)}
BASE_SIZE = 100_000
# The share of the requests of the bare server, by read and database
OF_BARE = {
    LIST: {"sqlite": 0.35, "postgres": 0.22},
    "list subscribers": {"sqlite": 0.25, "postgres": 0.25},
    "list copies": {"sqlite": 0.25, "postgres": 0.25},
    "me": {"sqlite": 0.8},
    "status": {"sqlite": 0.65},
    "get subscription": {"sqlite": 0.6},
}
SLOWER = 0.97  # of the last release: a smaller ratio is a finding


class Target(Struct, frozen=True):
    """One target. is_least: whether the bound is a minimum; otherwise it is a maximum."""

    what: str
    database: str
    bound: float
    value: float
    is_least: bool
    unit: str = ""
    about: str = ""

    @property
    def is_met(self) -> bool:
        """Whether the value meets the bound."""
        return self.value >= self.bound if self.is_least else self.value <= self.bound


def targets(found: Found) -> list[Target]:
    """The targets whose values were measured."""
    made: list[Target] = []
    for database in NAMES:
        for part, judge in JUDGES.items():
            if result := found.get((part, database)):
                made += judge(result.data, database)
    return sorted(made, key=lambda target: ORDER.index(target.what.partition(":")[0]))


def _row(data: Any, name: str) -> dict[str, Any]:
    row: dict[str, Any] = next((row for row in data["rows"] if row["name"] == name), {})
    return row


def _endpoints(data: Any, database: str) -> Iterator[Target]:
    for name, bounds in OF_BARE.items():
        if (bound := bounds.get(database)) and (row := _row(data, name)):
            value = row["of_bare"]["median"]
            yield Target(f"relative to the bare server: {name}", database, bound, value, True)
    listed = _row(data, LIST)
    if "of_pgbench" in listed:
        value = listed["of_pgbench"]["median"]
        yield Target("list 50, relative to pgbench", database, 0.9, value, is_least=True)


def _unchanged(data: Any, database: str) -> Iterator[Target]:
    listed = _row(data, LIST)["gain"]["median"]
    yield Target("304 / list 50, CPU", database, 1.5, listed, True, "×")


def _workers(data: Any, database: str) -> Iterator[Target]:
    worst = min(data["rows"], key=lambda row: row["gain"]["median"])
    yield Target(
        "2 workers / 1 worker, reads",
        database,
        1.3,
        worst["gain"]["median"],
        is_least=True,
        about=f"the lowest: {worst['name']}",
    )


def _peers(data: Any, database: str) -> Iterator[Target]:
    listed, got = _row(data, LIST), _row(data, "get subscription")
    for peer, times in (("fastapi", 60), ("django", 110)):
        name = {"fastapi": "FastAPI + SQLAlchemy", "django": "Django REST Framework"}[peer]
        value = listed[f"of_{peer}"]["median"]
        yield Target(f"list 50, compared with: {name}", database, times, value, True, "×")
        value = got[f"of_{peer}"]["median"]
        yield Target(f"get subscription, compared with: {name}", database, 40, value, True, "×")


def _writes(data: Any, database: str) -> Iterator[Target]:
    created = _row(data, "create subscription")
    if "of_bare_sql" in created:
        value = created["of_bare_sql"]["median"]
        yield Target(
            "create subscription, relative to bare SQL", database, 0.5, value, is_least=True
        )
    if "of_unkeyed" in created:
        value = created["of_unkeyed"]["median"]
        yield Target(
            "create subscription with an idempotency key, relative to one without",
            database,
            0.85,
            value,
            is_least=True,
        )


def _bulk(data: Any, database: str) -> Iterator[Target]:
    for row in data["rows"]:
        if "times_bare_sql" in row:
            value = row["times_bare_sql"]["median"]
            yield Target(
                f"bulk write, relative to bare SQL: {row['name']}", database, 1.5, value, False, "×"
            )


def _events(data: Any, database: str) -> Iterator[Target]:
    for row in data["rows"]:
        if row["name"].startswith("mark"):
            value = row["times_without"]["median"]
            yield Target(f"events: {row['name']}", database, 1.2, value, False, "×")


def _dispatch(data: Any, database: str) -> Iterator[Target]:
    yield Target("dispatch: preview", database, 2, data["preview"]["median"], False, " s")
    for row in data["rows"]:
        bound = 5 if row["name"].startswith("freeze") else 2
        yield Target(f"dispatch: {row['name']}", database, bound, row["seconds"], False, " s")
        if data["peer"]:
            value = row["busy"]["p99"] / data["peer"]
            what = f"dispatch: p99 of a list, relative to a peer's idle list: {row['name']}"
            yield Target(what, database, 3, value, False, "×")


def _moving(data: Any, database: str) -> Iterator[Target]:
    imported, exported = (_row(data, name) for name in ("import with a preset", "export"))
    where = f"{data['file_rows']:,} rows"
    rate = imported["rate"]["median"]
    yield Target(
        "moving: import with a preset", database, IMPORTED[database], rate, True, " rows/s", where
    )
    rate = exported["rate"]["median"]
    yield Target("moving: export", database, 50_000, rate, True, " rows/s")
    value = _row(data, "rehearse with a preset")["compared"]["median"]
    yield Target("moving: rehearsal, relative to the import", database, 1, value, True, "×")
    value = _row(data, "read CSV")["compared"]["median"]
    yield Target("moving: reading CSV, relative to plain Python", database, 0.33, value, True, "×")


def _beside(data: Any, database: str) -> Iterator[Target]:
    for row in data["rows"]:
        if "search" in row["name"]:
            continue
        bound = 15 if row["name"].startswith("stale") else 2
        value = row["busy"]["p99"] / row["quiet"]["p99"]
        yield Target(f"p99 of a list during: {row['name']}", database, bound, value, False, "×")


def _fairness(data: Any, database: str) -> Iterator[Target]:
    for row in data["rows"]:
        if not row["is_control"]:
            value = row["busy"]["p99"] / row["quiet"]["p99"]
            what = f"p99 of another account: {row['request']}, {row['job']}"
            yield Target(what, database, 2, value, False, "×")


def _pages(data: Any, database: str) -> Iterator[Target]:
    taken = {row["name"]: page_cost(row) for row in data["rows"]}
    where = f"{data['copies']:,} copies"
    yield _worst("page of the web interface, CPU", database, 100, taken, where, " ms")
    if first := {row["name"]: row["first"] for row in data["files"]}:
        yield _worst("file: its first byte", database, 200, first, where, " ms")
    value = data["busy"]["p99"] / data["quiet"]["p99"]
    yield Target("p99 of a list during: page views", database, 2, value, False, "×")


def page_cost(row: Mapping[str, float]) -> float:
    """Milliseconds of processor time of a page, after a write if that takes longer."""
    return max(row["cpu"], row["written_cpu"])


def p50(row: Mapping[str, Any], size: int) -> float:
    """Milliseconds at a size."""
    return float(row["sizes"][str(size)]["p50"]["median"])


def _growth(data: Any, database: str) -> Iterator[Target]:
    rows = {row["name"]: row for row in data["rows"]}
    most = max(data["sizes"])
    listed = {
        n: row for n, row in rows.items() if row["group"] in ("list", "filter", "combination")
    }
    deep = {
        n: p50(row, most) / p50(rows[n.removesuffix(", deep")], most)
        for n, row in listed.items()
        if n.endswith(", deep")
    }
    yield _worst("deep page / first page", database, 1.2, deep, f"{most:,} copies")
    if BASE_SIZE in data["sizes"] and most > BASE_SIZE:
        grown = {n: p50(row, most) / p50(row, BASE_SIZE) for n, row in listed.items()}
        yield _worst("largest account / 100k copies", database, 1.15, grown, f"{most:,} copies")
    filtered = {}
    for name, row in listed.items():
        whole = "copies: all" if name.startswith("issue's") else f"{name.partition(':')[0]}: all"
        if row["group"] != "list":
            filtered[name] = p50(row, most) / p50(rows[whole], most)
    yield _worst("filtered page / unfiltered page", database, 3, filtered, f"{most:,} copies")
    other = {n: p50(row, most) for n, row in rows.items() if row["group"] == "other"}
    yield _worst("any other combination", database, 100, other, f"{most:,} copies", " ms")


def _worst(
    what: str, database: str, bound: float, values: Mapping[str, float], where: str, unit: str = "×"
) -> Target:
    name = max(values, key=lambda each: values[each])
    over = sum(value > bound for value in values.values())
    about = f"the slowest of {len(values)}, {over} above the bound, at {where}: {name}"
    return Target(what, database, bound, values[name], False, unit, about)


def _search(data: Any, database: str) -> Iterator[Target]:
    most = max(data["sizes"])
    for is_broad, bound in zip((False, True), SEARCH_MS[database], strict=True):
        values = {r["name"]: p50(r, most) for r in data["rows"] if r["is_broad"] is is_broad}
        kind = "broad terms" if is_broad else "rare, common, absent"
        yield _worst(f"search: {kind}", database, bound, values, f"{most:,} subscribers", " ms")


def _memory(data: Any, database: str) -> Iterator[Target]:
    worker, imported = data["worker_bytes"] / 1e6, data["import_bytes"] / 1e6
    where = f"{data['copies']:,} copies"
    yield Target("memory of a worker", database, 80, worker, False, " MB", where)
    where = f"{data['import_rows']:,} rows"
    yield Target("memory of an import", database, 300, imported, False, " MB", where)
    exported, of = data["export_bytes"] / 1e6, f"{data['export_rows']:,} rows"
    yield Target("memory of an export", database, 300, exported, False, " MB", of)
    bound = IMPORTED[database]
    yield Target("import", database, bound, data["import_rate"], True, " rows/s", where)


def _against(data: Any, database: str) -> Iterator[Target]:
    speeds = {row["name"]: row["speed"]["median"] for row in data["rows"]}
    name = min(speeds, key=lambda each: speeds[each])
    slower = sum(speed < SLOWER for speed in speeds.values())
    about = f"{data['against']}; the slowest of {len(speeds)}, {slower} slower: {name}"
    what = "times as fast as another version"
    yield Target(what, database, SLOWER, speeds[name], True, "×", about)


JUDGES = {
    "endpoints": _endpoints,
    "unchanged": _unchanged,
    "peers": _peers,
    "writes": _writes,
    "growth": _growth,
    "workers": _workers,
    "search": _search,
    "bulk": _bulk,
    "events": _events,
    "beside": _beside,
    "fairness": _fairness,
    "dispatch": _dispatch,
    "moving": _moving,
    "pages": _pages,
    "memory": _memory,
    "against": _against,
}
ORDER = (
    "relative to the bare server",
    "list 50, relative to pgbench",
    "304 / list 50, CPU",
    "list 50, compared with",
    "get subscription, compared with",
    "create subscription, relative to bare SQL",
    "create subscription with an idempotency key, relative to one without",
    "deep page / first page",
    "largest account / 100k copies",
    "filtered page / unfiltered page",
    "any other combination",
    "2 workers / 1 worker, reads",
    "search",
    "bulk write, relative to bare SQL",
    "events",
    "p99 of a list during",
    "p99 of another account",
    "dispatch",
    "moving",
    "page of the web interface, CPU",
    "file",
    "import",
    "memory of a worker",
    "memory of an import",
    "memory of an export",
    "times as fast as another version",
)
