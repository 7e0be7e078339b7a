"""`masthead key`."""

from datetime import UTC, datetime, time, timedelta
from typing import Annotated, Any

from cyclopts import App, Parameter
from cyclopts.validators import Number
from msgspec import structs

from masthead.cli.command import (
    CommandError,
    Json,
    command_actor,
    email_site,
    on_account,
    on_database,
    parse_date,
)
from masthead.cli.output import print_data, print_done, print_json, print_message, print_records
from masthead.model.identity.rights import rights_of_command
from masthead.model.ids import account_of, key_prefix
from masthead.model.types.enums import Scope
from masthead.services import keys as service
from masthead.store import keys as store
from masthead.store.accounts import Account, get_account
from masthead.store.engine.interface import Database

MAX_HOURS = 8_760  # that a rolled key keeps working: a year

KEY = App(
    name="key",
    help="API keys.",
    help_prologue="""\
Examples:

    masthead key create --account acme --user ann@acme.test --scope read_write
    masthead key list --account acme
    masthead key roll 00001... --keep 24
    masthead key revoke 00001...
""",
)


@KEY.command(name="create")
@on_account
async def create_key(
    db: Database,
    account: Account,
    *,
    user: str,
    scope: Annotated[Scope, Parameter(name_transform=str.lower)] = Scope.READ_ONLY,
    name: str = "API key",
    rights: str | None = None,
    expires: str | None = None,
    json: Json = False,
) -> None:
    """Create an API key and print it. It is shown only once.

    Parameters
    ----------
    user
        email address of the user of the key
    scope
        what the key may do
    name
        purpose of the key, shown in lists
    rights
        narrows the key: names with commas, as in `user rights`; with `dispatch` alone, it reads
        only issues, and runs with their addresses
    expires
        date (UTC) on which the key stops working, YYYY-MM-DD; by default never
    """
    expires_at = datetime.combine(parse_date(expires), time(), UTC) if expires else None
    id, key = await service.create_key(
        db,
        account.id,
        user=user,
        scope=scope,
        name=name,
        expires_at=expires_at,
        rights=None if rights is None else rights_of_command(rights),
        by=command_actor("key create"),
        site=email_site(),
    )
    created = {
        "id": id,
        "key": key,
        "name": name,
        "prefix": key_prefix(key),
        "scope": scope,
        "expires_at": expires_at,
        "account": account.subdomain,
        "user": user,
    }
    _print_once(created, json=json)


def _print_once(created: dict[str, Any], *, json: bool) -> None:
    """Print a new key, which nothing shows again."""
    if json:
        print_json(created)
    else:
        id, scope = created["id"], created["scope"]
        print_message(f"Key {id} ({scope}). It is shown only once; keep it safe:")
        print_data(created["key"])


@KEY.command(name="list")
@on_account
async def list_keys(db: Database, account: Account, *, json: Json = False) -> None:
    """List the API keys of an account, without the secret part."""
    async with db.read() as connection:
        keys = [structs.asdict(key) for key in await store.list_keys(connection, account.id)]
    print_records(keys, json=json)


@KEY.command(name="roll")
@on_database
async def roll_key(
    db: Database,
    id: str,
    /,
    *,
    keep: Annotated[int, Parameter(validator=Number(gte=0, lte=MAX_HOURS))] = 24,
    json: Json = False,
) -> None:
    """Replace an API key and print the new one. It is shown only once.

    The new key has the name, scope, user and lifetime of the old key.

    Parameters
    ----------
    id
        id of the old key; `key list` shows it
    keep
        hours for which the old key still works; with 0, it stops working within a second
    """
    account_id = _account_of(id)
    async with db.read() as connection:
        await store.get_key(connection, account_id, id)
        account = await get_account(connection, account_id)
    made, key = await service.roll_key(
        db,
        account_id,
        id,
        overlap=timedelta(hours=keep),
        by=command_actor("key roll"),
        site=email_site(),
    )
    async with db.read() as connection:
        new = await store.get_key(connection, account_id, made)
        old = await store.get_key(connection, account_id, id)
    rolled = {
        "id": made,
        "key": key,
        **{name: getattr(new, name) for name in ("name", "prefix", "scope", "expires_at")},
        "account": account.subdomain,
        "user": new.user,
        "replaces": id,
        "old_expires_at": old.expires_at,
    }
    _print_once(rolled, json=json)
    if not json:
        assert old.expires_at is not None
        ends = old.expires_at.isoformat(timespec="seconds")
        print_message(f"It replaces key {id}, which stops working at {ends}.")


@KEY.command(name="revoke")
@on_database
async def revoke_key(db: Database, id: str, /, *, json: Json = False) -> None:
    """Revoke an API key by its id; it stops working within a second. `key list` shows the ids."""
    await service.revoke_key(db, _account_of(id), id, by=command_actor("key revoke"))
    print_done({"id": id, "is_revoked": True}, f"Key {id} is revoked.", json=json)


def _account_of(id: str) -> int:
    """The account in the id of a key. Raises: CommandError."""
    account_id = account_of(id)
    if account_id is None:
        raise CommandError(f"`{id}` is not the id of a key; `masthead key list` shows the ids.")
    return account_id
