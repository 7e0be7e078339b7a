"""`masthead key`."""

from datetime import UTC, datetime, time
from typing import Annotated, Any

from cyclopts import App, Parameter

from masthead.cli.output import (
    AccountName,
    Json,
    Stop,
    account_named,
    by,
    day,
    post,
    put,
    put_json,
    put_records,
    say,
    with_database,
)
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
    """Make a key and show it, this once.

    Parameters
    ----------
    user
        e-mail address of the user whom the key stands for
    scope
        what the key may do
    name
        what the key is for
    expires
        the first day (UTC) on which it no longer works, YYYY-MM-DD; without it never
    """
    expires_at = datetime.combine(day(expires), time(), UTC) if expires else None

    async def work(db: Database) -> dict[str, Any]:
        found = await account_named(db, account)
        id, key = await service.create_key(
            db,
            found.id,
            user=user,
            scope=scope,
            name=name,
            expires_at=expires_at,
            by=by("key create"),
            post=post(),
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

    made = with_database(work)
    if json:
        put_json(made)
    else:
        say(f"Key {made['id']} ({scope}). It is shown only now; keep it safe:")
        put(made["key"])


@KEY.command(name="list")
def list_keys(*, account: AccountName, json: Json = False) -> None:
    """List the keys of an account, without the keys themselves."""

    async def work(db: Database) -> list[dict[str, Any]]:
        found = await account_named(db, account)
        async with db.read() as connection:
            return await store.list_keys(connection, found.id)

    put_records(with_database(work), json=json)


@KEY.command(name="revoke")
def revoke_key(id: str, /) -> None:
    """End a key within a second, by the id that `key list` shows."""
    account_id = account_of(id)
    if account_id is None:
        raise Stop(f"`{id}` is no id of a key; `masthead key list` shows them.")
    with_database(lambda db: service.revoke_key(db, account_id, id, by=by("key revoke")))
    say(f"Key {id} is revoked.")
