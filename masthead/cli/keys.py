"""`masthead key`."""

from datetime import UTC, datetime, time
from typing import Annotated, Any

from cyclopts import App, Parameter

from masthead.cli.command import (
    AccountName,
    CommandError,
    Json,
    command_actor,
    email_settings,
    get_account,
    parse_date,
    run_with_database,
)
from masthead.cli.output import print_data, print_json, print_message, print_records
from masthead.model.ids import account_of, key_prefix
from masthead.model.types.enums import Scope
from masthead.services import keys as service
from masthead.store import keys as store
from masthead.store.engine.interface import Database

KEY = App(
    name="key",
    help="API keys.",
    help_prologue="""\
Examples:

    masthead key create --account acme --user ann@acme.test --scope read_write
    masthead key list --account acme
    masthead key revoke 00001...
""",
)


@KEY.command(name="create")
def create_key(
    *,
    account: AccountName,
    user: str,
    scope: Annotated[Scope, Parameter(name_transform=str.lower)] = Scope.READ_ONLY,
    name: str = "API key",
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
    expires
        date (UTC) on which the key stops working, YYYY-MM-DD; by default never
    """
    expires_at = datetime.combine(parse_date(expires), time(), UTC) if expires else None

    async def work(db: Database) -> dict[str, Any]:
        found = await get_account(db, account)
        id, key = await service.create_key(
            db,
            found.id,
            user=user,
            scope=scope,
            name=name,
            expires_at=expires_at,
            by=command_actor("key create"),
            post=email_settings(),
        )
        return {
            "id": id,
            "key": key,
            "name": name,
            "prefix": key_prefix(key),
            "scope": scope,
            "expires_at": expires_at,
            "account": account,
            "user": user,
        }

    created = run_with_database(work)
    if json:
        print_json(created)
    else:
        print_message(f"Key {created['id']} ({scope}). It is shown only once; keep it safe:")
        print_data(created["key"])


@KEY.command(name="list")
def list_keys(*, account: AccountName, json: Json = False) -> None:
    """List the API keys of an account, without the secret part."""

    async def work(db: Database) -> list[dict[str, Any]]:
        found = await get_account(db, account)
        async with db.read() as connection:
            return await store.list_keys(connection, found.id)

    print_records(run_with_database(work), json=json)


@KEY.command(name="revoke")
def revoke_key(id: str, /) -> None:
    """Revoke an API key by its id; it stops working within a second. `key list` shows the ids."""
    account_id = account_of(id)
    if account_id is None:
        raise CommandError(f"`{id}` is not the id of a key; `masthead key list` shows the ids.")
    run_with_database(
        lambda db: service.revoke_key(db, account_id, id, by=command_actor("key revoke"))
    )
    print_message(f"Key {id} is revoked.")
