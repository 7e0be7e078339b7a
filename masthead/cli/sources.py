"""`masthead source`."""

from typing import Any

from cyclopts import App
from msgspec import structs

from masthead.cli.command import (
    AccountName,
    Json,
    command_actor,
    get_account,
    list_all,
    run_with_database,
)
from masthead.cli.output import print_done, print_record, print_records
from masthead.model.types.enums import SourceType
from masthead.services import sources as service
from masthead.store import sources as store
from masthead.store.engine.interface import Database

SOURCE = App(
    name="source",
    help="Sources of orders.",
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
    """Create a source.

    Parameters
    ----------
    name
        name of the source
    type
        kind of source; `checkout` is masthead's own and accepts no orders from outside
    """

    async def work(db: Database) -> dict[str, Any]:
        found = await get_account(db, account)
        source = await service.create_source(
            db, found.id, name=name, type=type, by=command_actor("source create")
        )
        return structs.asdict(source)

    print_record(run_with_database(work), json=json)


@SOURCE.command(name="list")
def list_sources(*, account: AccountName, json: Json = False) -> None:
    """List the sources of an account, newest first."""

    async def work(db: Database) -> list[dict[str, Any]]:
        found = await get_account(db, account)
        everything = await list_all(db, found.id, store.list_sources)
        return [structs.asdict(each) for each in everything]

    print_records(run_with_database(work), json=json)


@SOURCE.command(name="rename")
def rename_source(id: str, /, *, account: AccountName, name: str, json: Json = False) -> None:
    """Rename a source; its subscriptions show the new name.

    Parameters
    ----------
    name
        new name
    """

    async def work(db: Database) -> dict[str, Any]:
        found = await get_account(db, account)
        source = await service.rename_source(
            db, found.id, id, name=name, by=command_actor("source rename")
        )
        return structs.asdict(source)

    print_record(run_with_database(work), json=json)


@SOURCE.command(name="deactivate")
def deactivate_source(id: str, /, *, account: AccountName, json: Json = False) -> None:
    """Deactivate a source: it accepts no new orders; existing ones are kept."""

    async def work(db: Database) -> None:
        found = await get_account(db, account)
        await service.deactivate_source(db, found.id, id, by=command_actor("source deactivate"))

    run_with_database(work)
    _print_state(id, is_active=False, json=json)


@SOURCE.command(name="activate")
def activate_source(id: str, /, *, account: AccountName, json: Json = False) -> None:
    """Activate a source: it accepts orders again."""

    async def work(db: Database) -> None:
        found = await get_account(db, account)
        await service.activate_source(db, found.id, id, by=command_actor("source activate"))

    run_with_database(work)
    _print_state(id, is_active=True, json=json)


def _print_state(id: str, *, is_active: bool, json: bool) -> None:
    text = "accepts orders again" if is_active else "accepts no new orders"
    print_done({"id": id, "is_active": is_active}, f"Source {id} {text}.", json=json)
