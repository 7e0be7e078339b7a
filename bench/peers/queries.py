"""What a page costs a peer in the database: its queries, their rows, and the tables they scan.

    python -m bench.peers.queries fastapi KEY /v1/subscriptions/?limit=50

The report prints it beside the rates, so that a reader sees that the peers are used as their
documentation says: a few queries for any number of rows, and each by an index. The database is that
of `MASTHEAD_DATABASE_URL`.
"""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

import httpx

from bench.options import ROOT
from bench.within import environment_of

Query = tuple[str, Any]  # as the driver gets it; its parameters
Cost = dict[str, Any]
EXPLAIN = {"sqlite": "EXPLAIN QUERY PLAN ", "postgresql": "EXPLAIN "}
# A table that is read as a whole: SQLite also says what it does to lists of values
SCANNED = re.compile(r"^SCAN ([a-z_]+)|Seq Scan on ([a-z_]+)")


def cost_of(name: str, url: str, key: str, path: str) -> Cost:
    """The cost of a request to a peer, in a separate process: queries, rows and scans."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.peers.queries", name, key, path],
        cwd=ROOT,
        env=environment_of(url),
        stdout=subprocess.PIPE,
        check=True,
    )
    cost: Cost = json.loads(done.stdout.splitlines()[-1])
    return cost


def scans_of(plan: Sequence[str]) -> list[str]:
    """The tables that the lines of a plan scan without an index."""
    found = [SCANNED.search(line.strip()) for line in plan if "INDEX" not in line]
    names = [(match[1] or match[2]).strip("_") for match in found if match]  # `issue_1`: again
    return list(dict.fromkeys(names))


async def _fastapi(headers: Mapping[str, str], path: str) -> Cost:
    """The cost for FastAPI and SQLAlchemy."""
    peer, alchemy = import_module("bench.peers.fast.app"), import_module("sqlalchemy")
    queries = list[Query]()

    def note(_connection: Any, _cursor: Any, sql: str, values: Any, *_: Any) -> None:
        queries.append((sql, values))

    transport = httpx.ASGITransport(peer.create_app())
    async with httpx.AsyncClient(transport=transport, base_url="http://bench") as http:
        await http.get(path, headers=headers)
        alchemy.event.listen(peer.engine.sync_engine, "before_cursor_execute", note)
        (await http.get(path, headers=headers)).raise_for_status()
        alchemy.event.remove(peer.engine.sync_engine, "before_cursor_execute", note)
    async with peer.engine.connect() as connection:
        explain = EXPLAIN[peer.engine.dialect.name]
        rows, plan = 0, list[str]()
        for sql, values in queries:
            rows += len((await connection.exec_driver_sql(sql, values)).all())
            plan += [each[-1] for each in await connection.exec_driver_sql(explain + sql, values)]
    await peer.engine.dispose()
    return {"queries": len(queries), "rows": rows, "scans": scans_of(plan)}


async def _django(headers: Mapping[str, str], path: str) -> Cost:
    """The cost for Django REST Framework."""
    return await asyncio.to_thread(_django_in_thread, headers, path)


def _django_in_thread(headers: Mapping[str, str], path: str) -> Cost:
    app = import_module("bench.peers.drf.app").create_app()
    connection = import_module("django.db").connection
    queries = list[Query]()

    def note(execute: Callable[..., Any], sql: str, values: Any, many: bool, context: Any) -> Any:
        queries.append((sql, values))
        return execute(sql, values, many, context)

    with httpx.Client(transport=httpx.WSGITransport(app), base_url="http://bench") as http:
        http.get(path, headers=headers)
        with connection.execute_wrapper(note):
            http.get(path, headers=headers).raise_for_status()
    rows, plan = 0, list[str]()
    with connection.cursor() as cursor:
        for sql, values in queries:
            cursor.execute(sql, values)
            rows += len(cursor.fetchall())
            cursor.execute(EXPLAIN[connection.vendor] + sql, values)
            plan += [each[-1] for each in cursor.fetchall()]
    return {"queries": len(queries), "rows": rows, "scans": scans_of(plan)}


_COSTS = {"fastapi": _fastapi, "django": _django}

if __name__ == "__main__":
    name, key, path = sys.argv[1:]
    told = asyncio.run(_COSTS[name]({"Authorization": f"Bearer {key}"}, path))
    print(json.dumps(told))
