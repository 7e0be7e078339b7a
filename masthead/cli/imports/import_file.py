"""`masthead import`."""

import asyncio
import gc
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from masthead.cli.command import (
    AccountName,
    CommandError,
    Json,
    command_actor,
    format_examples,
    run_on_account,
)
from masthead.cli.exports.load import import_export
from masthead.cli.imports.notes import notes_of_reasons, notes_of_rows
from masthead.cli.imports.outcome import ImportOutcome, print_outcome
from masthead.cli.imports.plans import PlanOptions, choose_plan, open_by_options, question_text
from masthead.cli.imports.products import products_note
from masthead.cli.imports.rejects_file import (
    RejectsOfRehearsal,
    open_rejects,
    rejects_path,
    require_file,
    require_folder,
)
from masthead.cli.output import rows_counted
from masthead.model.imports.batches import Counts, RowOutcome
from masthead.model.imports.encodings import encoding_named
from masthead.model.imports.mapping import BY_INVOICE, answer_mapping, encode_json
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.imports.rows.status import count_unpaid
from masthead.model.orders.order import OrderDefaults
from masthead.model.orders.released_issues import read_sent_through
from masthead.services.exports.folder import is_export
from masthead.services.imports import mappings, uploads
from masthead.services.imports.facts import load_facts
from masthead.services.imports.reading import FileReading, find_source, survey_table
from masthead.services.imports.work.leases import LeaseLost, new_holder
from masthead.services.imports.work.options import Import
from masthead.services.imports.work.placed import PlacedRow
from masthead.services.imports.work.reader_process import start_early
from masthead.services.imports.work.rejects import read_rejects
from masthead.services.imports.work.run_batch import begin_run, check_choices, rehearse, run_batch
from masthead.services.imports.work.sent_through import find_chosen, read_as_sent
from masthead.settings import from_env
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database
from masthead.store.imports.batches import list_same_file


def import_subscriptions(
    file: Path,
    /,
    *,
    account: AccountName,
    source: str | None = None,
    preset: str | None = None,
    mapping: str | None = None,
    order_prefix: str = "",
    product: str | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
    dry_run: Annotated[bool, Parameter(negative="")] = False,
    create_issues: Annotated[bool, Parameter(negative="")] = False,
    add_zeros: Annotated[bool, Parameter(negative="")] = False,
    sent_through: str | None = None,
    unpaid: Literal["leave_out", "by_invoice"] | None = None,
    rejects: Path | None = None,
    save_mapping: str | None = None,
    erasures: Path | None = None,
    json: Json = False,
) -> int:
    """Import orders from a CSV file, or a sheet of a workbook, with one order per row.

    Our own columns and the exports of known systems are recognized; `masthead imports presets`
    lists these. An order that exists already, with the same source, subscriber and amount, is
    skipped. Rejected rows are written to FILE.rejects.csv (.xlsx if FILE is a workbook) with the
    reasons; correct them there and import that file.

    Parameters
    ----------
    file
        CSV in any encoding, with any separator; or .xlsx or .ods; or, for an empty account, the
        folder that `masthead export` has written
    source
        id or name of the source of the orders; not for the folder of an export
    preset
        the system that exported the file, if it is not recognized
    mapping
        a TOML file that says which columns become which fields, or the name of a saved mapping
    order_prefix
        text before each order id, such as SHOP-, if two shops use the same numbers
    product
        name or id of the product; by default the account's first product
    sheet
        name of the sheet of a workbook; by default the first one with rows
    encoding
        encoding of a CSV file, such as windows-1250, if the command does not find it
    dry_run
        report what would happen, but change nothing
    create_issues
        create missing issues instead of rejecting the row
    add_zeros
        add the zeros that a spreadsheet has removed from postcodes: 01067 instead of 1067
    sent_through
        copies of issues that are out count as sent up to this issue: a number, `released` (all, the
        default unless the file says which copies were sent) or `none` (all are still to send)
    unpaid
        orders that are not paid, by the status in the file: `leave_out` (the default) or
        `by_invoice` (they become orders by invoice)
    rejects
        file for the rejected rows, .csv or .xlsx; a dry run writes them only if this is set
    save_mapping
        name to keep the mapping under, for the next import; a dry run does not save it
    erasures
        for the folder of an export: the newest `erasures.json` of the masthead that exported it
    """
    if is_export(file):
        return import_export(file, account=account, erasures=erasures, is_dry=dry_run, json=json)
    if source is None:
        raise CommandError("`--source` is missing; name the source of the orders.")
    require_file(file)
    if rejects:
        require_folder(rejects)
    gc.set_threshold(50_000)  # with the default, searching for cycles takes 6 % of the time
    start_early(file)
    options = PlanOptions(
        preset=preset,
        mapping=mapping,
        order_prefix=order_prefix,
        product=product,
        create_issues=create_issues,
        add_zeros=add_zeros,
        sent_through=read_sent_through(sent_through) if sent_through is not None else "",
        unpaid=unpaid or "",
        save_as=None if dry_run else save_mapping,
        sheet=sheet,
        encoding=encoding_named(encoding) if encoding else None,
    )

    async def work(db: Database, found: Account) -> ImportOutcome:
        reading, notes = await _read(db, found, file, options)
        chosen = await find_source(db, found.id, source)
        act = _rehearse if dry_run else _run
        return await act(db, found, reading, chosen.id, file, rejects, notes)

    outcome = run_on_account(account, work)
    return print_outcome(outcome, is_dry=dry_run, json=json)


async def _read(
    db: Database, account: Account, file: Path, options: PlanOptions
) -> tuple[FileReading, list[str]]:
    """The file, read with the options, and its notes."""
    defaults = OrderDefaults(account.currency, from_env().placeholder_domain)
    facts = await load_facts(db, account.id, defaults)
    table = open_by_options(file, options)
    plan, notes = await choose_plan(db, account.id, table, facts, options)
    reading = survey_table(table, plan, facts, sheet=options.sheet)
    if options.save_as:
        await mappings.save_mapping(db, account.id, options.save_as, encode_json(plan.mapping))
    asked = [question_text(each, plan.preset) for each in reading.survey.questions]
    mapping = answer_mapping(plan.mapping, plan.answers)
    if mapping.unpaid != BY_INVOICE and count_unpaid(reading.survey.statuses, mapping):
        asked.append("`--unpaid by_invoice` takes orders that are not paid as orders by invoice.")
    return reading, [*notes, *table.notes, *reading.survey.notes, *asked]


async def _rehearse(
    db: Database,
    account: Account,
    reading: FileReading,
    source_id: str,
    file: Path,
    rejects: Path | None,
    notes: list[str],
) -> ImportOutcome:
    await check_choices(db, account.id, source_id, reading.plan)
    sent = await find_chosen(db, account.id, reading.sent_through)
    sha256, _size = await asyncio.to_thread(uploads.measure, file)
    known = await list_same_file(db, account.id, sha256)
    how = Import(
        account_id=account.id,
        source_id=source_id,
        defaults=reading.facts.defaults,
        by=command_actor("import"),
        create_issues=reading.plan.create_issues,
        product_id=reading.plan.product_id,
        same_file=[each.id for each in known if each.source_id == source_id],
        sent_through=sent.number,
    )
    reading = read_as_sent(reading, sent)
    with ExitStack() as stack:
        writer = RejectsOfRehearsal(rejects, reading, stack) if rejects else None

        def add(row: PreparedRow, placed: PlacedRow) -> None:
            if writer is not None and placed.stored.outcome is RowOutcome.REFUSED:
                writer.add(placed)

        count = stack.enter_context(rows_counted(reading.survey.rows))

        async def show(counts: Counts) -> None:
            count(counts.read)

        tally = await rehearse(db, how, reading, on_row=add, on_progress=show)
    notes += notes_of_rows(tally.counts, sent.number)
    notes += products_note(reading.plan, reading.survey, tally.reasons)
    path = writer.path if writer else None
    return ImportOutcome(tally.counts, None, path, notes, notes_of_reasons(tally.reasons))


async def _run(
    db: Database,
    account: Account,
    reading: FileReading,
    source_id: str,
    file: Path,
    rejects: Path | None,
    notes: list[str],
) -> ImportOutcome:
    sha256, size = await asyncio.to_thread(uploads.measure, file)
    holder = new_holder()
    earlier = [each.number for each in await list_same_file(db, account.id, sha256)]
    batch = await begin_run(
        db,
        account.id,
        reading,
        sha256=sha256,
        size=size,
        source_id=source_id,
        holder=holder,
        by=command_actor("import"),
    )
    if batch.number in earlier:
        notes.append(f"Import {batch.number} goes on after row {batch.counts.read}.")
    elif earlier:
        notes.append(f"Import {earlier[0]} had the same file.")
    with rows_counted(reading.survey.rows) as count:
        try:
            done = await run_batch(
                db,
                account.id,
                batch,
                reading,
                holder=holder,
                on_progress=lambda counts: count(counts.read),
            )
        except LeaseLost:
            raise CommandError(
                f"Another process goes on with import {batch.number}, or has undone it: `masthead "
                f"imports show {batch.number}`."
            ) from None
    path = None
    if done.counts.rejected:
        layout, wanted = done.layout, rejects or rejects_path(file)
        path, stream, writer = open_rejects(wanted, layout.separator)
        with stream:
            async for part in read_rejects(db, account.id, done.id, layout.columns, writer):
                stream.write(part)
    notes += notes_of_rows(done.counts, done.decisions.sent_through or 0, done.number)
    notes += products_note(reading.plan, reading.survey, done.reasons)
    return ImportOutcome(done.counts, done, path, notes)


COMMANDS = {"import": import_subscriptions}
EXAMPLES = {
    "import": format_examples(
        "masthead import --account acme --source 00001... list.csv --dry-run",
        "masthead import --account acme --source 00001... list.csv",
        "masthead import --account acme --source 00001... list.csv --create-issues",
        'masthead import --account acme --source "Web shop" orders.csv --order-prefix WEB-',
        "masthead import --account acme --source 00001... orders.csv --preset shopify-orders",
        "masthead import --account acme --source 00001... orders.csv --mapping shop.toml",
    ),
}
