"""`masthead account`."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from masthead.cli.command import (
    AccountName,
    CommandError,
    Json,
    command_actor,
    email_site,
    get_named_account,
    on_database,
    parse_date,
    password_link,
    run_on_account,
)
from masthead.cli.output import print_done, print_message, print_records, rows_counted
from masthead.cli.users import print_with_link
from masthead.model.sandboxes import FIRST_DAY
from masthead.model.self_service.settings import page_address
from masthead.model.types.enums import Role
from masthead.model.types.time_zones import UTC
from masthead.services import accounts as service, users
from masthead.services.account_deletion import (
    DeletedAccount,
    delete_account as delete,
    delete_sandbox,
)
from masthead.services.sandboxes.create import create_sandbox
from masthead.services.self_service.settings import switch_all
from masthead.settings import from_env
from masthead.store import accounts as store
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database

SHOWN = "id name subdomain currency is_active daily_date is_sandbox".split()

ACCOUNT = App(
    name="account",
    help="Publishing accounts.",
    help_prologue="""\
Examples:

    masthead account create --name Acme --subdomain acme --currency EUR \\
        --owner ann@acme.test
    masthead account create --name Trial --subdomain trial --currency EUR \\
        --owner ann@acme.test --sandbox
    masthead account list
    masthead account deactivate acme
    masthead account self-service --account acme on
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
    sandbox: Annotated[bool, Parameter(negative="")] = False,
    copy_settings: str | None = None,
    first_day: str | None = None,
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
    sandbox
        create an account for trying out, with made-up data and a clock of its own; its keys begin
        with mh_test_, and its emails are kept instead of sent
    copy_settings
        with --sandbox, the subdomain of an account whose settings and currency it gets instead of
        made-up data
    first_day
        with --sandbox, the day on which its clock begins, YYYY-MM-DD; by default 2026-01-01
    """
    actor = command_actor("account create")
    if not sandbox and (copy_settings or first_day):
        raise CommandError("`--copy-settings` and `--first-day` are only for `--sandbox`.")
    if sandbox:
        account = await create_sandbox(
            db,
            name=name,
            subdomain=subdomain,
            currency=currency,
            owner=owner,
            copied=await get_named_account(db, copy_settings) if copy_settings else None,
            first_day=parse_date(first_day) if first_day else FIRST_DAY,
            placeholder_domain=from_env().placeholder_domain,
            by=actor,
        )
    else:
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
        "is_sandbox": account.is_sandbox,
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


@ACCOUNT.command(name="self-service")
def switch_self_service(
    state: Literal["on", "off"], /, *, account: AccountName, json: Json = False
) -> None:
    """Open the page on which subscribers help themselves, with all that they can do, or close it.

    Labels and printed letters get a QR code of the page, too. Renewals in a shop are only switched
    on if the account has the address of its shop. Owners choose each action, the codes, the texts
    and the colours on the pages of the settings.

    Parameters
    ----------
    state
        `on` or `off`
    account
        subdomain of the account
    """
    is_on = state == "on"
    by, server = command_actor("account self-service"), from_env()
    settings = run_on_account(
        account,
        lambda db, found: switch_all(
            db,
            found.id,
            is_on=is_on,
            page_url=page_address(server.public_url, server.hosts_of_subscribers, account),
            by=by,
        ),
    )
    actions = sorted(each.value for each in settings.actions)
    text = f"Self-service of `{account}` is off."
    if is_on:
        path = f"/my/{account}/"
        text = f"Self-service of `{account}` is on, at {path}. Subscribers can: "
        text += f"{', '.join(actions)}. Labels and letters have its QR code."
        if email_site() is None:
            text += (
                " No mail server is set up, so nobody can sign in there: set MASTHEAD_SMTP_HOST."
            )
    print_done({"account": account, "is_open": is_on, "actions": actions}, text, json=json)


@ACCOUNT.command(name="delete")
def delete_account(
    subdomain: str,
    /,
    *,
    export: Path | None = None,
    yes: Annotated[bool, Parameter(negative="")] = False,
    json: Json = False,
) -> None:
    """Export everything of an inactive account, and delete the account. This cannot be undone.

    A sandbox needs no export, and need not be inactive. Everything is deleted or nothing. Users
    who are in no other account are deleted too. Backups from before still have the account.

    Parameters
    ----------
    export
        where to write the export; the folder must not exist yet, or be empty. Only a sandbox can
        be deleted without one
    yes
        delete without asking
    """
    if not yes:
        _confirm(subdomain)

    async def work(db: Database, account: Account) -> DeletedAccount:
        by = command_actor("account delete")
        if export is None and account.is_sandbox:
            return await delete_sandbox(db, account.id, by=by)
        if export is None:
            raise CommandError(
                f"`{subdomain}` is not a sandbox: say with `--export` where its export goes."
            )
        with rows_counted() as on_progress:
            return await delete(db, account, export, by=by, on_progress=on_progress)

    done = run_on_account(subdomain, work)
    if export is None:
        text = f"The sandbox `{subdomain}` is deleted."
        print_done({"account": subdomain, "rows": done.rows}, text, json=json)
        return
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
