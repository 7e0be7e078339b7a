"""Fixtures of all tests: two databases, one app on each, and accounts for each test.

The suite runs on SQLite and on PostgreSQL (`--backend` chooses). Each backend gets one migrated
database and one app for the whole session; each test creates accounts of its own.
"""

import asyncio
import os
import secrets
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, asynccontextmanager, closing, suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import httpx
import hypothesis
import pytest
from argon2 import PasswordHasher
from httpx._transports import default as httpx_transports
from starlette.applications import Starlette

from masthead.app import create_app
from masthead.model.actors import Actor
from masthead.model.types.enums import Scope, SourceType
from masthead.services import accounts, keys, pdf_process, sources
from masthead.services.child_process import run_in_child, run_in_file_thread
from masthead.services.identity import passwords
from masthead.services.sandboxes import create
from masthead.settings import Settings
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database, Transaction
from masthead.store.engine.postgres import session
from masthead.store.engine.sqlite import connection as sqlite_connection
from masthead.store.engine.wrapped import OneTransaction
from masthead.temporary_files import shared_folder
from masthead.web.kit.compiled_templates import CompiledTemplates
from masthead.web.kit.rendering import templates
from tests.support import failover, replica
from tests.support.account_scope import watched_statements
from tests.support.databases import SHARED, Databases, SqliteFolder
from tests.support.described_errors import require_described
from tests.support.logs import reset_logs
from tests.support.postgres import PostgresMissing, open_cluster
from tests.support.quick_collection import QuickCollection
from tests.support.temporary_files import private_folder
from tests.support.time_limits import LastLimit

BACKENDS = ("sqlite", "postgres")
UNMEASURED = {Path(__file__).parent / name for name in ("api", "cli", "web")}  # on PostgreSQL
# Tests that always run on both databases: those of the store, and of what each database does in its
# own way, such as locks, races and backups
ON_BOTH = {
    Path(__file__).parent / name
    for name in (
        *(
            "api/idempotency",
            "api/preconditions/test_races.py",
            "background/test_idle_accounts.py",
            "background/test_leases.py",
            "clients/test_events.py",
            "clients/test_readme.py",
            "clients/test_typescript.py",
        ),
        *("cli/test_migrate.py", "cli/test_moving.py", "cli/test_serve.py"),
        # without the year of a sandbox: it takes a minute, and sandboxes have tests of their own
        *(f"examples/test_{name}.py" for name in ("files", "mailing_house", "newsletter", "shops")),
        *("examples/test_reporting_copy.py", "faults", "races"),
        *("services/moving", "store", "test_secrets.py", "web/test_every_page.py"),
    )
}
# What a change seldom breaks, and takes long: installation, backups, nodes of Citus, replicas,
# servers that are started, examples, and the costs of parsers. `make check` runs it, `make test`
# does not
ONLY_IN_CHECK = {
    Path(__file__).parent / name
    for name in (
        *("background/test_leases.py", "cli/test_moving.py", "cli/test_webhook.py"),
        *("clients/test_typescript.py", "examples", "faults"),
        *("install", "services/billing/test_year.py", "services/moving", "serving"),
        "store/engine/citus",
        *("test_parser_costs.py", "test_secrets.py", "test_text_costs.py"),
        *("web/browser/test_dispatch.py", "web/test_request_costs.py"),
    )
}
# Of the others, those that together run each remaining statement (`make postgres-tests`)
NAMED = Path(__file__).parent / "postgres_tests.txt"
BY = Actor(kind="command", id="tests")

# Without time limits for an example: a busy machine is no fault of the code
hypothesis.settings.register_profile("brief", deadline=None, max_examples=20)
hypothesis.settings.register_profile("long", deadline=None, max_examples=2000)  # `make campaign`
hypothesis.settings.load_profile("brief")


# httpx tries to import it for each request, which takes as long as the request
sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]
# And for each client it reads the certificates of all authorities, which takes 40 ms
httpx_transports.create_ssl_context = cache(  # type: ignore[attr-defined]
    httpx_transports.create_ssl_context  # type: ignore[attr-defined]
)
reset_logs()
# A process finds the templates that others have compiled, as a worker of a server does
templates.bytecode_cache = CompiledTemplates(str(shared_folder("templates")))
# All tests share a server and leave their sandboxes there; the limit has a test of its own
create.MAX_SANDBOXES = 10_000  # type: ignore[attr-defined]


def pytest_configure(config: pytest.Config) -> None:
    """Let no test hang, and let Ctrl-C end what the tests start, also in a background job."""
    config.pluginmanager.register(LastLimit(), "last-limit")
    config.pluginmanager.register(QuickCollection(), "quick-collection")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # which a child process would inherit
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the caller choose the database."""
    parser.addoption(
        "--backend",
        choices=(*BACKENDS, "both", "brief"),
        default="brief",
        help="database to run the suite on (default: brief); brief: on PostgreSQL "
        "only the tests that together run all of its SQL",
    )


def function_of(nodeid: str) -> str:
    """The name of a test without its parameters."""
    return nodeid.partition("[")[0]


@cache
def always_on_both(path: Path) -> bool:
    """Whether the tests of a file run on both databases, unless `--backend` says otherwise."""
    path = NAMED.parent.parent / path
    return not ON_BOTH.isdisjoint((path, *path.parents))


@cache
def named_on_both() -> frozenset[str]:
    """The functions in the list of tests that run on both databases."""
    return frozenset(NAMED.read_text(encoding="utf-8").splitlines())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run everything that needs a database once per backend."""
    if "backend" in metafunc.fixturenames:
        chosen = metafunc.config.getoption("--backend")
        backends = BACKENDS if chosen == "both" else (chosen,)
        if chosen == "brief":
            is_on_both = function_of(
                metafunc.definition.nodeid
            ) in named_on_both() or always_on_both(metafunc.definition.path)
            backends = BACKENDS if is_on_both else BACKENDS[:1]
        metafunc.parametrize("backend", backends, indirect=True, scope="session")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what only `make check` runs, and what is not measured.

    Coverage costs much: on PostgreSQL, it is measured where the code for it is tested.
    """
    for path, group in groupby(items, lambda item: item.path):
        around = {path, *path.parents}
        is_only_in_check = not ONLY_IN_CHECK.isdisjoint(around)
        is_unmeasured = not UNMEASURED.isdisjoint(around)
        for item in group:
            if is_only_in_check:
                item.add_marker("check")
            parameters = item.callspec.params if hasattr(item, "callspec") else {}
            if is_unmeasured and parameters.get("backend") == "postgres":
                item.add_marker("no_cover")


@pytest.fixture(scope="session")
def backend(request: pytest.FixtureRequest) -> str:
    """Which database the test runs on: `sqlite` or `postgres`."""
    name: str = request.param
    return name


@pytest.fixture(scope="session", autouse=True)
def real_passwords() -> Iterator[PasswordHasher]:
    """The parameters of password hashes; tests use the fastest ones."""
    with pytest.MonkeyPatch.context() as patched:
        real = passwords._hasher
        patched.setattr(passwords, "_hasher", PasswordHasher(1, 8, 1))
        yield real


@pytest.fixture(scope="session", autouse=True)
def real_synchronous() -> Iterator[str]:
    """When commits to SQLite reach the disk; in most tests, nothing waits for the disk."""
    with pytest.MonkeyPatch.context() as patched:
        real = sqlite_connection.SYNCHRONOUS
        patched.setattr(sqlite_connection, "SYNCHRONOUS", "OFF")
        yield real


@pytest.fixture(scope="session", autouse=True)
def nothing_flushed() -> Iterator[None]:
    """Exports and backups wait for the disk; only child processes lose their power in tests."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def prepared_once() -> Iterator[None]:
    """A connection of the tests runs more kinds of statements than one of a server."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(session, "STATEMENTS", 2_000)
        yield


@pytest.fixture(scope="session", autouse=True)
def pdfs_in_threads() -> Iterator[None]:
    """The libraries for PDF are loaded once, and not by a process for each file."""

    async def run(work: Callable[..., bytes], *args: object, **_process: object) -> bytes:
        return await run_in_file_thread(work, *args)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pdf_process, "run_in_child", run)
        yield


@pytest.fixture
def pdfs_in_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process writes each PDF, as in a server."""
    monkeypatch.setattr(pdf_process, "run_in_child", run_in_child)


@pytest.fixture(scope="session", autouse=True)
def own_temporary_files() -> Iterator[None]:
    """The first accounts of other test processes work on files, too; they are not the same ones.

    Nor do their servers and commands wait for each other. What others have compiled is there.
    """
    compiled = [shared_folder(name) for name in ("templates", "catalogues")]
    with private_folder() as folder, pytest.MonkeyPatch.context() as patched:
        for source in compiled:
            target = Path(folder, source.name)
            target.mkdir(0o700)
            for file in source.iterdir():
                with suppress(FileNotFoundError):  # it was unfinished
                    (target / file.name).hardlink_to(file)
        patched.setattr(tempfile, "tempdir", str(folder))
        patched.setenv("TMPDIR", str(folder))
        with closing(pdf_process._spare_process):
            yield


@pytest.fixture(scope="session", autouse=True)
def bound_accounts() -> Iterator[None]:
    """Every statement on a table that Citus distributes names its account."""
    with watched_statements():
        yield


class Client:
    """A client of the API; a request without `key` has no Authorization header."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def request(
        self,
        method: str,
        path: str,
        *,
        key: str | None = None,
        params: Mapping[str, Any] | None = None,
        json: object = None,
        content: bytes | str | AsyncIterator[bytes] | None = None,
        headers: Mapping[str, str] | Sequence[tuple[str, str]] | None = None,
    ) -> httpx.Response:
        """Send one request. json: the body, if not None; content: the same as bytes."""
        sent = httpx.Headers(headers)
        if key is not None:
            sent["Authorization"] = f"Bearer {key}"
        if isinstance(content, str):
            content = content.encode()
        request = self._build(method, path, sent, params=params, json=json, content=content)
        response = await self._send(request)
        require_described(method, path, response)
        return response

    def _build(self, method: str, path: str, headers: httpx.Headers, **parts: Any) -> httpx.Request:
        return self._http.build_request(method, path, headers=headers, **parts)

    async def _send(self, request: httpx.Request) -> httpx.Response:
        return await self._http.send(request)

    async def get(self, path: str, **options: Any) -> httpx.Response:
        """GET, with the options of `request`."""
        return await self.request("GET", path, **options)

    async def post(self, path: str, **options: Any) -> httpx.Response:
        """POST, with the options of `request`."""
        return await self.request("POST", path, **options)

    async def patch(self, path: str, **options: Any) -> httpx.Response:
        """PATCH, with the options of `request`."""
        return await self.request("PATCH", path, **options)


class LocalClient(Client):
    """A client of an application in this process.

    The redirects, cookies, hooks and base URLs of httpx, which the API does not need, would double
    the time of a request.
    """

    def __init__(self, app: Starlette) -> None:
        super().__init__(httpx.AsyncClient())
        self._transport = httpx.ASGITransport(app)

    def _build(self, method: str, path: str, headers: httpx.Headers, **parts: Any) -> httpx.Request:
        own = self._http.headers.copy()
        own.update(headers)
        return httpx.Request(method, f"http://masthead.test{path}", headers=own, **parts)

    async def _send(self, request: httpx.Request) -> httpx.Response:
        response = await self._transport.handle_async_request(request)
        await response.aread()
        response.request = request
        return response


@dataclass(frozen=True, kw_only=True)
class Cast:
    """An account with its keys and sources, and a client that uses its read-write key."""

    client: Client
    db: Database
    account_id: int
    name: str
    subdomain: str
    currency: str
    owner: str
    key: str
    key_id: str
    read_only_key: str
    shop: str
    imported: str
    checkout: str
    inactive_source: str

    async def get(self, path: str, **params: object) -> httpx.Response:
        """GET with the given query parameters."""
        return await self.client.get(path, key=self.key, params=params or None)

    async def post(self, path: str, body: object = None) -> httpx.Response:
        """POST with a JSON body, or without a body."""
        return await self.client.post(path, key=self.key, json=body)

    async def patch(self, path: str, body: object) -> httpx.Response:
        """PATCH with a JSON body."""
        return await self.client.patch(path, key=self.key, json=body)


@pytest.fixture(scope="session")
def databases(
    backend: str, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[Databases]:
    """Where the databases of this session are created; they are deleted when it ends."""
    if backend == "sqlite":
        yield SqliteFolder(tmp_path_factory.mktemp("databases"))
        return
    opened: AbstractContextManager[Databases] = open_cluster()
    if replica.IS_WANTED:
        opened = replica.open_copied_cluster()
    elif failover.IS_WANTED:
        opened = failover.open_synchronous_pair(pytestconfig.pluginmanager)
    try:
        with opened as cluster:
            yield cluster
    except PostgresMissing as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def empty_database(databases: Databases) -> Callable[[], str]:
    """A factory of databases without tables; it returns their URLs."""
    return databases.create_database


@pytest.fixture(scope="session")
def migrated_database(databases: Databases) -> Callable[[], str]:
    """A factory of databases that have all tables; it returns their URLs."""
    return databases.create_migrated_database


@pytest.fixture(scope="session")
def database_url(migrated_database: Callable[[], str]) -> str:
    """The database of this session."""
    url = migrated_database()
    SHARED.add(url)
    return url


@pytest.fixture
def scratch_url(migrated_database: Callable[[], str]) -> str:
    """A separate database, which the test may break."""
    return migrated_database()


@asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[tuple[Starlette, Client]]:
    """The service without its background work, and a client in the same process."""
    read_url = settings.database_read_url or replica.read_url_of(settings.database_url)
    app = create_app(replace(settings, database_read_url=read_url), background=False)
    async with app.router.lifespan_context(app):
        yield app, LocalClient(app)


@pytest.fixture(scope="session")
async def service(database_url: str) -> AsyncIterator[tuple[Starlette, Client]]:
    """The service of this session, and its client.

    It starts with fresh threads: those that began in a test without coverage measure nothing later.
    """
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
    async with serving(Settings(database_url=database_url)) as service:
        yield service


@pytest.fixture(scope="session")
def app(service: tuple[Starlette, Client]) -> Starlette:
    """The service as an ASGI application."""
    return service[0]


@pytest.fixture(scope="session")
def client(service: tuple[Starlette, Client]) -> Client:
    """An HTTP client of the service."""
    return service[1]


@pytest.fixture(scope="session")
def db(app: Starlette) -> Database:
    """The database that the service works on."""
    database: Database = app.state.db
    return database


async def make_account(client: Client, db: Database, name: str, currency: str = "EUR") -> Cast:
    """A new account under a random subdomain, with keys and one source of each type.

    Two transactions: one for the account, and one for all that is locked by it.
    """
    subdomain = f"{name.lower()}-{secrets.token_hex(5)}"
    owner = f"owner@{subdomain}.test"
    account = await accounts.create_account(
        db, name=name, subdomain=subdomain, currency=currency, owner=owner, by=BY
    )

    async def fill(tx: Transaction) -> Cast:
        whole = OneTransaction(db, tx, is_long=False)
        return await _fill_account(client, db, whole, account, owner)

    return await db.write(fill, account_id=account.id)


async def _fill_account(
    client: Client, db: Database, whole: Database, account: Account, owner: str
) -> Cast:
    """Create the keys and sources of an account in `whole`, a transaction on `db`."""

    async def make_key(scope: Scope) -> tuple[str, str]:
        return await keys.create_key(whole, account.id, user=owner, scope=scope, by=BY)

    async def make_source(name: str, type: SourceType) -> str:
        source = await sources.create_source(whole, account.id, name=name, type=type, by=BY)
        return source.id

    key_id, key = await make_key(Scope.READ_WRITE)
    _, read_only_key = await make_key(Scope.READ_ONLY)
    cast = Cast(
        client=client,
        db=db,
        account_id=account.id,
        name=account.name,
        subdomain=account.subdomain,
        currency=account.currency,
        owner=owner,
        key=key,
        key_id=key_id,
        read_only_key=read_only_key,
        shop=await make_source("Shop", SourceType.SHOP),
        imported=await make_source("Import", SourceType.IMPORT),
        checkout=await make_source("Checkout", SourceType.CHECKOUT),
        inactive_source=await make_source("Old shop", SourceType.SHOP),
    )
    await sources.set_source_active(whole, account.id, cast.inactive_source, is_active=False, by=BY)
    return cast


@pytest.fixture
async def acme(client: Client, db: Database) -> Cast:
    """The account that most tests work with."""
    return await make_account(client, db, "Acme")


@pytest.fixture
async def rival(client: Client, db: Database) -> Cast:
    """Another account, whose data Acme must never see."""
    return await make_account(client, db, "Rival")


@pytest.fixture
async def dormant(client: Client, db: Database) -> Cast:
    """An account that is deactivated."""
    cast = await make_account(client, db, "Dormant")
    await accounts.set_account_active(db, cast.account_id, is_active=False, by=BY)
    return cast
