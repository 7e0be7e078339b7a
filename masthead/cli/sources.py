"""`masthead source`."""

from typing import Any

from cyclopts import App
from msgspec import structs

from masthead.cli.output import (
    AccountName,
    Json,
    account_named,
    by,
    list_all,
    put_record,
    put_records,
    say,
    with_database,
)
from masthead.model.types.enums import SourceType
from masthead.services import sources as service
from masthead.store import sources as store
from masthead.store.engine.interface import Database

SOURCE = App(
    name="source",
    help="Where orders come from.",
    help_prologue="""\
Examples:

    masthead source create --account acme --name "Web shop" --type shop
    masthead source list --account acme
    masthead source rename --account acme 00001... --name "Kiosk"
    masthead source deactivate --account acme 00001...
    masthead source activate --account acme 00001...
""",
)


@SOURCE.command(name="create")
def create_source(*, account: AccountName, name: str, type: SourceType, json: Json = False) -> None:
    """Make a source.

    Parameters
    ----------
    name
        what it is called
    type
        `checkout` is masthead's own, which takes no orders from outside
    """

    async def work(db: Database) -> dict[str, Any]:
        found = await account_named(db, account)
        source = await service.create_source(
            db, found.id, name=name, type=type, by=by("source create")
        )
        return structs.asdict(source)

    put_record(with_database(work), json=json)


@SOURCE.command(name="list")
def list_sources(*, account: AccountName, json: Json = False) -> None:
    """List the sources of an account, newest first."""

    async def work(db: Database) -> list[dict[str, Any]]:
        found = await account_named(db, account)
        everything = await list_all(db, found.id, store.list_sources, "id")
        return [structs.asdict(each) for each in everything]

    put_records(with_database(work), json=json)


@SOURCE.command(name="rename")
def rename_source(id: str, /, *, account: AccountName, name: str, json: Json = False) -> None:
    """Call a source something else; its subscriptions show the new name.

    Parameters
    ----------
    name
        what it is called from now on
    """

    async def work(db: Database) -> dict[str, Any]:
        found = await account_named(db, account)
        source = await service.rename_source(db, found.id, id, name=name, by=by("source rename"))
        return structs.asdict(source)

    put_record(with_database(work), json=json)


@SOURCE.command(name="deactivate")
def deactivate_source(id: str, /, *, account: AccountName) -> None:
    """Take no new orders from a source; what came from it stays."""

    async def work(db: Database) -> None:
        found = await account_named(db, account)
        await service.deactivate_source(db, found.id, id, by=by("source deactivate"))

    with_database(work)
    say(f"Source {id} takes no new orders.")


@SOURCE.command(name="activate")
def activate_source(id: str, /, *, account: AccountName) -> None:
    """Take orders from a source again."""

    async def work(db: Database) -> None:
        found = await account_named(db, account)
        await service.activate_source(db, found.id, id, by=by("source activate"))

    with_database(work)
    say(f"Source {id} takes orders again.")
