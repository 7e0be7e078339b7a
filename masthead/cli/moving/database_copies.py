"""`masthead copy-database`."""

from msgspec import structs

from masthead.cli.command import Json, format_examples
from masthead.cli.moving.progress import migrate, run, shown_progress
from masthead.cli.output import print_message, print_record
from masthead.services.moving.database_copies import copy_database as copy


def copy_database(source: str, target: str, /, *, json: Json = False) -> int:
    """Copy all data to an empty database: from SQLite to PostgreSQL, back, or to the same engine.

    The copy has what the source had at one moment; the source may be in use. The copy is compared
    with it and checked before masthead may use it. If the command is stopped, run it again. If the
    source was changed meanwhile, the copy can be used, but lacks those changes: it exits with 1.

    Parameters
    ----------
    source
        address of the database, as in MASTHEAD_DATABASE_URL
    target
        address of a database without accounts
    """
    with shown_progress() as on_progress:
        copied = run(copy(source, target, migrate=migrate, on_progress=on_progress))
    print_record(structs.asdict(copied), json=json)
    if not copied.is_current:
        print_message(
            "The source was changed meanwhile; those changes are not in the copy. To move, stop "
            "masthead, delete the copy, and copy again into an empty database."
        )
    if not copied.has_fast_search:
        print_message(
            "PostgreSQL lacks the extension `pg_trgm`, so search is slow: see “Search on "
            "PostgreSQL” in docs/operations.md."
        )
    print_message("The copy is complete: its rows, digests and rules were compared.")
    return 0 if copied.is_current else 1


COMMANDS = {"copy-database": copy_database}
EXAMPLES = {
    "copy-database": format_examples(
        "masthead copy-database sqlite:////srv/masthead.db postgresql://masthead@db/masthead",
        "masthead copy-database postgresql://masthead@db/masthead sqlite:////srv/masthead.db",
    ),
}
