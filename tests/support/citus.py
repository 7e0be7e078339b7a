"""The suite on a Citus cluster of one's own.

`MASTHEAD_TEST_POSTGRES` names its coordinator, and `MASTHEAD_TEST_CITUS` its other nodes, such as
`127.0.0.1:7701,127.0.0.1:7702`. Each database of the tests is then created on all nodes. The first
one is distributed by `masthead distribute`, and the others are copies of it, node by node.
docs/operations.md says which settings the nodes need.
"""

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest

from masthead.store.engine.citus.distribute import open_distribution
from masthead.store.engine.migrate import migrate

WORKERS = list(filter(None, os.environ.get("MASTHEAD_TEST_CITUS", "").split(",")))

# Citus has a process in each database, which begins again by itself
DISCONNECT = """
    SELECT pg_terminate_backend(pid)
    FROM pg_stat_activity
    WHERE datname = $1
"""
ATTEMPTS = 20
_templates: dict[str, str] = {}


def not_on_citus(reason: str) -> pytest.MarkDecorator:
    """The mark of a test that Citus cannot pass. reason: why."""
    return pytest.mark.skipif(bool(WORKERS), reason=f"on Citus, {reason}")


def has(url: str) -> bool:
    """Whether the tests use Citus, and a database is one of its coordinator."""
    named = os.environ.get("MASTHEAD_TEST_POSTGRES", "")
    return bool(WORKERS) and urlsplit(url).netloc == urlsplit(named).netloc


def create(url: str) -> None:
    """Create an empty database on all nodes, and join them."""
    _run(_create(url))


def fill(url: str) -> None:
    """Give an empty database all tables, distributed: it becomes a copy of one that has them."""
    parts = urlsplit(url)
    _run(_copy(_template(parts._replace(path="").geturl()), url))


def drop(url: str) -> None:
    """Drop a database on all nodes."""
    _run(_drop(url))


def drop_template(server: str) -> None:
    """Drop the database that others were copied from, if there is one."""
    if template := _templates.pop(urlsplit(server)._replace(path="").geturl(), None):
        drop(template)


def _template(server: str) -> str:
    if server not in _templates:
        url = f"{server}/masthead_template_{secrets.token_hex(4)}"
        create(url)
        migrate(url)
        _run(_distribute(url))
        _templates[server] = url
    return _templates[server]


def _run(work: Coroutine[Any, Any, None]) -> None:
    with ThreadPoolExecutor(1) as pool:  # the caller may be in an event loop
        pool.submit(asyncio.run, work).result()


def _name(url: str) -> str:
    return urlsplit(url).path.removeprefix("/")


def _nodes(url: str) -> list[str]:
    """All nodes; the coordinator, which joins the others, is the last one."""
    return [*WORKERS, urlsplit(url).netloc.rpartition("@")[2]]


@asynccontextmanager
async def _connected(url: str, node: str, name: str = "postgres") -> AsyncIterator[Any]:
    user = urlsplit(url).netloc.rpartition("@")[0]
    there = urlsplit(url)._replace(netloc=f"{user}@{node}", path=f"/{name}").geturl()
    connection = await asyncpg.connect(there)
    try:
        yield connection
    finally:
        await connection.close()


async def _create(url: str) -> None:
    name, nodes = _name(url), _nodes(url)
    for node in nodes:
        async with _connected(url, node) as server:
            await server.execute(f'CREATE DATABASE "{name}" TEMPLATE template0 ENCODING UTF8')
        async with _connected(url, node, name) as database:
            await database.execute("CREATE EXTENSION citus")
    async with _connected(url, nodes[-1], name) as coordinator:
        for call, node in (
            ("citus_set_coordinator_host", nodes[-1]),
            *(("citus_add_node", each) for each in WORKERS),
        ):
            host, _, port = node.rpartition(":")
            await coordinator.execute(f"SELECT {call}('{host}', {port})")


async def _distribute(url: str) -> None:
    async with open_distribution(url) as found:
        await found.run(lambda _step, _done: None)


async def _copy(template: str, url: str) -> None:
    await _drop(url)
    copied = f'CREATE DATABASE "{_name(url)}" TEMPLATE "{_name(template)}" STRATEGY file_copy'
    for node in _nodes(url):
        await _change_unused(url, node, _name(template), copied)


async def _drop(url: str) -> None:
    for node in _nodes(url):
        await _change_unused(url, node, _name(url), f'DROP DATABASE IF EXISTS "{_name(url)}"')


async def _change_unused(url: str, node: str, name: str, statement: str) -> None:
    """Run a statement that needs a database without connections."""
    async with _connected(url, node) as server:
        for left in reversed(range(ATTEMPTS)):
            await server.fetch(DISCONNECT, name)
            try:
                await server.execute(statement)
                return
            except asyncpg.ObjectInUseError:
                if not left:
                    raise
