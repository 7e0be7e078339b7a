"""`masthead check`."""

from collections.abc import Mapping, Sequence

from masthead.cli.command import Json, format_examples, run_with_database, version_on
from masthead.cli.output import print_data, print_json, print_message
from masthead.model.clock import ClockState
from masthead.services.background.clock import read_clock
from masthead.services.check.accounts import check as find_faults
from masthead.services.check.clock import find_clock_faults
from masthead.settings import from_env
from masthead.store.engine.citus.placement import is_distributed
from masthead.store.engine.citus.table_lists import DISTRIBUTED
from masthead.store.engine.database import list_exposed_files
from masthead.store.engine.interface import Database

SHOWN_FAULTS = 20  # for each invariant

_DISTRIBUTED = f"Citus: {len(DISTRIBUTED)} distributed tables."
_NOT_DISTRIBUTED = (
    "Citus: the tables of this database are not distributed; `masthead distribute` does that."
)


def check(*, json: Json = False) -> int:
    """Check every invariant of the data and print those that are violated, with the rows."""
    url = from_env().database_url
    faults: dict[tuple[str, str], list[str]] = {}

    async def work(db: Database) -> None:
        print_message(f"masthead {version_on(url)}")
        async for fault in find_faults(db):
            faults.setdefault((fault.account, fault.invariant), []).append(fault.id)
        async for fault in find_clock_faults(db):
            faults.setdefault((fault.account, fault.invariant), []).append(fault.id)
        async with db.read(is_long=True) as connection:
            placed = await is_distributed(connection)
        if placed is not None:
            print_message(_DISTRIBUTED if placed else _NOT_DISTRIBUTED)
        clock = await read_clock(db)
        if clock.state is ClockState.UNPROVEN:
            print_message(f"{clock.reason} If the clock is right, run `masthead daily --confirm`.")

    try:
        run_with_database(work)
    finally:  # print the faults even after an error, such as a full disk
        if json:
            print_json({"faults": _list_faults(faults)})
        else:
            _print_faults(faults)
    for file, mode in list_exposed_files(url):
        print_message(f"Warning: others can open `{file}` (mode {mode}); run `chmod 600 {file}`.")
    if not faults:
        print_message("The database works and has the right version. No invariant is violated.")
    return 1 if faults else 0


def _list_faults(faults: Mapping[tuple[str, str], Sequence[str]]) -> list[dict[str, object]]:
    return [
        {"account": account, "invariant": invariant, "ids": ids}
        for (account, invariant), ids in faults.items()
    ]


def _print_faults(faults: Mapping[tuple[str, str], Sequence[str]]) -> None:
    """Print the faulty rows, one line for each invariant of an account."""
    for (account, invariant), ids in faults.items():
        more = f" and {len(ids) - SHOWN_FAULTS} more" if len(ids) > SHOWN_FAULTS else ""
        print_data(f"{account}: violated: {invariant}: {', '.join(ids[:SHOWN_FAULTS])}{more}")


COMMANDS = {"check": check}
EXAMPLES = {"check": format_examples("masthead check")}
