"""`masthead invoice`: settings of invoices, invoices and credit notes."""

from typing import Annotated

from cyclopts import App, Parameter

from masthead.cli.command import (
    CommandError,
    Json,
    command_actor,
    format_examples,
    list_all,
    on_account,
)
from masthead.cli.invoice_settings import (
    change_settings,
    save_exchange_rate,
    save_rate,
    save_vat_setting,
)
from masthead.cli.output import print_done, print_message, print_record, print_records
from masthead.cli.reminders import remind
from masthead.model.billing.inputs import CreditCreate, InvoiceFilters
from masthead.model.billing.resources import InvoiceResource, InvoiceStatus
from masthead.model.pagination import Page, PageRequest
from masthead.model.types.email_addresses import email_key
from masthead.model.validation import decode_input
from masthead.services.billing.credit_orders import create_credit
from masthead.services.billing.waiting import issue_for_payer, issue_waiting
from masthead.store.accounts import Account
from masthead.store.billing import invoices, resource_lists as lists, resources
from masthead.store.engine.interface import Connection, Database
from masthead.store.privacy.data_subjects import find_id

INVOICE = App(
    name="invoice",
    help="Invoices and credit notes, and their settings.",
    help_prologue=format_examples(
        'masthead invoice settings --account acme --name "Acme Press" --street "4 Lime Road" \\',
        "    --postcode 10117 --city Berlin --country DE --vat-id DE136695976",
        "masthead invoice rate --account acme --from 2026-01-01 --place home --percent 7 \\",
        "    --medium Print",
        "masthead invoice vat --account acme --from 2027-01-01 --no-small-business",
        "masthead invoice exchange-rate --account acme --from 2026-11-01 --base EUR \\",
        "    --quote CHF --rate 0.9342",
        "masthead invoice create --account acme",
        "masthead invoice list --account acme --status overdue",
        'masthead invoice credit --account acme 2026-00012 --reason "Moved abroad"',
        "masthead invoice remind --account acme --stage 1 --send",
    ),
)
INVOICE.command(change_settings, name="settings")
INVOICE.command(save_rate, name="rate")
INVOICE.command(save_vat_setting, name="vat")
INVOICE.command(save_exchange_rate, name="exchange-rate")
INVOICE.command(remind, name="remind")

Payer = Annotated[str | None, Parameter(help="email or id of the payer")]


@INVOICE.command(name="create")
@on_account
async def create_invoices(
    db: Database, account: Account, *, payer: Payer = None, json: Json = False
) -> None:
    """Issue the invoices of all orders that wait for one; with --payer, those of one payer.

    Ends with 1 if a payer has no invoice yet, for example because there is no address.
    """
    by = command_actor("invoice create")
    if payer is not None:
        id = await find_payer(db, account, payer)
        made = await issue_for_payer(db, account.id, id, by=by)
        count, problems = len(made), dict[str, str]()
    else:
        issued = await issue_waiting(db, account.id, by=by)
        count, problems = issued.count, dict(issued.problems)
    for text in problems.values():
        print_message(text)
    record = {"issued": count, "problems": problems}
    print_done(record, f"{count} invoices issued.", json=json)
    if problems:
        raise CommandError(f"{len(problems)} payers have no invoice yet.")


async def find_payer(db: Connection, account: Account, text: str) -> str:
    """The id of the subscriber with an id or an email. Raises: NotFound."""
    return await find_id(db, account.id, text, email_key(text))


@INVOICE.command(name="list")
@on_account
async def list_invoices(
    db: Database,
    account: Account,
    *,
    status: InvoiceStatus | None = None,
    payer: Payer = None,
    json: Json = False,
) -> None:
    """List invoices and credit notes, newest first.

    Parameters
    ----------
    status
        open, overdue or settled
    """
    payer_id = None if payer is None else await find_payer(db, account, payer)
    query = InvoiceFilters(status=status, payer=payer_id)

    async def list_page(
        connection: Connection, id: int, page: PageRequest
    ) -> Page[InvoiceResource]:
        return await lists.list_invoices(connection, id, query, page)

    found = await list_all(db, account.id, list_page)
    print_records([_row(each) for each in found], json=json)


def _row(invoice: InvoiceResource) -> dict[str, object]:
    names = "number kind issue_date due_date total open_amount currency status".split()
    return {
        "id": invoice.id,
        **{name: str(getattr(invoice, name)) for name in names},
        "payer": invoice.payer.name,
    }


@INVOICE.command(name="credit")
@on_account
async def credit(
    db: Database,
    account: Account,
    number: str,
    /,
    *,
    reason: str,
    amount: str | None = None,
    json: Json = False,
) -> None:
    """Issue a credit note for an invoice, or for a part of it.

    Parameters
    ----------
    number
        number of the invoice
    reason
        why; it is on the credit note
    amount
        how much; by default all that is not credited yet
    """
    found = (await invoices.find_by_number(db, account.id, [number])).get(number)
    if found is None:
        raise CommandError(f"There is no invoice `{number}`.")
    body = decode_input(CreditCreate, {"reason": reason, "amount": amount})
    id = await create_credit(db, account.id, found.id, body, by=command_actor("invoice credit"))
    print_record(_row(await resources.get_invoice(db, account.id, id)), json=json)
