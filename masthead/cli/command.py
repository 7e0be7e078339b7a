"""Shared by all commands: options, errors and the open database."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date
from functools import wraps
from inspect import Parameter as Argument, signature
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar

import msgspec
from cyclopts import Parameter

from masthead import __version__
from masthead.model.actors import Actor
from masthead.model.clock import use_sandbox_day
from masthead.model.emails import Site
from masthead.model.errors import excerpt
from masthead.model.pagination import Page, PageRequest, all_pages
from masthead.model.types.messages import closest
from masthead.settings import Settings, from_env
from masthead.store.accounts import Account, find_account, list_accounts
from masthead.store.engine.database import connect, require_version
from masthead.store.engine.interface import Connection, Database
from masthead.store.engine.sqlite.version import engine_name

P = ParamSpec("P")
T = TypeVar("T")

Json = Annotated[bool, Parameter(name="--json", negative="", help="print one JSON object")]
AccountName = Annotated[str, Parameter(name="--account", help="subdomain of the account")]


class CommandError(Exception):
    """The command cannot continue; the message says why and what to do."""


def version_on(url: str) -> str:
    """The version of masthead with the engine of a database."""
    engine = engine_name() if url.startswith("sqlite:") else "PostgreSQL"
    return f"{__version__} ({engine})"


def command_actor(command: str) -> Actor:
    """The command as the author of changes in the audit log."""
    return Actor(kind="command", id=command)


def format_examples(*lines: str) -> str:
    """The examples at the beginning of a command's help."""
    return "Examples:\n\n" + "".join(f"    {line}\n" for line in lines)


def parse_date(text: str) -> date:
    """The date given in an option. Raises: CommandError."""
    try:
        return msgspec.convert(text, date)
    except msgspec.ValidationError:
        raise CommandError(f"`{text}` is not a date; expected YYYY-MM-DD.") from None


def password_link(token: str | None, settings: Settings | None = None) -> str | None:
    """The address of the page on which the owner of a token sets a password."""
    public_url = (settings or from_env()).public_url
    return f"{public_url}/link/{token}/" if token else None


def run_with_database(
    work: Callable[[Database], Awaitable[T]], settings: Settings | None = None
) -> T:
    """Open the configured database and return the result of `work`. Raises: DatabaseError.

    settings: those of the environment by default.
    """

    async def run() -> T:
        chosen = settings or from_env()
        db = await connect(
            chosen.database_url,
            seconds=chosen.database_timeout,
            is_command=True,
            read_url=chosen.database_read_url,
        )
        try:
            await require_version(db)
            return await work(db)
        finally:
            await db.close()

    return asyncio.run(run())


def email_site() -> Site | None:
    """The site that emails link to; None if no email server is set."""
    settings = from_env()
    if not settings.smtp_host:
        return None
    return Site(settings.public_url, settings.placeholder_domain)


def run_on_account(subdomain: str, work: Callable[[Database, Account], Awaitable[T]]) -> T:
    """Open the configured database; the result of `work`. Raises: CommandError, DatabaseError."""

    async def run(db: Database) -> T:
        account = await get_named_account(db, subdomain)
        use_sandbox_day(account.sandbox_day, account.zone)
        return await work(db, account)

    return run_with_database(run)


def on_database(command: Callable[Concatenate[Database, P], Awaitable[T]]) -> Callable[P, T]:
    """The command on the configured database, which is its first parameter."""

    @wraps(command)
    def run(*arguments: P.args, **options: P.kwargs) -> T:
        return run_with_database(lambda db: command(db, *arguments, **options))

    _, *rest = signature(command).parameters.values()
    run.__signature__ = signature(command).replace(parameters=rest)  # type: ignore[attr-defined]
    return run


def on_account(
    command: Callable[Concatenate[Database, Account, P], Awaitable[T]],
) -> Callable[..., T]:
    """The command with the option `--account`, which gives its first two parameters."""

    @wraps(command)
    def run(*arguments: Any, account: str, **options: Any) -> T:
        return run_on_account(account, lambda db, found: command(db, found, *arguments, **options))

    option = Argument("account", Argument.KEYWORD_ONLY)
    _, _, *rest = signature(command).parameters.values()
    ordered = sorted([option, *rest], key=lambda each: each.kind)
    run.__annotations__["account"] = AccountName
    run.__signature__ = signature(command).replace(parameters=ordered)  # type: ignore[attr-defined]
    return run


async def get_named_account(db: Database, subdomain: str) -> Account:
    """The account with this subdomain. Raises: CommandError."""
    async with db.read() as connection:
        account = await find_account(connection, subdomain)
        if account is not None:
            return account
        names = [each.subdomain for each in await list_accounts(connection)]
    hint = closest(subdomain, names) if names else " `masthead account create` adds one."
    raise CommandError(f"There is no account `{excerpt(subdomain)}`.{hint}")


async def list_all(
    db: Database,
    account_id: int,
    list_page: Callable[[Connection, int, PageRequest], Awaitable[Page[T]]],
) -> list[T]:
    """All records of a list. Queries: one per 200 records."""
    async with db.read() as connection:
        pages = all_pages(lambda request: list_page(connection, account_id, request))
        return [record async for page in pages for record in page]
