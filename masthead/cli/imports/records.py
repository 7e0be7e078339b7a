"""`masthead imports`: the list of imports, their rows, and how they are undone."""

from functools import partial
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter
from msgspec import structs

from masthead.cli.command import (
    CommandError,
    Json,
    command_actor,
    format_examples,
    list_all,
    on_account,
)
from masthead.cli.imports.plans import describe_presets
from masthead.cli.output import print_data, print_json, print_message, print_record, print_records
from masthead.model.imports.batches import (
    BatchStatus,
    ImportBatch,
    ImportRow,
    ReasonCount,
    RowOutcome,
)
from masthead.model.pagination import all_pages
from masthead.services.imports.batches import request_undo
from masthead.services.imports.work.leases import LeaseLost, end_abandoned, new_holder
from masthead.services.imports.work.undo import undo_batch
from masthead.services.imports.work.undo_preview import preview_undo
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database
from masthead.store.imports import batch_rows, batches as store

ROWS_AT_ONCE = 1_000
MOST_ROWS = 10_000  # that `show` prints of each outcome
_SHOWN = (RowOutcome.SKIPPED, RowOutcome.LEFT_OUT, RowOutcome.REFUSED, RowOutcome.KEPT)

IMPORTS = App(
    name="imports",
    help="Imports: what they made, and how to undo them.",
    help_prologue=format_examples(
        "masthead imports list --account acme",
        "masthead imports show --account acme 3",
        "masthead imports undo --account acme 3",
        "masthead imports undo --account acme 3 --touched keep",
        "masthead imports presets",
    ),
)


@IMPORTS.command(name="list")
@on_account
async def list_imports(db: Database, account: Account, *, json: Json = False) -> None:
    """List imports, newest first."""
    await end_abandoned(db, account.id)
    batches = await list_all(db, account.id, store.list_batches)
    print_records([_describe(batch) for batch in batches], json=json)


def _describe(batch: ImportBatch) -> dict[str, Any]:
    counts = batch.counts
    return {
        "batch": batch.number,
        "status": batch.status.value,
        "file": batch.name,
        "read": counts.read,
        "imported": counts.imported,
        "skipped": counts.skipped,
        "rejected": counts.rejected,
        "left_out": counts.left_out,
        "undone": counts.undone,
        "kept": counts.kept,
        "by": f"{batch.actor_kind} {batch.actor_id}",
        "created_at": batch.created_at,
    }


@IMPORTS.command(name="show")
@on_account
async def show_import(db: Database, account: Account, batch: int, /, *, json: Json = False) -> None:
    """Show an import: its counts, its reasons, and the rows that were not imported.

    Parameters
    ----------
    batch
        number of the import
    """
    await end_abandoned(db, account.id)
    shown = await _get(db, account.id, batch)
    rows = [
        _describe_row(row)
        for outcome in _SHOWN
        for row in await _list_rows(db, account.id, shown.id, outcome)
    ]
    reasons = [{**structs.asdict(each), "outcome": each.outcome.value} for each in shown.reasons]
    if json:
        more = {
            "sha256": shown.sha256,
            "preset": shown.plan.preset,
            "counts": structs.asdict(shown.counts),
            "issues": shown.issues,
            "read_as": shown.layout.description,
            "error": shown.error,
            "reasons": reasons,
            "rows": rows,
        }
        print_json({**_describe(shown), **more})
        return
    print_record(_describe(shown), json=False)
    if shown.error:
        print_data(shown.error)
    for each in shown.reasons:
        print_data(f"{each.count} × {each.outcome.value}: {_describe_reason(each)}")
    print_records(rows, json=False)


async def _get(db: Database, account_id: int, number: int) -> ImportBatch:
    batch = await store.find_numbered(db, account_id, number)
    if batch is None:
        raise CommandError(
            f"There is no import {number}. `masthead imports list` shows the numbers."
        )
    return batch


async def _list_rows(
    db: Database, account_id: int, id: str, outcome: RowOutcome
) -> list[ImportRow]:
    """The first rows with an outcome."""
    rows: list[ImportRow] = []
    list_page = partial(batch_rows.list_rows, db, account_id, id, outcome)
    async for page in all_pages(list_page, limit=ROWS_AT_ONCE):
        rows += page
        if len(rows) >= MOST_ROWS:
            break
    return rows


def _names_column(outcome: RowOutcome, text: str) -> bool:
    """Whether a reason is a column: rows that the mapping leaves out have its value beside it."""
    return outcome is RowOutcome.LEFT_OUT and not text.endswith(".")


def _describe_reason(reason: ReasonCount) -> str:
    if not _names_column(reason.outcome, reason.text):
        return reason.text
    return f"{reason.text}, such as {f'`{reason.example}`' if reason.example else 'an empty cell'}"


def _text_of(outcome: RowOutcome, text: str, value: str) -> str:
    if not _names_column(outcome, text):
        return text
    return f"`{text}` is `{value}`." if value else f"`{text}` is empty."


def _describe_row(row: ImportRow) -> dict[str, Any]:
    return {
        "line": row.line,
        "outcome": row.outcome.value,
        "order_id": row.order_id,
        "subscription": row.subscription_id,
        "subscriber": row.subscriber_id,
        "reason": " ".join(_text_of(row.outcome, each.text, each.value) for each in row.reasons),
    }


@IMPORTS.command(name="undo")
@on_account
async def undo_import(
    db: Database,
    account: Account,
    batch: int,
    /,
    *,
    touched: Annotated[Literal["keep", "stop"], Parameter(name="--touched")] = "stop",
    json: Json = False,
) -> int:
    """Take back what an import made: copies, orders, subscriptions and new subscribers.

    Orders that were touched since (sent, changed, renewed, …) are named. Issues that it created
    are deleted unless something else needs them.

    Parameters
    ----------
    batch
        number of the import
    touched
        `stop`: take nothing back if an order was touched; `keep`: let these orders stay
    """
    await end_abandoned(db, account.id)
    wanted = await _get(db, account.id, batch)
    named: list[dict[str, Any]] = []
    if wanted.status is not BatchStatus.UNDOING:
        by, keep = command_actor("imports undo"), touched == "keep"
        await request_undo(db, account.id, wanted.id, keep_touched=keep, by=by)
        wanted = await store.get_batch(db, account.id, wanted.id)
        async with db.read(is_long=True) as connection:
            preview = await preview_undo(connection, account.id, wanted)
        named = [structs.asdict(row) for row in preview.touched]
    try:
        done = await undo_batch(db, account.id, wanted, holder=new_holder())
    except LeaseLost:
        raise CommandError(
            f"Another process is taking back import {batch}. Wait until it is done."
        ) from None
    record: dict[str, Any] = {
        "batch": done.number,
        "status": done.status.value,
        "undone": done.counts.undone,
        "kept": done.counts.kept,
    }
    more = {"issues": done.issues, "touched": named}
    print_record({**record, **more} if json else record, json=json)
    for row in named:
        print_message(f"line {row['line']}, order {row['order_id']}: {', '.join(row['what'])}")
    if done.status is not BatchStatus.UNDONE:
        print_message(done.error or "")
        if named:
            print_message("`--touched keep` lets these orders stay, and takes back the others.")
        return 1
    if done.issues:
        numbers = ", ".join(map(str, done.issues))
        print_message(f"These issues stay, because something else needs them: {numbers}.")
    return 0


@IMPORTS.command(name="presets")
def list_presets(*, account: str | None = None, json: Json = False) -> None:
    """List the systems whose exports can be imported as they are.

    Parameters
    ----------
    account
        not needed: the presets are the same for all accounts
    """
    print_records(describe_presets(full=json), json=json)
