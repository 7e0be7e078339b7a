"""`masthead import` and `masthead check`."""

import csv
import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from msgspec import structs
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from masthead.cli.output import (
    VERSION,
    AccountName,
    Json,
    Stop,
    account_named,
    by,
    examples,
    put,
    put_record,
    say,
    with_database,
)
from masthead.model.clock import Verdict
from masthead.model.orders.import_rows import COLUMNS, REPORT
from masthead.model.orders.order import Terms
from masthead.services.imports import CsvFile, Import, Reject, Summary, import_lines, try_lines
from masthead.services.maintenance.check import check as find_faults
from masthead.services.maintenance.check_clock import find_clock_faults
from masthead.services.maintenance.clock import read_clock
from masthead.settings import from_env
from masthead.store.engine.database import list_exposed_files
from masthead.store.engine.interface import Database
from masthead.store.engine.private_files import open_private

SHOWN_FAULTS = 20  # of each invariant


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
    """Import subscriptions from a CSV file, one order a row.

    Rows whose order_id is there already are skipped; rows that are refused go into
    FILE.rejects.csv with the reason, and can be imported from there once they are mended.

    Parameters
    ----------
    file
        UTF-8; comma, semicolon or tab between the cells; columns named in the first line
    source
        id of the source that the orders came from
    product
        id of the product that was ordered, as the settings show it; without it the account's first
    dry_run
        say what would happen, and change nothing
    create_issues
        make missing issues instead of refusing the row
    """
    if not file.is_file():
        raise Stop(f"There is no file `{file}`.")
    rejects = file.with_name(file.name + ".rejects.csv")
    gc.set_threshold(50_000)  # rows come and go by the thousand; looking for cycles took 6 %

    async def work(db: Database) -> Summary:
        found = await account_named(db, account)
        terms = Terms(found.currency, from_env().placeholder_domain)
        how = Import(found.id, source, terms, by("import"), create_issues, product)
        run = try_lines if dry_run else import_lines
        with ExitStack() as stack:
            progress = stack.enter_context(_progress())
            task = progress.add_task("rows", total=_count_lines(file))
            return await run(
                db,
                CsvFile(file),
                how,
                on_reject=_reject_writer(rejects, stack),
                on_progress=lambda so_far: progress.update(task, completed=so_far.read),
            )

    summary = with_database(work)
    put_record(structs.asdict(summary), json=json)
    if dry_run:
        say("The data is as before: this was a dry run.")
    if not summary.rejected:
        rejects.unlink(missing_ok=True)
        return 0
    say(f"{summary.rejected} rows were refused; `{rejects}` has them with the reasons.")
    return 1


def _progress() -> Progress:
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _count_lines(file: Path) -> int:
    """About how many rows a file has: cells may span lines."""
    with file.open("rb") as stream:
        return max(sum(1 for _ in stream) - 1, 0)


def _reject_writer(path: Path, stack: ExitStack) -> Callable[[Reject], None]:
    """Writes refused rows into a file that is made with the first of them."""
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


def check() -> int:
    """Recount every invariant of the data; print each that is broken, with the rows at fault."""

    faults: dict[tuple[str, str], list[str]] = {}

    async def work(db: Database) -> None:
        say(f"masthead {VERSION}")
        async for fault in find_faults(db):
            faults.setdefault((fault.account, fault.invariant), []).append(fault.id)
        async for fault in find_clock_faults(db):
            faults.setdefault((fault.account, fault.invariant), []).append(fault.id)
        clock = await read_clock(db)
        if clock.verdict is Verdict.UNPROVEN:
            say(f"{clock.reason} If the clock is right, run `masthead daily --confirm`.")

    try:
        with_database(work)
    finally:  # print what was found, even if for example the disk is full
        _put_faults(faults)
    for file, mode in list_exposed_files(from_env().database_url):
        say(f"Warning: others can open `{file}` (mode {mode}); run `chmod 600 {file}`.")
    if not faults:
        say("The database answers, has the right version, and every invariant holds.")
    return 1 if faults else 0


def _put_faults(faults: Mapping[tuple[str, str], Sequence[str]]) -> None:
    """Print the faulty rows, one line for each invariant of an account."""
    for (account, invariant), ids in faults.items():
        more = f" and {len(ids) - SHOWN_FAULTS} more" if len(ids) > SHOWN_FAULTS else ""
        put(f"{account}: not so: {invariant}: {', '.join(ids[:SHOWN_FAULTS])}{more}")


COMMANDS = {"import": import_subscriptions, "check": check}
EXAMPLES = {
    "import": examples(
        "masthead import --account acme --source 00001... list.csv --dry-run",
        "masthead import --account acme --source 00001... list.csv",
        "masthead import --account acme --source 00001... list.csv --create-issues",
    ),
    "check": examples("masthead check"),
}
