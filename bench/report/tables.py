"""Tables of the page: each part's figures, medians with their spread."""

from collections.abc import Sequence
from typing import Any

from bench.report.plots import short
from bench.report.targets import NAMES, Found, targets
from bench.results import Result


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; numbers stand at the right."""
    marks = ["---", *("--:" for _ in head[1:])]
    lines = [head, marks, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def spread(value: Any, unit: str = "") -> str:
    """A median and, if it tells something, from where to where it went."""
    middle = f"{short(value['median'])}{unit}"
    if value["least"] == value["most"]:
        return middle
    return f"{middle} ({short(value['least'])}–{short(value['most'])})"


def target_table(found: Found) -> str:
    """What should be reached, and what was."""
    rows = [
        [
            target.what + (f" ({target.about})" if target.about else ""),
            NAMES[target.database],
            ("≥ " if target.is_least else "≤ ") + f"{target.bound:g}{target.unit}",
            f"{short(target.value)}{target.unit}",
            "met" if target.is_met else "**missed**",
        ]
        for target in targets(found)
    ]
    return table(["target", "database", "bound", "measured", ""], rows)


def endpoint_table(result: Result) -> str:
    """One worker, a row for each read."""
    has_database = result.database == "postgres"
    head = ["read", "bytes", "requests/s", "p50 ms", "p99 ms", "CPU µs", "the limit's"]
    head += ["PostgreSQL's"] if has_database else []
    head += ["of the limit", "of the bare server"]
    rows = []
    for row in result.data["rows"]:
        own = row["masthead"]
        cells = [row["name"], f"{row['bytes']:,}", spread(own["rate"])]
        cells += [short(own[name]["median"]) for name in ("p50", "p99", "cpu")]
        cells.append(short(row["limit"]["cpu"]["median"]))
        cells += [short(own["database_cpu"]["median"])] if has_database else []
        cells += [spread(row["of_limit"]), short(row["of_bare"]["median"])]
        rows.append(cells)
    resident = f"A worker had {result.data['worker_bytes'] / 1e6:.0f} MB resident after that.\n"
    told = [
        f"pgbench runs the statements of `{row['name']}` {spread(row['pgbench']['rate'])} times a "
        f"second on the same core; masthead answers {spread(row['of_pgbench'])} times as many "
        "pages, sent by HTTP.\n"
        for row in result.data["rows"]
        if "of_pgbench" in row
    ]
    return "\n".join([table(head, rows), resident, *told])


def worker_table(result: Result) -> str:
    """One worker and two."""
    rows = [
        [
            row["name"],
            spread(row["one"]["rate"]),
            spread(row["two"]["rate"]),
            spread(row["gain"], "×"),
            f"{short(row['one']['p99']['median'])} → {short(row['two']['p99']['median'])}",
        ]
        for row in result.data["rows"]
    ]
    head = ["read", "1 worker, requests/s", "2 workers, requests/s", "gain", "p99 ms"]
    return table(head, rows)


def peer_table(result: Result) -> str:
    """masthead and its peers."""
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
    head = ["request", "masthead /s", "FastAPI /s", "Django /s", "against FastAPI"]
    return table([*head, "against Django"], rows)


def write_table(result: Result) -> str:
    """One worker, a row for each write."""
    rows = []
    for row in result.data["rows"]:
        own = row["masthead"]
        cells = [row["name"], spread(own["rate"])]
        cells += [short(own[name]["median"]) for name in ("p50", "p99", "cpu")]
        cells.append(spread(row["bare_sql"]["rate"]) if "bare_sql" in row else "")
        cells.append(spread(row["of_bare_sql"]) if "of_bare_sql" in row else "")
        rows.append(cells)
    head = ["write", "requests/s", "p50 ms", "p99 ms", "CPU µs", "bare SQL /s", "of bare SQL"]
    return table(head, rows)


def engine_table(result: Result) -> str:
    """masthead's SQLite and the interpreter's."""
    rows = [
        [
            row["name"],
            spread(row["bundled"]["cpu"]),
            spread(row["system"]["cpu"]),
            spread(row["cpu_ratio"]),
            " / ".join(short(row[engine]["clock"]["median"]) for engine in ("bundled", "system")),
            spread(row["clock_ratio"]),
        ]
        for row in result.data["rows"]
    ]
    names = [f"{result.versions[name]}" for name in ("SQLite", "Python's SQLite")]
    head = ["statements of", *(f"CPU µs, SQLite {name}" for name in names), "ratio of CPU"]
    return table([*head, "clock µs, both", "ratio of clocks"], rows)


def bulk_table(result: Result) -> str:
    """Seconds of what changes much."""
    rows = [
        [
            row["name"],
            spread(row["masthead"]["seconds"], " s"),
            spread(row["bare_sql"]["seconds"], " s") if "bare_sql" in row else "",
            spread(row["times_bare_sql"], "×") if "times_bare_sql" in row else "",
        ]
        for row in result.data["rows"]
    ]
    return table(["write", "masthead", "bare SQL", "ratio"], rows)


def beside_table(result: Result) -> str:
    """Latencies of a list while something is written."""
    rows = [
        [
            row["name"],
            f"{short(row['seconds'])} s" if row["seconds"] else "",
            *(short(row[when][name]) for when in ("quiet", "busy") for name in ("p50", "p99")),
            f"{short(row['busy']['p99'] / row['quiet']['p99'])}×",
            f"{row['busy']['reads']:,}",
        ]
        for row in result.data["rows"]
    ]
    head = ["meanwhile", "lasts", "quiet p50 ms", "quiet p99", "then p50", "then p99", "p99 ratio"]
    return table([*head, "reads"], rows)


def page_table(result: Result) -> str:
    """Milliseconds of the pages, the slowest first, and of a list beside them."""
    found = result.data
    rows = [
        [f"`{row['name']}`", spread(row["p50"]), spread(row["p99"]), short(row["most"]["most"])]
        for row in sorted(found["rows"], key=lambda row: -row["p50"]["median"])
    ]
    quiet, busy = found["quiet"], found["busy"]
    told = (
        f"An account of {found['copies']:,} copies and {found['subscriptions']:,} subscriptions. "
        f"Its trend of two years is worked out in {short(found['trend_seconds'])} s, aside. "
        f"A list of the API beside somebody who loads one page after the other: p99 "
        f"{short(quiet['p99'])} ms quiet, {short(busy['p99'])} ms then "
        f"({short(busy['p99'] / quiet['p99'])}×); p50 {short(quiet['p50'])} ms and "
        f"{short(busy['p50'])} ms.\n"
    )
    return "\n".join([told, table(["page", "p50 ms", "p99 ms", "most ms"], rows)])


def size_table(result: Result, of: str) -> str:
    """Milliseconds by size."""
    sizes = [str(size) for size in result.data["sizes"]]
    head = ["p50 in ms", *(f"{short(int(size))} {of}" for size in sizes), "last : first"]
    rows = []
    for row in result.data["rows"]:
        values = [row["sizes"][size]["p50"] for size in sizes]
        growth = values[-1]["median"] / values[0]["median"]
        rows.append([row["name"], *map(spread, values), f"{growth:.2f}"])
    return table(head, rows)


def memory_table(results: Sequence[Result]) -> str:
    """Megabytes."""
    rows = [
        [
            NAMES[result.database],
            f"{result.data['worker_idle_bytes'] / 1e6:.0f} MB",
            f"{result.data['worker_bytes'] / 1e6:.0f} MB ({result.data['copies']:,} copies)",
            f"{result.data['import_bytes'] / 1e6:.0f} MB ({result.data['import_rows']:,} rows)",
            f"{result.data['import_rate']:,.0f} rows/s",
        ]
        for result in results
    ]
    head = ["database", "worker at start", "after every list", "import at its most", "import"]
    return table(head, rows)
