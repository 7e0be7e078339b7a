"""`masthead import`."""

import csv
import gc
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from msgspec import structs

from masthead.cli.command import (
    AccountName,
    CommandError,
    Json,
    command_actor,
    format_examples,
    get_account,
    run_with_database,
)
from masthead.cli.output import print_message, print_record, progress_bar
from masthead.model.orders.import_rows import COLUMNS, REPORT
from masthead.model.orders.order import Terms
from masthead.services.imports import CsvFile, Import, Reject, Summary, import_lines, try_lines
from masthead.settings import from_env
from masthead.store.engine.interface import Database
from masthead.store.engine.private_files import open_private


def import_subscriptions(
    file: Path,
    /,
    *,
    account: AccountName,
    source: str,
    product: str | None = None,
    dry_run: Annotated[bool, Parameter(negative="")] = False,
    create_issues: Annotated[bool, Parameter(negative="")] = False,
    json: Json = False,
) -> int:
    """Import subscriptions from a CSV file with one order per row.

    Rows whose order_id already exists are skipped. Rejected rows are written to
    FILE.rejects.csv with the reason; correct them there and import that file.

    Parameters
    ----------
    file
        UTF-8; columns separated by comma, semicolon or tab; the first line has the column names
    source
        id of the source of the orders
    product
        id of the product, as the settings page shows it; by default the account's first product
    dry_run
        report what would happen, but change nothing
    create_issues
        create missing issues instead of rejecting the row
    """
    if not file.is_file():
        raise CommandError(f"There is no file `{file}`.")
    rejects = file.with_name(file.name + ".rejects.csv")
    gc.set_threshold(50_000)  # with the default, searching for cycles takes 6 % of the time

    async def work(db: Database) -> Summary:
        found = await get_account(db, account)
        terms = Terms(found.currency, from_env().placeholder_domain)
        how = Import(found.id, source, terms, command_actor("import"), create_issues, product)
        run = try_lines if dry_run else import_lines
        with ExitStack() as stack:
            progress = stack.enter_context(progress_bar())
            task = progress.add_task("rows", total=_count_lines(file))
            return await run(
                db,
                CsvFile(file),
                how,
                on_reject=_reject_writer(rejects, stack),
                on_progress=lambda so_far: progress.update(task, completed=so_far.read),
            )

    summary = run_with_database(work)
    print_record(structs.asdict(summary), json=json)
    if dry_run:
        print_message("Nothing was changed: this was a dry run.")
    if not summary.rejected:
        rejects.unlink(missing_ok=True)
        return 0
    print_message(f"{summary.rejected} rows were rejected; `{rejects}` has them with the reasons.")
    return 1


def _count_lines(file: Path) -> int:
    """The approximate number of rows; a cell may span several lines."""
    with file.open("rb") as stream:
        return max(sum(1 for _ in stream) - 1, 0)


def _reject_writer(path: Path, stack: ExitStack) -> Callable[[Reject], None]:
    """A function that writes rejected rows to a file; the first row creates the file."""
    writers: list[Any] = []

    def write(reject: Reject) -> None:
        if not writers:
            file = stack.enter_context(open_private(path))
            columns = [*REPORT, *COLUMNS]
            writers.append(csv.DictWriter(file, columns, extrasaction="ignore"))
            writers[0].writeheader()
        report = (reject.line.number, reject.column, reject.value, reject.reason)
        writers[0].writerow({**reject.line.cells, **dict(zip(REPORT, report, strict=True))})

    return write


COMMANDS = {"import": import_subscriptions}
EXAMPLES = {
    "import": format_examples(
        "masthead import --account acme --source 00001... list.csv --dry-run",
        "masthead import --account acme --source 00001... list.csv",
        "masthead import --account acme --source 00001... list.csv --create-issues",
    ),
}
