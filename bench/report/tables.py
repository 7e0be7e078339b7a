"""Markdown tables of the results: medians with their range."""

from collections.abc import Sequence
from textwrap import fill
from typing import Any

from bench.report.plots import short
from bench.report.targets import NAMES, Found, page_cost, targets
from bench.results import Result

WIDTH = 99  # of paragraphs on the page


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first are aligned to the right."""
    marks = ["---", *("--:" for _ in head[1:])]
    lines = [head, marks, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def spread(value: Any, unit: str = "") -> str:
    """A median, with the lowest and the highest value if they differ."""
    middle = f"{short(value['median'])}{unit}"
    if value["least"] == value["most"]:
        return middle
    return f"{middle} ({short(value['least'])}–{short(value['most'])})"


def target_table(found: Found) -> str:
    """The targets and the measured values."""
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


def unchanged_table(result: Result) -> str:
    """CPU of each list whole and unchanged, and CPU and bytes in each coding."""
    codings = ("zstd", "br", "gzip")
    head = ["list", "bytes", "CPU µs", "304, CPU µs", "gain"]
    head += [f"{coding}, {figure}" for coding in codings for figure in ("bytes", "CPU µs")]
    rows = []
    for row in result.data["rows"]:
        cells = [row["name"], f"{row['bytes']['whole']:,}"]
        cells += [spread(row[name]["cpu"]) for name in ("whole", "unchanged")]
        cells.append(spread(row["gain"], "×"))
        for coding in codings:
            cells += [f"{row['bytes'][coding]:,}", spread(row[coding]["cpu"])]
        rows.append(cells)
    return table(head, rows)


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


def write_table(result: Result) -> str:
    """One worker, a row for each write."""
    rows = []
    for row in result.data["rows"]:
        cells = _write_cells(row["name"], row["masthead"])
        cells.append(spread(row["bare_sql"]["rate"]) if "bare_sql" in row else "")
        cells.append(spread(row["of_bare_sql"]) if "of_bare_sql" in row else "")
        rows.append(cells)
        if "keyed" in row:
            keyed = f"{row['name']}, with an idempotency key"
            rows.append([*_write_cells(keyed, row["keyed"]), "", ""])
    head = ["write", "requests/s", "p50 ms", "p99 ms", "CPU µs", "bare SQL /s", "vs. bare SQL"]
    return table(head, rows)


def _write_cells(name: str, found: Any) -> list[str]:
    """The name and the figures of a write."""
    figures = [short(found[figure]["median"]) for figure in ("p50", "p99", "cpu")]
    return [name, spread(found["rate"]), *figures]


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
    head = ["operation", *(f"CPU µs, SQLite {name}" for name in names), "ratio of CPU"]
    return table([*head, "elapsed µs, both", "ratio of elapsed times"], rows)


def bulk_table(result: Result) -> str:
    """Duration and processor time of bulk writes."""
    rows = [
        [
            row["name"],
            spread(row["masthead"]["seconds"], " s"),
            spread(row["bare_sql"]["seconds"], " s"),
            spread(row["times_bare_sql"], "×"),
            *_bulk_cpu(row),
        ]
        for row in result.data["rows"]
    ]
    head = ["write", "masthead", "bare SQL", "ratio", "CPU ms", "bare SQL, CPU ms", "ratio of CPU"]
    return table(head, rows)


def _bulk_cpu(row: Any) -> list[str]:
    """The processor time of a bulk write; results before 29 November 2026 do not have it."""
    if "times_bare_cpu" not in row:
        return ["", "", ""]
    taken = [short(row[who]["cpu"]["median"] * 1e3) for who in ("masthead", "bare_sql")]
    return [*taken, spread(row["times_bare_cpu"], "×")]


def event_table(result: Result) -> str:
    """Duration of bulk writes with and without their events."""
    rows = [
        [
            row["name"],
            spread(row["with_events"]["seconds"], " s"),
            spread(row["without_events"]["seconds"], " s"),
            spread(row["times_without"], "×"),
        ]
        for row in result.data["rows"]
    ]
    return table(["write", "with events", "without events", "ratio"], rows)


def beside_table(result: Result) -> str:
    """Latency of a list during bulk writes."""
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
    head = ["during", "duration", "idle p50 ms", "idle p99", "busy p50", "busy p99", "p99 ratio"]
    return table([*head, "reads"], rows)


def fairness_table(result: Result) -> str:
    """Latency of requests of a small account while a large one works."""
    rows = [
        [
            f"{row['job']}: {row['request']}, {row['account']}",
            f"{short(row['seconds'])} s",
            *(short(row[when][name]) for when in ("quiet", "busy") for name in ("p50", "p99")),
            short(row["busy"]["most"]),
            f"{short(row['busy']['p99'] / row['quiet']['p99'])}×",
            f"{row['busy']['requests']:,}",
        ]
        for row in result.data["rows"]
    ]
    head = ["during", "duration", "idle p50 ms", "idle p99", "busy p50", "busy p99", "slowest"]
    return table([*head, "p99 ratio", "requests"], rows)


def dispatch_table(result: Result) -> str:
    """Seconds of the steps of a run, and the latency of a list beside each."""
    found = result.data
    peer = found["peer"]
    told = (
        f"A run of {found['copies']:,} copies. The preview, with all checks of addresses,\ntakes "
        f"{spread(found['preview'])} s."
    )
    if peer:
        told += f"\nThe list of FastAPI + SQLAlchemy has a p99 of {short(peer)} ms when it is idle."
    return f"{told}\n\n{beside_table(result)}"


def moving_table(result: Result) -> str:
    """Speed of imports and exports."""
    rows = [
        [
            row["name"],
            spread(row["seconds"], " s"),
            f"{row['rate']['median']:,.0f}",
            f"{spread(row['compared'], '×')} of: {row['of']}" if "of" in row else "",
        ]
        for row in result.data["rows"]
    ]
    told = f"A file of {result.data['file_rows']:,} rows."
    return f"{told}\n\n{table(['step', 'duration', 'rows/s', 'relative speed'], rows)}"


def page_table(result: Result) -> str:
    """What the pages cost, the slowest first; the files; and a list during page views."""
    found = result.data
    rows = [
        [
            f"`{row['name']}`",
            *(short(row[name]) for name in ("p50", "cpu", "written_p50", "written_cpu")),
            str(row["statements"]),
        ]
        for row in sorted(found["rows"], key=page_cost, reverse=True)
    ]
    files = [
        [
            f"`{row['name']}`",
            *(short(row[name]) for name in ("first", "taken")),
            f"{row['bytes'] / 1e6:.1f}",
            f"{row['grown'] / 1e6:.0f}",
        ]
        for row in sorted(found["files"], key=lambda row: -row["first"])
    ]
    quiet, busy = found["quiet"], found["busy"]
    told = (
        f"An account with {found['copies']:,} copies, as many invoices, and "
        f"{found['subscriptions']:,} subscriptions. Its trends over two years are calculated in "
        f"the background in {short(found['trend_seconds'])} s. A list of the API, while a client "
        f"loads one page after the other: p99 {short(busy['p99'])} ms instead of "
        f"{short(quiet['p99'])} ms ({short(busy['p99'] / quiet['p99'])}×), p50 "
        f"{short(busy['p50'])} ms instead of {short(quiet['p50'])} ms."
    )
    if "subscribers" in found:
        quiet, busy = found["subscribers"]["quiet"], found["subscribers"]["busy"]
        told += (
            f" The same list, while a client loads the pages for subscribers (`my/`): p99 "
            f"{short(busy['p99'])} ms instead of {short(quiet['p99'])} ms "
            f"({short(busy['p99'] / quiet['p99'])}×)."
        )
    head = ["page", "p50 ms", "CPU ms", "p50 after a write", "CPU after a write", "statements"]
    file_head = ["file", "first byte ms", "all ms", "MB", "memory, MB"]
    unmeasured = ", ".join(f"`{each}`" for each in found["missing"]) or "none"
    parts = [f"{fill(told, WIDTH)}\n", table(head, rows), table(file_head, files)]
    return "\n".join([*parts, fill(f"Pages that were not found: {unmeasured}.", WIDTH) + "\n"])


def size_table(result: Result, of: str) -> str:
    """Latency by the size of the account."""
    sizes = [str(size) for size in result.data["sizes"]]
    head = ["p50 in ms", *(f"{short(int(size))} {of}" for size in sizes), "last / first"]
    rows = []
    for row in result.data["rows"]:
        values = [row["sizes"][size]["p50"] for size in sizes]
        growth = values[-1]["median"] / values[0]["median"]
        rows.append([row["name"], *map(spread, values), f"{growth:.2f}"])
    return table(head, rows)


def memory_table(results: Sequence[Result]) -> str:
    """Memory of a worker, of an import and of an export."""
    rows = [
        [
            NAMES[result.database],
            f"{result.data['worker_idle_bytes'] / 1e6:.0f} MB",
            f"{result.data['worker_bytes'] / 1e6:.0f} MB ({result.data['copies']:,} copies)",
            f"{result.data['import_bytes'] / 1e6:.0f} MB ({result.data['import_rows']:,} rows)",
            f"{result.data['import_rate']:,.0f} rows/s",
            f"{result.data['export_bytes'] / 1e6:.0f} MB ({result.data['export_rows']:,} rows)",
            f"{result.data['export_rate']:,.0f} rows/s",
        ]
        for result in results
    ]
    head = [
        "database",
        "worker at start",
        "after reading every list",
        "import, maximum",
        "import, speed",
        "export, maximum",
        "export, speed",
    ]
    return table(head, rows)
