"""What a round trip costs at least: asyncpg runs the statements of our list, and nothing else.

As many connections as the load generator has, in one process on the core of our servers, each with
prepared statements and the binary protocol, as masthead uses them; without HTTP, routes and keys.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

import asyncpg
import uvloop

from bench.clients.pgbench import Statement
from bench.options import ROOT, Options
from bench.servers.processes import SERVERS, pin, running_in

INTEGERS = "int2", "int4", "int8"


def run_loop(url: str, statements: Sequence[Statement], options: Options) -> dict[str, float]:
    """A round in a separate process: pages per second, CPU in µs and bytes for each."""
    done = subprocess.run(
        [sys.executable, "-m", __name__, url, str(options.connections), str(options.seconds)],
        cwd=ROOT,
        env=running_in(ROOT, {}),
        input=json.dumps(statements),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        preexec_fn=pin(SERVERS),
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


async def measure(
    url: str, statements: Sequence[Statement], connections: int, seconds: float
) -> dict[str, float]:
    """Run the statements over and over on each connection."""
    opened = [await asyncpg.connect(url) for _ in range(connections)]
    try:
        prepared = [[await _prepare(each, *said) for said in statements] for each in opened]
        [size] = {await _bytes_of(each) for each in prepared}
        began, used = time.perf_counter(), time.process_time()
        counts = await asyncio.gather(*(_repeat(each, began + seconds) for each in prepared))
        taken, used = time.perf_counter() - began, time.process_time() - used
    finally:
        for each in opened:
            await each.close()
    pages = sum(counts)
    return {"rate": pages / taken, "cpu": used / pages * 1e6, "bytes": size}


Prepared = tuple[Any, list[int | str]]


async def _prepare(connection: Any, sql: str, values: Sequence[str]) -> Prepared:
    """A prepared statement, and its values in the types of its parameters."""
    statement = await connection.prepare(sql)
    types = [each.name for each in statement.get_parameters()]
    return statement, [
        int(value) if type in INTEGERS else value for type, value in zip(types, values, strict=True)
    ]


async def _bytes_of(statements: Sequence[Prepared]) -> int:
    """The bytes of the texts in the rows of a page."""
    rows = [row for each, values in statements for row in await each.fetch(*values)]
    return sum(len(cell) for row in rows for cell in row if isinstance(cell, str | bytes))


async def _repeat(statements: Sequence[Prepared], until: float) -> int:
    """How many pages one connection reads until a moment; at least one."""
    count = 0
    while not count or time.perf_counter() < until:
        for statement, values in statements:
            await statement.fetch(*values)
        count += 1
    return count


if __name__ == "__main__":
    url, connections, seconds = sys.argv[1:]
    said = [(sql, values) for sql, values in json.load(sys.stdin)]
    print(json.dumps(uvloop.run(measure(url, said, int(connections), float(seconds)))))
