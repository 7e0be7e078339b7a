"""`masthead dispatch`: freeze runs, mark them as sent, take that back, and show them."""

from typing import Annotated

from cyclopts import Parameter

from masthead.cli.command import Json, command_actor, list_all, on_account, parse_date
from masthead.cli.dispatch.choices import (
    CountryOption,
    IssueOption,
    MediumOption,
    OnlyReplacements,
    SourceOption,
    find_issue,
)
from masthead.cli.dispatch.records import as_text, run_record
from masthead.cli.output import print_json, print_message, print_record, print_records
from masthead.model.dispatch.run_inputs import DispatchQuery, selection_of
from masthead.model.dispatch.run_resources import DispatchRunDetail
from masthead.services.dispatch import runs as service
from masthead.store.accounts import Account
from masthead.store.dispatch import run_resources as store
from masthead.store.engine.interface import Database

COLUMNS = "id issue number status copies replacements grace_copies date_sent created_at".split()

IssueFilter = Annotated[
    int | None, Parameter(name="--issue", help="only the runs of the issue with this number")
]


@on_account
async def freeze_run(
    db: Database,
    account: Account,
    *,
    issue: IssueOption,
    country: CountryOption = None,
    medium: MediumOption = None,
    source: SourceOption = None,
    only_replacements: OnlyReplacements = False,
    json: Json = False,
) -> None:
    """Freeze a run: it takes the free copies of an issue at their present addresses.

    Prints the run as one JSON object. The exit code is 1 if nothing is left to send.
    """
    selection = selection_of(
        country or [], medium or [], source or [], only_replacements=only_replacements
    )
    await service.require_sources(db, account.id, selection)
    issue_id = await find_issue(db, account.id, issue)
    by = command_actor("dispatch freeze")
    frozen = await service.freeze_dispatch(db, account.id, issue_id, selection, by=by)
    run = await read_run(db, account.id, frozen.id)
    print_json(run_record(run))
    if not json:
        grace = f", grace copies: {run.grace_copies}" if run.grace_copies else ""
        print_message(
            f"Run {run.number} of issue {run.issue.number} is frozen (copies: {run.copies}, "
            f"replacements: {run.replacements}{grace}). Export its files, and then mark it as sent."
        )


@on_account
async def mark_run(
    db: Database, account: Account, run: str, /, *, date: str | None = None, json: Json = False
) -> None:
    """Mark the copies of a frozen run as sent. Prints how many, as one JSON object.

    Parameters
    ----------
    date
        date on which they were sent, YYYY-MM-DD; by default today
    """
    sent_on = account.daily_date if date is None else parse_date(date)
    by = command_actor("dispatch mark")
    _, marked, _ = await service.mark_dispatch(db, account.id, run, sent_on, by=by)
    print_json({"marked": marked})
    if not json:
        print_message(f"The run is marked as sent on {sent_on} (copies: {marked}).")


@on_account
async def undo_run(db: Database, account: Account, run: str, /, *, json: Json = False) -> None:
    """Take back the marking of a run: it is frozen again. Prints how many copies, as JSON.

    This is possible within a day, and later until a later run of the issue is marked.
    """
    by = command_actor("dispatch undo")
    _, undone = await service.undo_dispatch(db, account.id, run, by=by)
    print_json({"undone": undone})
    if not json:
        print_message(f"The run is frozen again (copies that are no longer sent: {undone}).")


@on_account
async def discard_run(db: Database, account: Account, run: str, /, *, json: Json = False) -> None:
    """Discard a frozen run: its copies are free for the next one. Prints the run, as JSON."""
    await service.discard_dispatch(db, account.id, run, by=command_actor("dispatch discard"))
    print_json(run_record(await read_run(db, account.id, run)))
    if not json:
        print_message("The run is discarded. Its copies are free for the next run.")


@on_account
async def show_run(db: Database, account: Account, run: str, /, *, json: Json = False) -> None:
    """Show a run, with counts of its lines."""
    record = run_record(await read_run(db, account.id, run))
    print_record(record if json else as_text(record), json=json)


@on_account
async def list_runs(
    db: Database, account: Account, *, issue: IssueFilter = None, json: Json = False
) -> None:
    """List the runs of an account, newest first."""
    issue_id = None if issue is None else await find_issue(db, account.id, issue)
    query = DispatchQuery(issue=issue_id)
    runs = await list_all(db, account.id, lambda db, id, page: store.list_runs(db, id, query, page))
    records = [run_record(run) for run in runs]
    if not json:
        records = [{name: record[name] for name in COLUMNS} for record in records]
    print_records(records, json=json)


async def read_run(db: Database, account_id: int, id: str) -> DispatchRunDetail:
    """A run with counts of its lines. Raises: NotFound."""
    async with db.read(aside=True) as connection:
        return await store.get_run(connection, account_id, id)
