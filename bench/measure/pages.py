"""The web area: every page of a large account, and a list of the API at the same time."""

import asyncio
import gc
import multiprocessing
import time
from collections.abc import Callable
from itertools import cycle
from multiprocessing.synchronize import Event
from pathlib import Path

from starlette.responses import Response

from bench import data
from bench.clients.client import Client
from bench.clients.in_process import Answer, Asker, asking
from bench.databases import Built, Databases
from bench.measure.page_addresses import DESK, MY, Addresses, add_asked, follow_links
from bench.options import Options
from bench.progress import say
from bench.rounds import Figures, quantile
from bench.servers.processes import ALL, masthead, move
from bench.servers.ready import wait_for_documents
from masthead.model.ids import new_token, token_digest
from masthead.model.self_service.sign_in import digest_of_email
from masthead.services.background.trends import refresh_trend
from masthead.services.billing.daily_sums import refresh_daily_sums
from masthead.services.identity.server_secrets import get_secret
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database, Transaction
from masthead.store.identity import people, sessions as store
from masthead.store.self_service.sessions import SubscriberSession, insert_session
from masthead.web.kit.cookies import Cookies

SPAWN = multiprocessing.get_context("spawn")
LISTED = "/v1/subscriptions/?limit=50"
AFTER_WRITES = 3  # requests of a page, each after a write to the account
LOOK = 2.0  # seconds between opening a page and asking for the PDF that it offers


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """What each page and each file costs, in milliseconds; and a list alone and beside pages.

    Nothing is pinned, and the database itself is used: opening pages changes little.
    """
    built = databases.get(backend, data.DESK, data.DESK.rows_for(options.copies))
    server = None
    if backend == "postgres":
        move(databases.cluster.pid, ALL)
        server = databases.cluster.pid
    cookies, trend = asyncio.run(_prepare(built))
    addresses = Addresses()
    add_asked(addresses, built)
    found = asyncio.run(_measure_all(options, built, addresses, cookies, server))
    with masthead(built.url, cores=ALL) as process:
        wait_for_documents(built.url)
        api = Client(process.address, built.key)
        paths = [row["path"] for row in found["rows"] if row["path"].startswith(DESK)]
        quiet, busy = _beside(options, api, (process.address, built.key, cookies[0]), paths)
        own = [row["path"] for row in found["rows"] if row["path"].startswith(MY)]
        own_quiet, own_busy = _beside(options, api, (process.address, built.key, cookies[1]), own)
    return {
        "copies": options.copies,
        "subscriptions": built.rows,
        "trend_seconds": trend,
        **found,
        "quiet": quiet,
        "busy": busy,
        "subscribers": {"quiet": own_quiet, "busy": own_busy},
    }


async def _measure_all(
    options: Options,
    built: Built,
    addresses: Addresses,
    cookies: tuple[str, str],
    server: int | None,
) -> Figures:
    """A row for each page, and one for each file."""
    rows, files = list[Figures](), list[Figures]()
    db = await connect(built.url)
    try:
        async with asking(built.url, server) as asker:
            for cookie, start in ((cookies[0], DESK), (cookies[1], MY)):
                addresses.add(start)
                await follow_links(asker, cookie, addresses)
            say(f"{len(addresses.named())} addresses")
            for name, path in addresses.named().items():
                cookie = cookies[path.startswith(MY)]
                answer = await asker.get(path, cookie)
                if answer.status >= 500:
                    raise RuntimeError(f"{path} is answered with {answer.status}")
                if "attachment" in answer.headers.get("content-disposition", ""):
                    if answer.headers["content-type"] == "application/pdf":
                        await asyncio.sleep(LOOK)  # a process gets ready meanwhile
                    files.append({"name": name, **await _download(asker, path, cookie)})
                elif answer.status == 200:
                    costs = await _ask_often(options, asker, path, cookie, db, built)
                    rows.append({"name": name, "path": path, **costs})
                else:
                    say(f"{answer.status}: {path}")
    finally:
        await db.close()
    return {"rows": rows, "files": files, "missing": addresses.missing()}


async def _ask_often(
    options: Options, asker: Asker, path: str, cookie: str, db: Database, built: Built
) -> Figures:
    """Consecutive requests of a page, and some after a write, when it must count again."""
    answers, until = list[Answer](), time.perf_counter() + options.seconds
    while len(answers) < options.requests and (len(answers) < 2 or time.perf_counter() < until):
        answers.append(await asker.get(path, cookie))
    written = list[Answer]()
    for _ in range(AFTER_WRITES):
        await db.write(lambda tx: _write(tx, built.account_id))
        written.append(await asker.get(path, cookie))
    return {
        "p50": _median(answers, "taken"),
        "cpu": _median(answers, "cpu"),
        "written_p50": _median(written, "taken"),
        "written_cpu": _median(written, "cpu"),
        "statements": max(each.statements for each in written),
        "bytes": answers[0].sent,
    }


def _median(answers: list[Answer], name: str) -> float:
    return quantile([getattr(each, name) * 1e3 for each in answers], 0.5)


async def _write(tx: Transaction, account_id: int) -> None:
    """Raise the number of writes to the account: what was counted before is forgotten."""
    await tx.execute(
        "UPDATE account_state SET writes = writes + 1 WHERE account_id = :account_id",
        {"account_id": account_id},
    )


async def _download(asker: Asker, path: str, cookie: str) -> Figures:
    """Milliseconds of a file, and by how many bytes the memory of this process grew at most."""
    gc.collect()
    before = _memory("VmRSS")
    _forget_peak()
    answer = await asker.get(path, cookie)
    return {
        "first": answer.first * 1e3,
        "taken": answer.taken * 1e3,
        "bytes": answer.sent,
        "grown": max(0, _memory("VmHWM") - before),
    }


def _forget_peak() -> None:
    """Let VmHWM start again."""
    Path("/proc/self/clear_refs").write_text("5")


def _memory(name: str) -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.partition(f"{name}:")[2].split()[0]) * 1024


async def _prepare(built: Built) -> tuple[tuple[str, str], float]:
    """Sessions of the owner and of a subscriber, as cookies, and the seconds of the trend."""
    db = await connect(built.url)
    try:
        began = time.perf_counter()
        await refresh_trend(db, built.account_id)
        trend = time.perf_counter() - began
        await refresh_daily_sums(db, built.account_id)
        return (await _open_session(db), await _open_my_session(db, built)), trend
    finally:
        await db.close()


async def _open_session(db: Database) -> str:
    token = new_token()

    async def work(tx: Transaction) -> None:
        person = await people.find_person(tx, "owner@bench.test")
        assert person is not None
        await store.insert_session(tx, token_digest(token), person.id, "127.0.0.1")

    await db.write(work)
    response = Response()
    Cookies(await get_secret(db), is_secure=False).set_session(response, token)
    return response.headers["Set-Cookie"].partition(";")[0]


async def _open_my_session(db: Database, built: Built) -> str:
    """The session of a subscriber with open invoices."""
    token = new_token()

    async def work(tx: Transaction) -> None:
        row = await tx.fetch_one(
            """
            SELECT u.id, u.email_key
            FROM subscriber u
            WHERE u.account_id = :account_id
              AND u.id = (
                  SELECT min(payer_id)
                  FROM invoice
                  WHERE account_id = :account_id AND open_amount > 0
              )
            """,
            {"account_id": built.account_id},
        )
        assert row is not None
        digest = digest_of_email(row["email_key"])
        session = SubscriberSession(token_digest(token), row["id"], digest)
        await insert_session(tx, built.account_id, session)

    await db.write(work)
    response = Response()
    cookies = Cookies(await get_secret(db), is_secure=False)
    cookies.set_subscriber(response, token, path=MY)
    return response.headers["Set-Cookie"].partition(";")[0]


def _beside(
    options: Options, api: Client, user: tuple[str, str, str], paths: list[str]
) -> tuple[dict[str, float], dict[str, float]]:
    """Latencies of a list in ms: alone, and while a client loads one page after the other."""
    seconds = options.seconds * options.rounds
    quiet = _read_until(api, _clock(seconds))
    over = SPAWN.Event()
    loading = SPAWN.Process(target=_load_pages, args=(*user, paths, over))
    loading.start()
    try:
        busy = _read_until(api, _clock(seconds))
    finally:
        over.set()
        loading.join()
    return quiet, busy


def _load_pages(address: str, key: str, cookie: str, paths: list[str], over: Event) -> None:
    """Load one page after the other, in a separate process, so that the times are correct."""
    person = Client(address, key, cookie=cookie)
    for path in cycle(paths):
        if over.is_set():
            return
        person.ask("GET", path)


def _clock(seconds: float) -> Callable[[], bool]:
    until = time.perf_counter() + seconds
    return lambda: time.perf_counter() < until


def _read_until(client: Client, goes_on: Callable[[], bool]) -> dict[str, float]:
    taken = [client.timed("GET", LISTED) * 1e3]
    while goes_on():
        taken.append(client.timed("GET", LISTED) * 1e3)
    p50, p99 = quantile(taken, 0.5), quantile(taken, 0.99)
    return {"p50": p50, "p99": p99, "most": max(taken), "reads": len(taken)}
