"""`masthead account`."""

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from masthead.cli.command import (
    CommandError,
    Json,
    command_actor,
    on_database,
    password_link,
    run_on_account,
)
from masthead.cli.output import print_done, print_message, print_records, rows_counted
from masthead.cli.users import print_with_link
from masthead.model.types.enums import Role
from masthead.model.types.time_zones import UTC
from masthead.services import accounts as service
from masthead.services import users
from masthead.services.account_deletion import DeletedAccount
from masthead.services.account_deletion import delete_account as delete
from masthead.store import accounts as store
from masthead.store.accounts import Account
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


@ACCOUNT.command(name="create")
@on_database
async def create_account(
    db: Database,
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
    created = {
        "id": account.id,
        "name": account.name,
        "subdomain": account.subdomain,
        "currency": account.currency,
        "owner": owner,
        "link": password_link(invited.token),
    }
    print_with_link(created, json=json)


@ACCOUNT.command(name="list")
@on_database
async def list_accounts(db: Database, *, json: Json = False) -> None:
    """List all accounts."""
    async with db.read() as connection:
        accounts = await store.list_accounts(connection)
    print_records([{name: getattr(each, name) for name in SHOWN} for each in accounts], json=json)


@ACCOUNT.command(name="activate")
def activate_account(subdomain: str, /, *, json: Json = False) -> None:
    """Activate an account: its API works again."""
    _set_active(subdomain, is_active=True, json=json)


@ACCOUNT.command(name="deactivate")
def deactivate_account(subdomain: str, /, *, json: Json = False) -> None:
    """Deactivate an account: its API stops working; its data is kept."""
    _set_active(subdomain, is_active=False, json=json)


def _set_active(subdomain: str, *, is_active: bool, json: bool) -> None:
    by = command_actor(f"account {'activate' if is_active else 'deactivate'}")
    run_on_account(
        subdomain,
        lambda db, account: service.set_account_active(db, account.id, is_active=is_active, by=by),
    )
    print_done(
        {"account": subdomain, "is_active": is_active},
        f"Account `{subdomain}` is {'active' if is_active else 'inactive'}.",
        json=json,
    )


@ACCOUNT.command(name="delete")
def delete_account(
    subdomain: str,
    /,
    *,
    export: Path,
    yes: Annotated[bool, Parameter(negative="")] = False,
    json: Json = False,
) -> None:
    """Export everything of an inactive account, and delete the account. This cannot be undone.

    Everything is deleted or nothing. Users who are in no other account are deleted too. Backups
    from before still have the account.

    Parameters
    ----------
    export
        where to write the export; the folder must not exist yet, or be empty
    yes
        delete without asking
    """
    if not yes:
        _confirm(subdomain)

    async def work(db: Database, account: Account) -> DeletedAccount:
        by = command_actor("account delete")
        with rows_counted() as on_progress:
            return await delete(db, account, export, by=by, on_progress=on_progress)

    done = run_on_account(subdomain, work)
    print_done(
        {"account": subdomain, "export": str(export), "rows": done.rows, "users": done.users},
        f"Account `{subdomain}` is deleted: {done.rows} rows, and {done.users} users who were in "
        f"no other account. `{export}` has everything that it had. The files have personal data. "
        "Only you can read them; keep it so.",
        json=json,
    )


def _confirm(subdomain: str) -> None:
    """Raises: CommandError unless the subdomain is typed on the terminal."""
    if not sys.stdin.isatty():
        raise CommandError("There is no terminal to ask on. To delete without asking, use `--yes`.")
    print_message(f"This deletes the account for ever. Type `{subdomain}` to delete it:")
    if input("> ").strip() != subdomain:
        raise CommandError("Nothing was changed.")
