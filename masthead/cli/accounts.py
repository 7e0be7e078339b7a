"""`masthead account` and `masthead user`."""

from typing import Annotated, Any

from cyclopts import App, Parameter

from masthead.cli.output import (
    AccountName,
    Json,
    account_named,
    by,
    link,
    post,
    put_record,
    put_records,
    say,
    with_database,
)
from masthead.model.types.enums import Role
from masthead.services import accounts as service
from masthead.services import users
from masthead.services.identity import second_factors, sign_in
from masthead.store import accounts as store
from masthead.store import users as user_store
from masthead.store.engine.interface import Database

SHOWN = "id name subdomain currency is_active daily_date".split()

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

    masthead user invite --account acme --email bob@acme.test
    masthead user invite --account acme --email cleo@acme.test --role owner
    masthead user reset --email bob@acme.test
    masthead user reset-factors --email bob@acme.test
    masthead user list --account acme
""",
)


@ACCOUNT.command(name="create")
def create_account(
    *, name: str, subdomain: str, currency: str, owner: str, json: Json = False
) -> None:
    """Make an account. Its owner sets a password by the link that is printed, once, in 7 days.

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

    actor = by("account create")

    async def work(db: Database) -> dict[str, Any]:
        account = await service.create_account(
            db, name=name, subdomain=subdomain, currency=currency, owner=owner, by=actor
        )
        invited = await users.invite_user(db, account.id, email=owner, role=Role.OWNER, by=actor)
        return {
            "id": account.id,
            "name": account.name,
            "subdomain": account.subdomain,
            "currency": account.currency,
            "owner": owner,
            "link": link(invited.token),
        }

    _put_with_link(with_database(work), json=json)


@ACCOUNT.command(name="list")
def list_accounts(*, json: Json = False) -> None:
    """List all accounts."""

    async def work(db: Database) -> list[dict[str, Any]]:
        async with db.read() as connection:
            found = await store.list_accounts(connection)
            return [{name: getattr(each, name) for name in SHOWN} for each in found]

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
    """Let a person into an account, as staff and without a link; see `user invite`."""

    async def work(db: Database) -> dict[str, Any]:
        found = await account_named(db, account)
        id = await service.add_user(db, found.id, email=email, by=by("user add"))
        return {"id": id, "email": email, "account": account}

    put_record(with_database(work), json=json)


@USER.command(name="invite")
def invite_user(
    *,
    account: AccountName,
    email: str,
    role: Annotated[Role, Parameter(name_transform=str.lower)] = Role.STAFF,
    json: Json = False,
) -> None:
    """Let a person into an account, and print a link by which they set a password.

    The link works once, for 7 days. Whoever has a password already gets none, and needs none.

    Parameters
    ----------
    role
        owners may do everything, staff all but the account's settings
    """

    async def work(db: Database) -> dict[str, Any]:
        found = await account_named(db, account)
        invited = await users.invite_user(
            db, found.id, email=email, role=role, by=by("user invite")
        )
        return {
            "id": invited.id,
            "email": invited.email,
            "account": account,
            "role": role,
            "link": link(invited.token),
        }

    _put_with_link(with_database(work), json=json)


def _put_with_link(record: dict[str, Any], *, json: bool) -> None:
    put_record(record, json=json)
    if record["link"] is None:
        email = record.get("email") or record["owner"]
        say(
            f"`{email}` has a password already, and signs in with it. If you cannot be sure that "
            "its owner set it, `masthead user reset` lets them set another."
        )


@USER.command(name="reset")
def reset_user(*, email: str, json: Json = False) -> None:
    """Print a link by which a person sets a new password; it works once, for a day.

    Until they use it their password stays as it is.
    """

    async def work(db: Database) -> dict[str, Any]:
        token = await sign_in.create_link(db, email, by=by("user reset"))
        return {"email": email, "link": link(token)}

    put_record(with_database(work), json=json)


@USER.command(name="reset-factors")
def reset_second_factors(*, email: str) -> None:
    """Remove the passkeys, authenticator app and recovery codes of a person who has lost them.

    Afterwards they sign in with the password alone. First verify that the request is theirs.
    """

    async def work(db: Database) -> None:
        await second_factors.reset_second_factors(
            db, email, by=by("user reset-factors"), post=post()
        )

    with_database(work)
    say(f"Two-step sign-in of `{email}` is reset; they now sign in with the password alone.")


@USER.command(name="list")
def list_users(*, account: AccountName, json: Json = False) -> None:
    """List the people of an account."""

    async def work(db: Database) -> list[dict[str, Any]]:
        found = await account_named(db, account)
        async with db.read() as connection:
            listed = await user_store.list_users(connection, found.id)
        return [{"id": each.id, "email": each.email, "role": each.role} for each in listed]

    put_records(with_database(work), json=json)
