"""`masthead payments`: bank statements, and what their lines pay."""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from msgspec import structs

from masthead.cli.command import CommandError, Json, command_actor, format_examples, on_account
from masthead.cli.invoices import find_payer
from masthead.cli.output import print_message, print_record
from masthead.model.billing.inputs import PaymentCreate
from masthead.model.billing.statements import BankLineQuery, BankLineStatus, StoredLine
from masthead.model.pagination import Page, PageRequest, all_pages
from masthead.model.types.enums import PaymentMethod
from masthead.model.validation import decode_input
from masthead.services.billing.bank_lines import MOST_TOGETHER, confirm_safe
from masthead.services.billing.bank_statements.import_file import ReadFile, import_file, read_file
from masthead.services.billing.payments import create_payment
from masthead.store.accounts import Account
from masthead.store.billing import bank_statements, resources
from masthead.store.engine.interface import Database

PAYMENTS = App(
    name="payments",
    help="Payments of invoices.",
    help_prologue=format_examples(
        "masthead payments import --account acme statement.xml",
        "masthead payments import --account acme statements.zip --confirm --json",
        "masthead payments record --account acme --amount 60.00 --invoice 2026-00012",
    ),
)

Confirm = Annotated[
    bool,
    Parameter(
        name="--confirm",
        negative="",
        help="record the payments whose invoice and amount are sure, of all lines that are to do",
    ),
]


@PAYMENTS.command(name="import")
@on_account
async def import_statement(
    db: Database, account: Account, file: Path, /, *, confirm: Confirm = False, json: Json = False
) -> None:
    """Import a bank statement. Lines that were imported before are recognized.

    Proposals for the lines wait on the page Bank statements.

    Parameters
    ----------
    file
        CAMT.053, MT940, CSV or .xlsx, or a ZIP archive of statements
    """
    by = command_actor("payments import")
    done = await import_file(db, account.id, _read(file, account.currency), by=by)
    record = structs.asdict(done)
    if confirm:
        record["confirmed"] = await _confirm_all(db, account)
    counts = await bank_statements.count_lines(db, account.id)
    record["open"] = counts.get(BankLineStatus.TO_DO, 0)
    if done.is_known:
        print_message("This file was imported before; its lines were not imported again.")
    print_record(record, json=json)


def _read(path: Path, currency: str) -> ReadFile:
    """The statements in a file. Raises: CommandError, Invalid, OSError."""
    if not path.is_file():
        raise CommandError(f"There is no file `{path}`.")
    return read_file(path, path.name, currency)


async def _confirm_all(db: Database, account: Account) -> int:
    """Confirm the safe proposals of all open lines; returns how many."""
    query = BankLineQuery(status=BankLineStatus.TO_DO)
    ids: list[str] = []

    async def list_page(page: PageRequest) -> Page[StoredLine]:
        return await bank_statements.list_lines(db, account.id, query, page)

    async for items in all_pages(list_page):
        ids += [each.id for each in items if each.amount > 0]
    ids.reverse()  # what came first pays first
    by, count = command_actor("payments import"), 0
    for start in range(0, len(ids), MOST_TOGETHER):
        done = await confirm_safe(db, account.id, ids[start : start + MOST_TOGETHER], by=by)
        count += done.count
    return count


@PAYMENTS.command(name="record")
@on_account
async def record_payment(
    db: Database,
    account: Account,
    *,
    amount: str,
    invoice: str | None = None,
    payer: str | None = None,
    date: str | None = None,
    method: PaymentMethod | None = None,
    reference: str | None = None,
    json: Json = False,
) -> None:
    """Record a payment that came.

    Parameters
    ----------
    amount
        how much came, such as 60.00
    invoice
        number of the invoice that it pays
    payer
        email or id of the payer, in place of the invoice: it pays what was due first
    date
        day on which it came; today by default
    method
        how it came; a bank transfer by default
    reference
        what the payer wrote
    """
    if (invoice is None) == (payer is None):
        raise CommandError("Give `--invoice` or `--payer`, one of them.")
    given = {
        "amount": amount,
        "invoices": None if invoice is None else [{"number": invoice}],
        "payer": None if payer is None else await find_payer(db, account, payer),
        "payment_date": date,
        "method": method,
        "reference": reference,
    }
    body = decode_input(
        PaymentCreate, {name: value for name, value in given.items() if value is not None}
    )
    by = command_actor("payments record")
    id = await create_payment(db, account.id, body, by=by)
    made = await resources.get_payment(db, account.id, id)
    record = structs.asdict(made)
    if not json:
        record["invoices"] = ", ".join(each.number for each in made.invoices)
    print_record(record, json=json)
