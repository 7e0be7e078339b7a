"""`masthead account` and `masthead user`."""

from typing import Any

from cyclopts import App
from msgspec import structs

from masthead.cli.output import (
    AccountName,
    Json,
    account_named,
    by,
    put_record,
    put_records,
    say,
    with_database,
)
from masthead.services import accounts as service
from masthead.store import accounts as store
from masthead.store.connection import Database

ACCOUNT = App(
    name="account",
    help="Publishing accounts.",
    help_prologue="""\
Examples:

    masthead account create --name Acme --subdomain acme --currency EUR \\
        --owner ann@acme.test
    masthead account list
    masthead account deactivate acme
""",
)
USER = App(
    name="user",
    help="The people of an account.",
    help_prologue="""\
Examples:

    masthead user add --account acme --email bob@acme.test
    masthead user list --account acme
""",
)


@ACCOUNT.command(name="create")
def create_account(
    *, name: str, subdomain: str, currency: str, owner: str, json: Json = False
) -> None:
    """Make an account.

    Parameters
    ----------
    name
        what the magazine or publisher is called
    subdomain
        short name for addresses and commands: small letters, digits, hyphens
    currency
        ISO code of the selling currency, such as EUR
    owner
        e-mail address of the owner
    """

    async def work(db: Database) -> dict[str, Any]:
        account = await service.create_account(
            db,
            name=name,
            subdomain=subdomain,
            currency=currency,
            owner=owner,
            by=by("account create"),
        )
        return {
            "id": account.id,
            "name": account.name,
            "subdomain": account.subdomain,
            "currency": account.currency,
            "owner": owner,
        }

    put_record(with_database(work), json=json)


@ACCOUNT.command(name="list")
def list_accounts(*, json: Json = False) -> None:
    """List all accounts."""

    async def work(db: Database) -> list[dict[str, Any]]:
        async with db.read() as connection:
            return [structs.asdict(each) for each in await store.list_accounts(connection)]

    put_records(with_database(work), json=json)


@ACCOUNT.command(name="activate")
def activate_account(subdomain: str, /) -> None:
    """Open the API for an account again."""
    _set_active(subdomain, is_active=True)


@ACCOUNT.command(name="deactivate")
def deactivate_account(subdomain: str, /) -> None:
    """Close the API for an account; its data stays."""
    _set_active(subdomain, is_active=False)


def _set_active(subdomain: str, *, is_active: bool) -> None:
    word = "activate" if is_active else "deactivate"

    async def work(db: Database) -> None:
        account = await account_named(db, subdomain)
        await service.set_account_active(
            db, account.id, is_active=is_active, by=by(f"account {word}")
        )

    with_database(work)
    say(f"Account `{subdomain}` is {'active' if is_active else 'inactive'}.")


@USER.command(name="add")
def add_user(*, account: AccountName, email: str, json: Json = False) -> None:
    """Let a person into an account."""

    async def work(db: Database) -> dict[str, Any]:
        found = await account_named(db, account)
        id = await service.add_user(db, found.id, email=email, by=by("user add"))
        return {"id": id, "email": email, "account": account}

    put_record(with_database(work), json=json)


@USER.command(name="list")
def list_users(*, account: AccountName, json: Json = False) -> None:
    """List the people of an account."""

    async def work(db: Database) -> list[dict[str, Any]]:
        found = await account_named(db, account)
        async with db.read() as connection:
            return await store.list_users(connection, found.id)

    put_records(with_database(work), json=json)
