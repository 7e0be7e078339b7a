"""The web area: every page of an account, one by one, and a list of the API at the same time."""

import asyncio
import contextlib
import multiprocessing
import re
import time
from collections.abc import Callable
from itertools import cycle
from multiprocessing.synchronize import Event
from urllib.parse import urlencode

from starlette.responses import Response

from bench import data
from bench.clients.client import Client
from bench.databases import BY, Built, Databases
from bench.measure.subscriber_pages import open_subscriber_session
from bench.options import Options
from bench.rounds import Figures, quantile, spreads
from bench.servers.processes import ALL, masthead, move
from bench.servers.ready import ask_database, wait_for_documents
from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.ids import new_token, token_digest
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.background.trends import refresh_trend
from masthead.services.emails.notices import Site
from masthead.services.identity import sign_in
from masthead.services.letters.write import write_letters
from masthead.services.revenue.statements import make_statement, request_statement
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database, Transaction
from masthead.store.identity import people
from masthead.store.identity import sessions as store
from masthead.web.kit.cookies import Cookies
from masthead.web.routes import PAGES

DESK = "/desk/{subdomain}/"
CHUNKED = ("/addresses/", "/csv/", "/xlsx/", "/download/")  # files as long as a list, sent in parts
# Only with a query: the first for a key of a dispatch run, which the data does not have
QUERIED = (
    "copy-key/moved/",
    "ending/retention/list/",
    "money/deferred/{id}/orders/",
    "money/deferred/{id}/compare/",
)
SPAWN = multiprocessing.get_context("spawn")
SITE = Site("https://masthead.test", "masthead.test")
LISTED = "/v1/subscriptions/?limit=50"


def measure(options: Options, databases: Databases, backend: str) -> Figures:
    """Milliseconds of each page, and of a list alone and during page views. Nothing is pinned."""
    built = databases.get(backend, data.DESK, data.DESK.rows_for(options.copies))
    if backend == "postgres":
        move(databases.cluster.pid, ALL)
    with databases.copy(backend, built) as copy:
        cookie, trend, (own, own_paths) = asyncio.run(_prepare(copy))
        with masthead(copy.url, cores=ALL) as server:
            wait_for_documents(copy.url)
            api = Client(server.address, copy.key)
            person = Client(server.address, copy.key, cookie=cookie)
            found = paths_of(api, copy)
            paths = {name: path for name, path in found.items() if _opens(person, path)}
            reader = Client(server.address, copy.key, cookie=own)
            rows = []
            for client, shown in ((person, paths), (reader, own_paths)):
                for name, path in shown.items():
                    rounds = [_timed(options, client, path) for _ in range(options.rounds)]
                    rows.append({"name": name, **spreads(rounds)})
            api.close()  # the server has closed it in the meantime
            quiet, busy = _beside(
                options, api, (server.address, copy.key, cookie), list(paths.values())
            )
            own_quiet, own_busy = _beside(
                options, api, (server.address, copy.key, own), list(own_paths.values())
            )
    return {
        "copies": options.copies,
        "subscriptions": built.rows,
        "trend_seconds": trend,
        "rows": rows,
        "quiet": quiet,
        "busy": busy,
        "subscribers": {"quiet": own_quiet, "busy": own_busy},
    }


async def _prepare(built: Built) -> tuple[str, float, tuple[str, dict[str, str]]]:
    """A session of the owner, as a cookie, the seconds that the trend took, and a session of a
    subscriber with its pages.

    Also makes a statement of deferred revenue and a batch of letters, which have own pages.
    """
    db = await connect(built.url)
    try:
        began = time.perf_counter()
        today = now().date()
        await refresh_trend(db, built.account_id, today)
        trend = time.perf_counter() - began
        statement = await request_statement(db, built.account_id, today, today=today, by=BY)
        await make_statement(db, built.account_id, statement)
        stage, channel = RenewalStage.LAST, LetterChannel.EMAIL
        with contextlib.suppress(Invalid):  # very little data may have no letters
            await write_letters(db, built.account_id, stage, channel, site=SITE, by=BY)
        own = await open_subscriber_session(db, built)
        return await _open_session(db), trend, own
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
    Cookies(await sign_in.get_secret(db), is_secure=False).set_session(response, token)
    return response.headers["Set-Cookie"].partition(";")[0]


def paths_of(api: Client, built: Built) -> dict[str, str]:
    """Every page of the desk and the settings, and the lists with common filters.

    Without the pages of records that the data does not have, such as an uploaded file.
    """
    subscription = api.get("/v1/subscriptions/")["items"][0]
    issue = api.get("/v1/issues/")["items"][0]["id"]
    runs = api.get("/v1/dispatches/")["items"]
    statement = _one(built, "SELECT id FROM revenue_statement WHERE account_id = :account_id")
    batch = _one(built, "SELECT id FROM letter_batch WHERE account_id = :account_id")
    owned = {
        "subscribers": subscription["subscriber"]["id"],
        "subscriptions": subscription["id"],
        "issues": issue,
        "sources": built.sources["Web shop"],
        "deferred": statement,
        "batches": batch,
        **({"dispatches": runs[0]["id"]} if runs else {}),
        **{
            table: _one(built, sql)
            for table, sql in {
                "products": "SELECT id FROM product WHERE account_id = :account_id",
                "keys": "SELECT id FROM api_key WHERE account_id = :account_id",
                "users": "SELECT user_id AS id FROM account_user WHERE account_id = :account_id",
            }.items()
        },
    }
    desk = DESK.replace("{subdomain}", "bench")
    paths = {}
    for page in PAGES:
        name = page.path.removeprefix(DESK)
        if not page.path.startswith(DESK) or "GET" not in page.methods:
            continue
        if name.endswith(CHUNKED) or name in QUERIED:
            continue
        kind = name.partition("/{")[0].rpartition("/")[2]
        if "{" not in name or (owned.get(kind) and name.count("{") == 1):
            paths[name or "home"] = desk + name.replace("{id}", owned.get(kind, ""))
    for stage in RenewalStage:
        paths[f"letters/{stage}/"] = f"{desk}letters/{stage}/"
        paths[f"settings/renewal-letters/{stage}/"] = f"{desk}settings/renewal-letters/{stage}/"
    asked: dict[str, list[dict[str, str]]] = {
        "money/": [{"from": "2024-01", "to": "2026-12"}],
        "subscribers/": [{"search": "springfield"}, {"search": "an"}, {"search": "quillfeather"}],
        "subscriptions/": [
            {"search": "springfield"},
            {"status": "Active"},
            {"status": "Past due"},
            {"status": "Cancelled", "country": data.COUNTRIES[0]},
        ],
        "ending/": [{"sort": "name"}],
        "ending/lapsed/": [{"ago": "2"}, {"ago": "2", "country": data.COUNTRIES[0]}],
        "ending/retention/list/": [{"issue": "30"}, {"issue": "30", "renewed": "no"}],
        f"issues/{issue}/": [{"status": "Not sent"}, {"status": "Not sent", "country": "GL"}],
    }
    for name, queries in asked.items():
        for query in queries:
            shown = name.replace(issue, "{id}") + "?" + urlencode(query)
            paths[shown] = f"{desk}{name}?{urlencode(query)}"
    return paths


def _one(built: Built, sql: str) -> str:
    """The first id of a query; empty if there is none."""
    row = ask_database(built.url, sql, account_id=built.account_id)
    return str(row["id"]) if row else ""


def _opens(client: Client, path: str) -> bool:
    """Whether the data has what a page shows: some of invoices need settings that it lacks."""
    try:
        client.ask("GET", path)
    except RuntimeError as reason:
        if not re.search(r"is answered with (303|400|404)", str(reason)):
            raise
        return False
    return True


def _timed(options: Options, client: Client, path: str) -> dict[str, float]:
    """A round: consecutive requests of a page, as many as configured, within the time limit."""
    client.ask("GET", path)  # the first one fills caches
    taken: list[float] = []
    until = time.perf_counter() + options.seconds / 2
    while len(taken) < options.requests and (not taken or time.perf_counter() < until):
        taken.append(client.timed("GET", path) * 1e3)
    return {"p50": quantile(taken, 0.5), "p99": quantile(taken, 0.99), "most": max(taken)}


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
