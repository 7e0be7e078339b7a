"""`masthead source`."""

from cyclopts import App
from msgspec import structs

from masthead.cli.command import Json, command_actor, list_all, on_account
from masthead.cli.output import print_done, print_record, print_records
from masthead.model.types.enums import SourceType
from masthead.services import sources as service
from masthead.store import sources as store
from masthead.store.accounts import Account
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
@on_account
async def create_source(
    db: Database, account: Account, *, name: str, type: SourceType, json: Json = False
) -> None:
    """Create a source.

    Parameters
    ----------
    name
        name of the source
    type
        kind of source; `checkout` is masthead's own and accepts no orders from outside
    """
    by = command_actor("source create")
    source = await service.create_source(db, account.id, name=name, type=type, by=by)
    print_record(structs.asdict(source), json=json)


@SOURCE.command(name="list")
@on_account
async def list_sources(db: Database, account: Account, *, json: Json = False) -> None:
    """List the sources of an account, newest first."""
    sources = await list_all(db, account.id, store.list_sources)
    print_records([structs.asdict(each) for each in sources], json=json)


@SOURCE.command(name="rename")
@on_account
async def rename_source(
    db: Database, account: Account, id: str, /, *, name: str, json: Json = False
) -> None:
    """Rename a source; its subscriptions show the new name.

    Parameters
    ----------
    name
        new name
    """
    by = command_actor("source rename")
    source = await service.rename_source(db, account.id, id, name=name, by=by)
    print_record(structs.asdict(source), json=json)


@SOURCE.command(name="deactivate")
@on_account
async def deactivate_source(
    db: Database, account: Account, id: str, /, *, json: Json = False
) -> None:
    """Deactivate a source: it accepts no new orders; existing ones are kept."""
    by = command_actor("source deactivate")
    await service.set_source_active(db, account.id, id, is_active=False, by=by)
    text = f"Source {id} accepts no new orders."
    print_done({"id": id, "is_active": False}, text, json=json)


@SOURCE.command(name="activate")
@on_account
async def activate_source(
    db: Database, account: Account, id: str, /, *, json: Json = False
) -> None:
    """Activate a source: it accepts orders again."""
    by = command_actor("source activate")
    await service.set_source_active(db, account.id, id, is_active=True, by=by)
    text = f"Source {id} accepts orders again."
    print_done({"id": id, "is_active": True}, text, json=json)
