"""What commands share: the open database, data on stdout, words on stderr."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Annotated, Any, TypeVar

import msgspec
from cyclopts import Parameter
from rich.cells import cell_len

from masthead import __version__
from masthead.model.actors import Actor
from masthead.model.errors import excerpt
from masthead.model.pagination import MAX_LIMIT, Page, PageRequest
from masthead.model.validation import closest
from masthead.services.emails.notices import Post
from masthead.settings import from_env
from masthead.store.accounts import Account, find_account, list_accounts
from masthead.store.engine.database import connect, require_version
from masthead.store.engine.interface import Connection, Database
from masthead.store.engine.sqlite.version import engine_name

T = TypeVar("T")

VERSION = f"{__version__} ({engine_name()})"

Json = Annotated[bool, Parameter(name="--json", negative="", help="print one JSON object")]
AccountName = Annotated[str, Parameter(name="--account", help="subdomain of the account")]


class Stop(Exception):
    """The command cannot go on; the message says why and what to do."""


def by(command: str) -> Actor:
    """The command line as the author of changes."""
    return Actor(kind="command", id=command)


def examples(*lines: str) -> str:
    """What the help of a command begins with."""
    return "Examples:\n\n" + "".join(f"    {line}\n" for line in lines)


def say(text: str) -> None:
    """A message for people, on stderr."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - the one place that talks


def put(text: str) -> None:
    """Data for people and scripts, on stdout."""
    print(text, flush=True)  # noqa: T201 - the one place that prints


def put_json(record: Mapping[str, Any]) -> None:
    """One object as JSON, on stdout."""
    put(msgspec.json.encode(record).decode())


def put_record(record: Mapping[str, Any], *, json: bool) -> None:
    """One record on stdout: as JSON, or its fields a line each."""
    if json:
        put_json(record)
    else:
        width = max(map(len, record))
        for name, value in record.items():
            put(f"{name:<{width}}  {_cell(value)}".rstrip())


def put_records(records: Iterable[Mapping[str, Any]], *, json: bool) -> None:
    """Records on stdout: as JSON under `items`, or as a table with a line each, never folded."""
    rows = list(records)
    if json:
        put_json({"items": rows})
    elif rows:
        lines = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
        widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
        for line in lines:
            pairs = zip(line, widths, strict=True)
            padded = (text + " " * (width - cell_len(text)) for text, width in pairs)
            put("  ".join(padded).rstrip())


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def day(text: str) -> date:
    """The day that an option says. Raises: Stop."""
    try:
        return msgspec.convert(text, date)
    except msgspec.ValidationError:
        raise Stop(f"`{text}` is no day; expected YYYY-MM-DD.") from None


def link(token: str | None) -> str | None:
    """The one-time link of a token, by which its user sets a password."""
    return f"{from_env().public_url}/link/{token}/" if token else None


def with_database(work: Callable[[Database], Awaitable[T]]) -> T:
    """What `work` returns, given the database of the settings. Raises: DatabaseError."""

    async def run() -> T:
        settings = from_env()
        seconds = settings.database_timeout
        db = await connect(settings.database_url, seconds=seconds, is_command=True)
        try:
            await require_version(db)
            return await work(db)
        finally:
            await db.close()

    return asyncio.run(run())


def post() -> Post | None:
    """What emails need, by the settings; None if none are sent."""
    settings = from_env()
    if not settings.smtp_host:
        return None
    return Post(settings.public_url, settings.placeholder_domain)


async def account_named(db: Database, subdomain: str) -> Account:
    """The account with that subdomain. Raises: Stop."""
    async with db.read() as connection:
        account = await find_account(connection, subdomain)
        if account is not None:
            return account
        names = [each.subdomain for each in await list_accounts(connection)]
    raise Stop(f"There is no account `{excerpt(subdomain)}`.{closest(subdomain, names)}")


async def list_all(
    db: Database,
    account_id: int,
    list_page: Callable[[Connection, int, PageRequest], Awaitable[Page[T]]],
    key: str,
) -> list[T]:
    """Every record of a list, whose pages are sorted by `key`. Queries: one for 200 of them."""
    records: list[T] = []
    after = None
    async with db.read() as connection:
        while True:
            request = PageRequest(limit=MAX_LIMIT, after=after, binding=b"")
            page = await list_page(connection, account_id, request)
            records += page.items
            if not page.has_more:
                return records
            after = str(getattr(records[-1], key))
