"""`masthead invoice`: settings of invoices, invoices and credit notes."""

from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

from cyclopts import App, Parameter
from msgspec import structs

from masthead.cli.command import (
    CommandError,
    Json,
    command_actor,
    format_examples,
    list_all,
    on_account,
    parse_date,
)
from masthead.cli.output import print_done, print_message, print_record, print_records
from masthead.cli.reminders import remind
from masthead.model.billing.inputs import CreditCreate, InvoiceFilters
from masthead.model.billing.resources import InvoiceResource, InvoiceStatus
from masthead.model.billing.settings import BillingInput
from masthead.model.billing.vat import VatRate
from masthead.model.pagination import Page, PageRequest
from masthead.model.types.email_addresses import email_key
from masthead.model.types.enums import Medium
from masthead.model.validation import decode_input
from masthead.services.billing import settings as service
from masthead.services.billing.credit_orders import create_credit
from masthead.services.billing.waiting import issue_for_payer, issue_waiting
from masthead.store.accounts import Account
from masthead.store.billing import (
    invoices,
    resource_lists as lists,
    resources,
    settings as settings_store,
)
from masthead.store.engine.interface import Connection, Database
from masthead.store.privacy.owners import find_id

INVOICE = App(
    name="invoice",
    help="Invoices and credit notes, and their settings.",
    help_prologue=format_examples(
        'masthead invoice settings --account acme --name "Acme Press" --street "4 Lime Road" \\',
        "    --postcode 10117 --city Berlin --country DE --vat-id DE136695976",
        "masthead invoice rate --account acme --from 2026-01-01 --place home --percent 7 \\",
        "    --medium Print",
        "masthead invoice create --account acme",
        "masthead invoice list --account acme --status overdue",
        'masthead invoice credit --account acme 2026-00012 --reason "Moved abroad"',
        "masthead invoice remind --account acme --stage 1 --send",
    ),
)
INVOICE.command(remind, name="remind")

Payer = Annotated[str | None, Parameter(help="email or id of the payer")]


@INVOICE.command(name="settings")
@on_account
async def change_settings(
    db: Database,
    account: Account,
    *,
    name: str | None = None,
    street: str | None = None,
    postcode: str | None = None,
    city: str | None = None,
    country: str | None = None,
    vat_id: str | None = None,
    tax_number: str | None = None,
    bank: str | None = None,
    iban: str | None = None,
    bic: str | None = None,
    due_days: int | None = None,
    series: str | None = None,
    json: Json = False,
) -> None:
    """Change the settings of invoices, or show them. What is not given stays as it is.

    Parameters
    ----------
    name
        name of the publisher
    country
        ISO 3166-1 alpha-2 code
    vat_id
        VAT id; an invoice must have it or the tax number
    due_days
        days until an invoice is due
    series
        beginning of the numbers, such as `{year}-`
    """
    known = await settings_store.find_settings(db, account.id)
    given = {
        "name": name,
        "street": street,
        "postcode": postcode,
        "city": city,
        "country": country,
        "vat_id": vat_id,
        "tax_number": tax_number,
        "bank": bank,
        "iban": iban,
        "bic": bic,
        "due_days": due_days,
        "series": series,
    }
    changed = {name: value for name, value in given.items() if value is not None}
    if changed:
        old = {
            each: value
            for each, value in _shown(known).items()
            if value != "" and each in BillingInput.__struct_fields__
        }
        asked = decode_input(BillingInput, {**old, **changed})
        by = command_actor("invoice settings")
        await service.save_settings(db, account.id, asked, by=by)
        known = await settings_store.find_settings(db, account.id)
    if known is None:
        raise CommandError("This account has no settings of invoices yet. Give at least the name.")
    print_record(_shown(known), json=json)


def _shown(settings: Any) -> dict[str, Any]:
    return structs.asdict(settings) if settings else {}


@INVOICE.command(name="rate")
@on_account
async def save_rate(
    db: Database,
    account: Account,
    *,
    first_day: Annotated[str, Parameter(name="--from")],
    place: str,
    percent: str,
    medium: Medium | None = None,
    product: str | None = None,
    json: Json = False,
) -> None:
    """Set a rate of VAT from a day on.

    Parameters
    ----------
    first_day
        first day, as YYYY-MM-DD
    place
        `home`, `eu`, `other`, or the ISO code of a country
    percent
        rate in percent, such as `7` or `5.5`
    medium
        Print or Digital; for both by default
    product
        id of the product; for all by default
    """
    try:
        hundredths = Decimal(percent) * 100
    except InvalidOperation:
        raise CommandError(f"`{percent}` is no rate; expected a number such as 7.") from None
    if hundredths != int(hundredths):
        raise CommandError(f"`{percent}` has more than two decimals.")
    rate = VatRate(
        first_day=parse_date(first_day),
        product_id=product,
        medium=medium,
        place=place,
        rate=int(hundredths),
    )
    await service.save_rate(db, account.id, rate, by=command_actor("invoice rate"))
    print_done(structs.asdict(rate), f"The rate holds from {first_day} on.", json=json)


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
