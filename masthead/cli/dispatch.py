"""`masthead dispatch`: freeze runs, mark them as sent, take that back, and show them."""

from collections.abc import Mapping
from typing import Annotated, Any

from cyclopts import App, Parameter
from msgspec import structs

from masthead.cli.command import (
    AccountName,
    CommandError,
    Json,
    command_actor,
    format_examples,
    get_account,
    list_all,
    parse_date,
    run_with_database,
)
from masthead.cli.dispatch_export import export_file
from masthead.cli.output import print_json, print_message, print_record, print_records
from masthead.model.clock import now
from masthead.model.dispatch.run_inputs import DispatchQuery, selection_of
from masthead.model.dispatch.run_resources import DispatchRun, DispatchRunDetail
from masthead.model.pagination import Page, PageRequest
from masthead.services.dispatch import runs as service
from masthead.services.dispatch.selections import require_sources
from masthead.store import issues
from masthead.store.dispatch import run_resources as store
from masthead.store.engine.interface import Connection, Database

DISPATCH = App(
    name="dispatch",
    help="Send out an issue: dispatch runs.",
    help_prologue=format_examples(
        "masthead dispatch freeze --account acme --issue 12 --country DE --country AT",
        "masthead dispatch list --account acme --issue 12",
        "masthead dispatch show --account acme 00001...",
        "masthead dispatch export --account acme 00001... --format csv --output list.csv",
        "masthead dispatch mark --account acme 00001... --date 2026-12-01",
        "masthead dispatch undo --account acme 00001...",
        "masthead dispatch discard --account acme 00001...",
    ),
)

DISPATCH.command(export_file, name="export")

COLUMNS = "id issue number status copies replacements date_sent created_at".split()

IssueOption = Annotated[int, Parameter(name="--issue", help="number of the issue")]
IssueFilter = Annotated[
    int | None, Parameter(name="--issue", help="only the runs of the issue with this number")
]
CountryOption = Annotated[
    list[str] | None,
    Parameter(name="--country", negative="", help="only this country (ISO code); can be repeated"),
]
MediumOption = Annotated[
    list[str] | None,
    Parameter(
        name="--medium",
        negative="",
        help="only Print, Digital or `Print + digital`; can be repeated",
    ),
]
SourceOption = Annotated[
    list[str] | None,
    Parameter(name="--source", negative="", help="only the source with this id; can be repeated"),
]
OnlyReplacements = Annotated[
    bool,
    Parameter(name="--only-replacements", negative="", help="take replacements, and no copies"),
]


@DISPATCH.command(name="preview")
def preview_run(
    *,
    account: AccountName,
    issue: IssueOption,
    country: CountryOption = None,
    medium: MediumOption = None,
    source: SourceOption = None,
    only_replacements: OnlyReplacements = False,
    json: Json = False,
) -> None:
    """Show what a run would take now, what not and why, and what to look at first.

    Changes nothing. The exit code is 0, even if nothing is left to send.
    """
    selection = selection_of(
        country or [], medium or [], source or [], only_replacements=only_replacements
    )

    async def work(db: Database) -> DispatchPreview:
        found = await get_account(db, account)
        await require_sources(db, found.id, selection)
        issue_id = await find_issue(db, found.id, issue)
        return await preview_dispatch(db, found.id, issue_id, selection)

    preview = run_with_database(work)
    record, problems = preview_record(preview), list_problems(preview)
    if json:
        print_json({**record, "problems": problems})
        return
    print_record(as_text(record), json=False)
    for problem in problems:
        print_data(f"- {problem['message']}")


@DISPATCH.command(name="freeze")
def freeze_run(
    *,
    account: AccountName,
    issue: IssueOption,
    country: CountryOption = None,
    medium: MediumOption = None,
    source: SourceOption = None,
    only_replacements: OnlyReplacements = False,
    json: Json = False,
) -> None:
    """Freeze a run: it holds the free copies of an issue at their present addresses.

    Prints the run as one JSON object. The exit code is 1 if nothing is left to send.
    """
    selection = selection_of(
        country or [], medium or [], source or [], only_replacements=only_replacements
    )

    async def work(db: Database) -> DispatchRunDetail:
        found = await get_account(db, account)
        await require_sources(db, found.id, selection)
        frozen = await service.freeze_dispatch(
            db,
            found.id,
            await find_issue(db, found.id, issue),
            selection,
            by=command_actor("dispatch freeze"),
        )
        return await read_run(db, found.id, frozen.id)

    run = run_with_database(work)
    print_json(run_record(run))
    if not json:
        print_message(
            f"Run {run.number} of issue {run.issue.number} is frozen (copies: {run.copies}, "
            f"replacements: {run.replacements}). Export its files, and then mark it as sent."
        )


@DISPATCH.command(name="mark")
def mark_run(
    run: str, /, *, account: AccountName, date: str | None = None, json: Json = False
) -> None:
    """Mark the copies of a frozen run as sent. Prints how many, as one JSON object.

    Parameters
    ----------
    date
        date on which they were sent, YYYY-MM-DD; by default today (UTC)
    """
    sent_on = parse_date(date) if date else now().date()

    async def work(db: Database) -> int:
        found = await get_account(db, account)
        by = command_actor("dispatch mark")
        _, marked = await service.mark_dispatch(db, found.id, run, sent_on, by=by)
        return marked

    marked = run_with_database(work)
    print_json({"marked": marked})
    if not json:
        print_message(f"The run is marked as sent on {sent_on} (copies: {marked}).")


@DISPATCH.command(name="undo")
def undo_run(run: str, /, *, account: AccountName, json: Json = False) -> None:
    """Take back the marking of a run: it is frozen again. Prints how many copies, as JSON.

    This is possible within a day, and later until a later run of the issue is marked.
    """

    async def work(db: Database) -> int:
        found = await get_account(db, account)
        by = command_actor("dispatch undo")
        _, undone = await service.undo_dispatch(db, found.id, run, by=by)
        return undone

    undone = run_with_database(work)
    print_json({"undone": undone})
    if not json:
        print_message(f"The run is frozen again (copies that are no longer sent: {undone}).")


@DISPATCH.command(name="discard")
def discard_run(run: str, /, *, account: AccountName, json: Json = False) -> None:
    """Discard a frozen run: its copies are free for the next one. Prints the run, as JSON."""

    async def work(db: Database) -> DispatchRunDetail:
        found = await get_account(db, account)
        await service.discard_dispatch(db, found.id, run, by=command_actor("dispatch discard"))
        return await read_run(db, found.id, run)

    print_json(run_record(run_with_database(work)))
    if not json:
        print_message("The run is discarded. Its copies are free for the next run.")


@DISPATCH.command(name="show")
def show_run(run: str, /, *, account: AccountName, json: Json = False) -> None:
    """Show a run, with counts of its lines."""

    async def work(db: Database) -> DispatchRunDetail:
        found = await get_account(db, account)
        return await read_run(db, found.id, run)

    record = run_record(run_with_database(work))
    print_record(record if json else as_text(record), json=json)


@DISPATCH.command(name="list")
def list_runs(*, account: AccountName, issue: IssueFilter = None, json: Json = False) -> None:
    """List the runs of an account, newest first."""

    async def work(db: Database) -> list[DispatchRun]:
        found = await get_account(db, account)
        issue_id = None if issue is None else await find_issue(db, found.id, issue)
        query = DispatchQuery(issue=issue_id)

        async def list_page(
            connection: Connection, account_id: int, page: PageRequest
        ) -> Page[DispatchRun]:
            return await store.list_runs(connection, account_id, query, page)

        return await list_all(db, found.id, list_page, "id")

    records = [run_record(run) for run in run_with_database(work)]
    if not json:
        records = [{name: record[name] for name in COLUMNS} for record in records]
    print_records(records, json=json)


async def find_issue(db: Connection, account_id: int, number: int) -> str:
    """The id of the issue with this number. Raises: CommandError."""
    id = await issues.find_issue_id(db, account_id, number)
    if id is None:
        raise CommandError(
            f"There is no issue {number} in this account; `masthead issue list` shows the issues."
        )
    return id


async def read_run(db: Database, account_id: int, id: str) -> DispatchRunDetail:
    """A run with counts of its lines. Raises: NotFound."""
    async with db.read(aside=True) as connection:
        return await store.get_run(connection, account_id, id)


def run_record(run: DispatchRun) -> dict[str, Any]:
    """A run as the commands print it: `issue` is the number of the issue."""
    return {**structs.asdict(run), "issue": run.issue.number}


def preview_record(preview: DispatchPreview) -> dict[str, Any]:
    """A preview as the command prints it, with the same names as a run."""
    selection, not_taken = preview.selection, preview.not_taken
    return {
        "issue": preview.issue.number,
        "number": preview.number,
        "copies": preview.copies,
        "replacements": preview.replacements,
        "lines": preview.lines,
        "postal": preview.postal,
        "digital": preview.digital,
        "countries": selection.countries,
        "media": selection.media,
        "sources": selection.sources,
        "only_replacements": selection.only_replacements,
        "by_group": {each.group: each.lines for each in preview.groups},
        "by_country": {each.country: each.lines for each in preview.countries},
        "by_medium": {each.medium: each.lines for each in preview.media},
        "release_date": preview.release_date,
        "is_released": preview.is_released,
        "not_taken": {
            "in_runs": sum(run.copies for run in not_taken.runs),
            "sent": not_taken.sent,
            "cancelled": not_taken.cancelled,
            "on_hold": not_taken.on_hold,
            "not_selected": not_taken.not_selected,
            "replacements": not_taken.replacements,
        },
    }


def list_problems(preview: DispatchPreview) -> list[dict[str, Any]]:
    """What to look at before the run is frozen, with the number of copies or addresses."""
    not_taken = preview.not_taken
    waiting = [run for run in not_taken.runs if run.status is DispatchStatus.FROZEN]
    found = (
        ("nothing_to_send", not preview.lines, "Nothing is left to send with these choices."),
        ("not_released", not preview.is_released, "The issue is not out yet."),
        (
            "in_frozen_runs",
            sum(run.copies for run in waiting),
            "Copies that frozen runs hold; mark or discard those runs: "
            + ", ".join(run.id for run in waiting),
        ),
        ("on_hold", not_taken.on_hold, "Copies that wait: their address is undeliverable."),
        ("changed", preview.changed.count, "Addresses that changed in the last seven days."),
        (
            "moved",
            preview.moved_reports,
            "New addresses from the carrier that are not accepted yet.",
        ),
    )
    return [
        {"code": code, "count": int(count), "message": f"{message} ({int(count)})"}
        if count is not True
        else {"code": code, "count": 0, "message": message}
        for code, count, message in found
        if count
    ]


def as_text(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record with its lists and counts as text."""
    texts = dict(record)
    for name, value in record.items():
        if isinstance(value, dict):
            texts[name] = ", ".join(f"{key} {count}" for key, count in value.items())
        elif isinstance(value, list):
            texts[name] = ", ".join(value)
    return texts
