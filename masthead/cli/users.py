"""`masthead user`."""

from typing import Annotated, Any

from cyclopts import App, Parameter

from masthead.cli.command import (
    CommandError,
    Json,
    command_actor,
    email_site,
    on_account,
    on_database,
    password_link,
)
from masthead.cli.output import print_done, print_message, print_record, print_records
from masthead.model.errors import excerpt
from masthead.model.identity.rights import in_order, rights_of_command
from masthead.model.types.enums import Role
from masthead.model.types.messages import closest
from masthead.services import users as service
from masthead.services.identity import second_factors, sign_in
from masthead.store import users as store
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database
from masthead.store.users import User

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
    masthead user rights --account acme bob@acme.test --rights dispatch,correct
    masthead user remove --account acme bob@acme.test
""",
)


@USER.command(name="add")
@on_account
async def add_user(db: Database, account: Account, *, email: str, json: Json = False) -> None:
    """Add a user to an account as staff, without a link; see also `user invite`."""
    id = await service.add_user(db, account.id, email=email, by=command_actor("user add"))
    print_record({"id": id, "email": email, "account": account.subdomain}, json=json)


@USER.command(name="invite")
@on_account
async def invite_user(
    db: Database,
    account: Account,
    *,
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
    by = command_actor("user invite")
    invited = await service.invite_user(db, account.id, email=email, role=role, by=by)
    record = {
        "id": invited.id,
        "email": invited.email,
        "account": account.subdomain,
        "role": role,
        "link": password_link(invited.token),
    }
    print_with_link(record, json=json)


def print_with_link(record: dict[str, Any], *, json: bool) -> None:
    """Print a record with the link to set a password; without one, why there is none."""
    print_record(record, json=json)
    if record["link"] is None:
        email = record.get("email") or record["owner"]
        print_message(
            f"`{email}` already has a password and signs in with it. If you are not sure that the "
            "user set it, run `masthead user reset` to let them set another one."
        )


@USER.command(name="reset")
@on_database
async def reset_user(db: Database, *, email: str, json: Json = False) -> None:
    """Print a link for a user to set a new password; it works once, for a day.

    The old password works until the link is used.
    """
    token = await sign_in.create_link(db, email, by=command_actor("user reset"))
    print_record({"email": email, "link": password_link(token)}, json=json)


@USER.command(name="reset-factors")
@on_database
async def reset_second_factors(db: Database, *, email: str, json: Json = False) -> None:
    """Remove the passkeys, authenticator app and recovery codes of a user who has lost them.

    Afterwards the user signs in with the password alone. First check who asked for the reset.
    """
    await second_factors.reset_second_factors(
        db, email, by=command_actor("user reset-factors"), site=email_site()
    )
    print_done(
        {"email": email, "has_second_factor": False},
        f"Two-step sign-in of `{email}` is reset; the user now signs in with the password alone.",
        json=json,
    )


@USER.command(name="list")
@on_account
async def list_users(db: Database, account: Account, *, json: Json = False) -> None:
    """List the users of an account."""
    async with db.read() as connection:
        users = await store.list_users(connection, account.id)
    print_records([_shown(each) for each in users], json=json)


@USER.command(name="rights")
@on_account
async def change_rights(
    db: Database,
    account: Account,
    email: str,
    *,
    role: Annotated[Role, Parameter(name_transform=str.lower)] = Role.STAFF,
    rights: str | None = None,
    json: Json = False,
) -> None:
    """Change what a user of an account may do. Open sessions have the rights at once.

    The only owner of an account stays an owner.

    Parameters
    ----------
    role
        the ready set: owners may do everything; staff all except erase and settings
    rights
        for staff, other rights: names with commas (take_orders, see_money, bill, download,
        send_letters, dispatch, import, correct, erase, settings), or none; import also needs
        see_money, and bill needs take_orders or see_money
    """
    given = None if rights is None else rights_of_command(rights)
    if role is Role.OWNER and given is not None:
        raise CommandError("An owner has all rights. Leave out --rights, or use --role staff.")
    user = await _get_user(db, account, email)
    by = command_actor("user rights")
    await service.change_role(db, account.id, user.id, role=role, rights=given, by=by)
    async with db.read() as connection:
        changed = await store.get_user(connection, account.id, user.id)
    print_record(_shown(changed), json=json)


def _shown(user: User) -> dict[str, Any]:
    """A user as lists show them."""
    rights = in_order(user.rights)
    return {"id": user.id, "email": user.email, "role": user.role, "rights": ",".join(rights)}


async def _get_user(db: Database, account: Account, email: str) -> User:
    """The user with an email address. Raises: CommandError."""
    async with db.read() as connection:
        user = await store.find_user(connection, account.id, email)
        known = [each.email for each in await store.list_users(connection, account.id)]
    if user is None:
        raise CommandError(
            f"`{excerpt(email)}` is not a user of this account.{closest(email, known)}"
        )
    return user


@USER.command(name="remove")
@on_account
async def remove_user(db: Database, account: Account, email: str, *, json: Json = False) -> None:
    """Remove a user from an account, and revoke their API keys of the account.

    The only owner of an account cannot be removed.
    """
    user = await _get_user(db, account, email)
    await service.remove_user(db, account.id, user.id, by=command_actor("user remove"))
    print_done(
        {"id": user.id, "email": user.email, "account": account.subdomain},
        f"`{user.email}` is no longer a user of `{account.subdomain}`.",
        json=json,
    )
