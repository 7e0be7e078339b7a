"""`masthead account` and `masthead user`."""

from typing import Annotated, Any

from cyclopts import App, Parameter

from masthead.cli.account_deletion import delete_account
from masthead.cli.command import (
    AccountName,
    CommandError,
    Json,
    command_actor,
    email_site,
    get_account,
    password_link,
    run_with_database,
)
from masthead.cli.output import print_done, print_message, print_record, print_records
from masthead.model.errors import excerpt
from masthead.model.types.enums import Role
from masthead.model.types.messages import closest
from masthead.model.types.time_zones import UTC
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
    masthead account delete acme --export /srv/exports/acme
""",
)
ACCOUNT.command(delete_account, name="delete")
USER = App(
    name="user",
    help="Users of an account.",
    help_prologue="""\
Examples:

    masthead user invite --account acme --email bob@acme.test
    masthead user invite --account acme --email cleo@acme.test --role owner
    masthead user reset --email bob@acme.test
    masthead user reset-factors --email bob@acme.test
    masthead user list --account acme
    masthead user remove --account acme bob@acme.test
""",
)


@ACCOUNT.command(name="create")
def create_account(
    *,
    name: str,
    subdomain: str,
    currency: str,
    owner: str,
    time_zone: str = UTC,
    country: str | None = None,
    json: Json = False,
) -> None:
    """Create an account and print a link for its owner to set a password.

    The link works once, for 7 days.

    Parameters
    ----------
    name
        name of the magazine or publisher
    subdomain
        short name for addresses and commands: lowercase letters, digits and hyphens
    currency
        ISO 4217 code of the currency of all prices, such as EUR
    owner
        email address of the owner
    time_zone
        where the publisher is, such as Europe/Berlin: moments in imported files become days there
    country
        ISO code of the publisher's country, such as DE; it decides what is written on addresses
    """

    actor = command_actor("account create")

    async def work(db: Database) -> dict[str, Any]:
        account = await service.create_account(
            db,
            name=name,
            subdomain=subdomain,
            currency=currency,
            owner=owner,
            time_zone=time_zone,
            country=country,
            by=actor,
        )
        invited = await users.invite_user(db, account.id, email=owner, role=Role.OWNER, by=actor)
        return {
            "id": account.id,
            "name": account.name,
            "subdomain": account.subdomain,
            "currency": account.currency,
            "owner": owner,
            "link": password_link(invited.token),
        }

    _print_with_link(run_with_database(work), json=json)


@ACCOUNT.command(name="list")
def list_accounts(*, json: Json = False) -> None:
    """List all accounts."""

    async def work(db: Database) -> list[dict[str, Any]]:
        async with db.read() as connection:
            found = await store.list_accounts(connection)
            return [{name: getattr(each, name) for name in SHOWN} for each in found]

    print_records(run_with_database(work), json=json)


@ACCOUNT.command(name="activate")
def activate_account(subdomain: str, /, *, json: Json = False) -> None:
    """Activate an account: its API works again."""
    _set_active(subdomain, is_active=True, json=json)


@ACCOUNT.command(name="deactivate")
def deactivate_account(subdomain: str, /, *, json: Json = False) -> None:
    """Deactivate an account: its API stops working; its data is kept."""
    _set_active(subdomain, is_active=False, json=json)


def _set_active(subdomain: str, *, is_active: bool, json: bool) -> None:
    word = "activate" if is_active else "deactivate"

    async def work(db: Database) -> None:
        account = await get_account(db, subdomain)
        await service.set_account_active(
            db, account.id, is_active=is_active, by=command_actor(f"account {word}")
        )

    run_with_database(work)
    print_done(
        {"account": subdomain, "is_active": is_active},
        f"Account `{subdomain}` is {'active' if is_active else 'inactive'}.",
        json=json,
    )


@USER.command(name="add")
def add_user(*, account: AccountName, email: str, json: Json = False) -> None:
    """Add a user to an account as staff, without a link; see also `user invite`."""

    async def work(db: Database) -> dict[str, Any]:
        found = await get_account(db, account)
        id = await service.add_user(db, found.id, email=email, by=command_actor("user add"))
        return {"id": id, "email": email, "account": account}

    print_record(run_with_database(work), json=json)


@USER.command(name="invite")
def invite_user(
    *,
    account: AccountName,
    email: str,
    role: Annotated[Role, Parameter(name_transform=str.lower)] = Role.STAFF,
    json: Json = False,
) -> None:
    """Add a user to an account and print a link to set a password.

    The link works once, for 7 days. Users who already have a password get no link.

    Parameters
    ----------
    role
        owners may do everything; staff may do everything except change the account's settings
    """

    async def work(db: Database) -> dict[str, Any]:
        found = await get_account(db, account)
        invited = await users.invite_user(
            db, found.id, email=email, role=role, by=command_actor("user invite")
        )
        return {
            "id": invited.id,
            "email": invited.email,
            "account": account,
            "role": role,
            "link": password_link(invited.token),
        }

    _print_with_link(run_with_database(work), json=json)


def _print_with_link(record: dict[str, Any], *, json: bool) -> None:
    print_record(record, json=json)
    if record["link"] is None:
        email = record.get("email") or record["owner"]
        print_message(
            f"`{email}` already has a password and signs in with it. If you are not sure that the "
            "user set it, run `masthead user reset` to let them set another one."
        )


@USER.command(name="reset")
def reset_user(*, email: str, json: Json = False) -> None:
    """Print a link for a user to set a new password; it works once, for a day.

    The old password works until the link is used.
    """

    async def work(db: Database) -> dict[str, Any]:
        token = await sign_in.create_link(db, email, by=command_actor("user reset"))
        return {"email": email, "link": password_link(token)}

    print_record(run_with_database(work), json=json)


@USER.command(name="reset-factors")
def reset_second_factors(*, email: str, json: Json = False) -> None:
    """Remove the passkeys, authenticator app and recovery codes of a user who has lost them.

    Afterwards the user signs in with the password alone. First check who asked for the reset.
    """

    async def work(db: Database) -> None:
        await second_factors.reset_second_factors(
            db, email, by=command_actor("user reset-factors"), site=email_site()
        )

    run_with_database(work)
    print_done(
        {"email": email, "has_second_factor": False},
        f"Two-step sign-in of `{email}` is reset; the user now signs in with the password alone.",
        json=json,
    )


@USER.command(name="list")
def list_users(*, account: AccountName, json: Json = False) -> None:
    """List the users of an account."""

    async def work(db: Database) -> list[dict[str, Any]]:
        found = await get_account(db, account)
        async with db.read() as connection:
            listed = await user_store.list_users(connection, found.id)
        return [{"id": each.id, "email": each.email, "role": each.role} for each in listed]

    print_records(run_with_database(work), json=json)


@USER.command(name="remove")
def remove_user(email: str, *, account: AccountName, json: Json = False) -> None:
    """Remove a user from an account, and revoke their API keys of the account.

    The only owner of an account cannot be removed.
    """

    async def work(db: Database) -> dict[str, Any]:
        found = await get_account(db, account)
        async with db.read() as connection:
            user = await user_store.find_user(connection, found.id, email)
            known = [each.email for each in await user_store.list_users(connection, found.id)]
        if user is None:
            raise CommandError(
                f"`{excerpt(email)}` is not a user of this account.{closest(email, known)}"
            )
        await users.remove_user(db, found.id, user.id, by=command_actor("user remove"))
        return {"id": user.id, "email": user.email, "account": account}

    removed = run_with_database(work)
    text = f"`{removed['email']}` is no longer a user of `{account}`."
    print_done(removed, text, json=json)
