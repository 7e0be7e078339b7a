"""Build the databases before a run: SQLite and PostgreSQL at the same time, on one core each."""

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack

from bench import data
from bench.data import Kind
from bench.databases import Databases
from bench.measure import moving
from bench.options import Options

ENDPOINTS = {"endpoints", "workers", "peers", "writes", "engine"}


def needed(options: Options, backend: str) -> Iterator[tuple[Kind, int]]:
    """The kind and rows of every database, smallest first."""
    sizes = options.sizes_on(backend)
    parts = set(options.parts)
    copies = {options.copies} if parts & ENDPOINTS else set()
    copies |= set(sizes) if "growth" in parts else set()
    copies |= {max(sizes)} if "memory" in parts else set()
    for size in sorted(copies):
        yield data.COPIES, data.COPIES.rows_for(size)
    if "moving" in parts:
        yield moving.SHOP, moving.SOME
    if parts & {"bulk", "events", "beside", "fairness", "moving"}:
        yield data.BULK, options.bulk
    if "pages" in parts:
        yield data.DESK, data.DESK.rows_for(options.copies)
    people = set(options.subscribers) if "search" in parts else set()
    people |= {min(options.subscribers)} if "engine" in parts else set()
    people |= {options.import_rows} if "memory" in parts else set()
    for size in sorted(people):
        yield data.PEOPLE, size


def prepare(options: Options) -> None:
    """Build missing databases. The import whose memory is measured always runs again."""
    if "memory" in options.parts and "sqlite" in options.databases:
        with ExitStack() as stack:
            Databases(options, stack).build("sqlite", data.PEOPLE, options.import_rows)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(len(options.databases), mp_context=context) as pool:
        for done in [pool.submit(build_missing, options, name) for name in options.databases]:
            done.result()


def build_missing(options: Options, backend: str) -> None:
    """Build the missing databases of one engine."""
    with ExitStack() as stack:
        databases = Databases(options, stack)
        for kind, count in needed(options, backend):
            databases.get(backend, kind, count)
