"""`python -m bench`: measure, store the results, write docs/performance.md."""

import dataclasses
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter

from bench import machine, results
from bench.checkouts import NoSuchCheckout
from bench.clients.load import WrkMissing, require_wrk
from bench.databases import Databases
from bench.measure import (
    against as against_another,
    beside,
    bulk,
    dispatch,
    endpoints,
    engine,
    events,
    fairness,
    growth,
    memory,
    moving,
    pages,
    peers,
    search,
    unchanged,
    workers,
    writes,
)
from bench.options import DATABASES, PARTS, PRESETS, Options
from bench.prepare import prepare
from bench.progress import say
from bench.report.page import write_page
from bench.results import Result
from bench.rounds import Figures
from tests.support.postgres import PostgresMissing

Measure = Callable[[Options, Databases, str], Figures]
MEASURES: dict[str, Measure] = {
    "memory": memory.measure,
    "endpoints": endpoints.measure,
    "unchanged": unchanged.measure,
    "workers": workers.measure,
    "peers": peers.measure,
    "writes": writes.measure,
    "bulk": bulk.measure,
    "events": events.measure,
    "beside": beside.measure,
    "fairness": fairness.measure,
    "dispatch": dispatch.measure,
    "moving": moving.measure,
    "pages": pages.measure,
    "growth": growth.measure,
    "search": search.measure,
    "engine": engine.measure,
    "against": against_another.measure,
}

Several = Annotated[tuple[str, ...] | None, Parameter(negative="", consume_multiple=True)]
Numbers = Annotated[tuple[int, ...] | None, Parameter(negative="", consume_multiple=True)]

app = App(name="python -m bench", help_format="plaintext")


@app.default
def main(
    *,
    preset: Literal["short", "full", "smoke"] = "short",
    only: Several = None,
    databases: Several = None,
    rounds: int | None = None,
    seconds: float | None = None,
    connections: int | None = None,
    copies: int | None = None,
    sizes: Numbers = None,
    postgres_most: int | None = None,
    bulk: int | None = None,
    moving: int | None = None,
    subscribers: Numbers = None,
    import_rows: int | None = None,
    against: str | None = None,
    cache: Path | None = None,
    results: Path | None = None,
    page: Path | None = None,
    build_only: Annotated[bool, Parameter(negative="")] = False,
    page_only: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Compare masthead with its limit and its peers, and write docs/performance.md.

    Each part replaces its own results; the others are kept.

    Parameters
    ----------
    preset
        sizes of everything: short takes a quarter of an hour, full 90 minutes, smoke seconds
    only
        parts: memory endpoints unchanged workers peers writes bulk beside fairness dispatch
        moving pages growth search engine against
    databases
        sqlite postgres
    rounds
        of each comparison
    seconds
        of load in each round
    connections
        of the load generator
    copies
        in the account on which endpoints are measured
    sizes
        copies in the accounts that show growth
    postgres_most
        copies that PostgreSQL, slower to fill, gets of those at most
    bulk
        subscriptions that one write touches
    moving
        rows of a file that is imported
    subscribers
        in the accounts that are searched
    import_rows
        in the import whose memory is measured
    against
        commit, tag or folder of another version, such as the last release: each operation is
        compared with it, in turn, with the packages of this one
    cache
        where built databases are kept; or MASTHEAD_BENCH_CACHE
    results
        folder for the results
    page
        the page to write, its plots beside it
    build_only
        build and keep the databases, measure nothing
    page_only
        measure nothing; only write the page
    """
    given: dict[str, Any] = {
        "parts": only,
        "databases": databases,
        "rounds": rounds,
        "seconds": seconds,
        "connections": connections,
        "copies": copies,
        "sizes": sizes,
        "postgres_most": postgres_most,
        "bulk": bulk,
        "moving": moving,
        "subscribers": subscribers,
        "import_rows": import_rows,
        "against": against,
        "cache": cache,
        "results": results,
        "page": page,
    }
    options = dataclasses.replace(
        PRESETS[preset], **{name: value for name, value in given.items() if value is not None}
    )
    unknown = {*options.parts, *options.databases} - {*PARTS, *DATABASES}
    if unknown:
        say(f"Unknown: {', '.join(sorted(unknown))}. Parts are {' '.join(PARTS)}.")
        return 2
    try:
        if build_only:
            prepare(options)
            return 0
        if not page_only:
            run(options)
    except (WrkMissing, PostgresMissing, peers.PeersMissing, NoSuchCheckout) as reason:
        say(str(reason))
        return 1
    write_page(options.results, options.page)
    return 0


def run(options: Options) -> None:
    """Measure every part on every database, and store the results."""
    require_wrk()
    prepare(options)
    with ExitStack() as stack:
        databases = Databases(options, stack)
        for part in PARTS:
            for backend in options.databases:
                if part in options.parts and (part != "against" or options.against):
                    _run_part(options, databases, part, backend)


def _run_part(options: Options, databases: Databases, part: str, backend: str) -> None:
    say(f"{part} on {backend} …")
    began = time.monotonic()
    data = MEASURES[part](options, databases, backend)
    bindir = str(databases.cluster.bindir) if backend == "postgres" else ""
    results.keep(
        options.results,
        Result(
            part=part,
            database=backend,
            measured=machine.moment(),
            commit=machine.commit(),
            preset=options.name,
            rounds=options.rounds,
            seconds=options.seconds,
            machine=machine.machine(),
            versions=machine.versions(bindir),
            data=data,
        ),
    )
    say(f"{part} on {backend}: {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    sys.exit(app())
