"""What is open now or was open on a day, by age and by payer, and the orders that wait."""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import date
from functools import partial
from http import HTTPStatus

from starlette.responses import Response

from masthead.model.billing.lists import AGES, OpenEntry, OpenSums
from masthead.model.errors import Invalid
from masthead.model.file_names import file_name
from masthead.model.identity.rights import Right
from masthead.model.inputs import ListQuery
from masthead.model.pagination import Page, PageRequest, all_pages
from masthead.model.translations import counted, gettext as _, gettext_noop
from masthead.model.types.money import money_text
from masthead.services.billing.waiting import issue_waiting
from masthead.store.billing import open_on_day, open_sums, payers, settings as settings_store
from masthead.store.engine.interface import Connection
from masthead.web.billing.waiting import issued_message, list_waiting
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_day
from masthead.web.kit.form_handling import process_form
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.table_file import asked_ending, table_file

FILE_ROWS = 5_000  # of a file, to read at a time: each time, what is open is added up again
COLUMNS = (
    "payer customer_number currency not_due late_30 late_60 late_90 later open_amount credit "
    "balance subscriber_id"
).split()
ENTRIES = (
    "day kind document payer customer_number due_date days_late total open_amount currency"
).split()
KINDS = {
    "invoice": gettext_noop("Invoice"),
    "credit_note": gettext_noop("Credit note"),
    "fee": gettext_noop("Reminder fee"),
    "payment": gettext_noop("Payment"),
}


class OpenQuery(ListQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """day: the end of which day is shown; empty for now."""

    day: str | None = None


async def show_open(context: PageContext) -> Response:
    """The sums by age and by payer, and the orders that wait."""
    return await _show(context, HTTPStatus.OK, BaseForm())


async def _show(context: PageContext, status: HTTPStatus, form: BaseForm) -> Response:
    _query, request = decode_filters(context, OpenQuery)
    today, problem = context.membership.daily_date, ""
    try:
        day = _read_day(context)
    except Invalid as refusal:
        day, problem, status = None, str(refusal), HTTPStatus.BAD_REQUEST
    async with context.db.read(aside=True) as db:
        find = partial(_find_open, db, context, request, day)
        sums, page = await context.count_once(db, ("open items", day, request), find)
        numbers = await _find_numbers(db, context, page)
        has_settings = await settings_store.find_settings(db, context.account_id) is not None
        waiting = await list_waiting(context, db, has_settings=has_settings)
    own = context.membership.currency
    return context.render(
        "billing/open_items.html",
        status=status,
        form=form,
        sums=sorted(sums, key=lambda each: (each.currency != own, each.currency)),
        ages=[label for label, _end in AGES],
        day=day,
        today=today,
        problem=problem,
        page=page,
        numbers=numbers,
        is_first=request.after is None,
        waiting=waiting,
        may_bill=context.membership.may(Right.BILL) and has_settings,
    )


async def issue(context: PageContext) -> Response:
    """Issue the invoices of all orders that wait. Those that cannot be issued keep waiting."""
    form = BaseForm(context.form_data)

    async def save() -> Response:
        issued = await issue_waiting(context.db, context.account_id, by=context.actor)
        message = issued_message(issued.count)
        if problems := len(issued.problems):
            left = counted(
                "{count} payer has none yet; the reason is below.",
                "{count} payers have none yet; the reasons are below.",
                problems,
            )
            message = f"{message} {left}"
        return context.redirect(context.url("money", "open"), message=message)

    return await process_form(context, form, save, lambda status: _show(context, status, form))


def _read_day(context: PageContext) -> date | None:
    """The day in the query string; None for now. Raises: Invalid."""
    text, today = context.query.get("day", "").strip(), context.membership.daily_date
    if not text:
        return None
    if (day := read_day(text)) > today:
        raise Invalid(_("This day is in the future. Type today or earlier."), field="day")
    return day if day < today else None


async def _find_open(
    db: Connection, context: PageContext, request: PageRequest, day: date | None
) -> tuple[Sequence[OpenSums], Page[OpenSums]]:
    """What is open of all payers, and of each of a page of them, now or at the end of a day."""
    if day is None:
        today = context.membership.daily_date
        sums = await open_sums.sum_open(db, context.account_id, today=today)
    else:
        sums = await open_on_day.sum_open_on(db, context.account_id, day)
    return sums, await _list_by_payer(db, context, request, day)


async def _list_by_payer(
    db: Connection, context: PageContext, request: PageRequest, day: date | None
) -> Page[OpenSums]:
    """What is open of each payer now, or was open at the end of a day."""
    if day is not None:
        return await open_on_day.list_by_payer_on(db, context.account_id, request, day)
    today = context.membership.daily_date
    return await open_sums.list_by_payer(db, context.account_id, request, today=today)


async def _find_numbers(
    db: Connection, context: PageContext, page: Page[OpenSums]
) -> dict[str, int]:
    """The customer numbers of the payers of a page, which tell two of one name apart."""
    ids = [each.payer_id for each in page.items if each.payer_id]
    found = await payers.find_payers(db, context.account_id, ids)
    return {id: payer.number for id, payer in found.items()}


async def download_open(context: PageContext) -> Response:
    """What is open by payer now, or was open at the end of a day, as a file. Raises: Invalid."""
    day = _read_day(context)
    name = file_name(
        "open-items-{day}.{ending}",
        day=day or context.membership.daily_date,
        ending=asked_ending(context),
    )

    numbers: Mapping[str, int] = {}

    async def read(request: PageRequest) -> Page[OpenSums]:
        nonlocal numbers
        async with context.db.replica.read(aside=True) as db:
            page = await _list_by_payer(db, context, request, day)
            numbers = await _find_numbers(db, context, page)
            return page

    async def parts() -> AsyncIterator[Sequence[Mapping[str, object]]]:
        async for page in all_pages(read, limit=FILE_ROWS):
            yield [_row(each, numbers.get(each.payer_id)) for each in page]

    return await table_file(context, name, COLUMNS, parts(), title=_("Open items"))


async def download_entries(context: PageContext) -> Response:
    """Each document and payment that was open at the end of a day, as a file. Raises: Invalid."""
    day = _read_day(context) or context.membership.daily_date
    name = file_name("open-documents-{day}.{ending}", day=day, ending=asked_ending(context))

    async def read(request: PageRequest) -> Page[OpenEntry]:
        async with context.db.replica.read(aside=True) as db:
            return await open_on_day.list_entries_on(db, context.account_id, request, day)

    async def parts() -> AsyncIterator[Sequence[Mapping[str, object]]]:
        async for page in all_pages(read, limit=FILE_ROWS):
            yield [_entry_row(each, day) for each in page]

    return await table_file(context, name, ENTRIES, parts(), title=_("Open items"))


def _entry_row(entry: OpenEntry, day: date) -> dict[str, object]:
    return {
        "day": entry.day,
        "kind": _(KINDS[entry.kind]),
        "document": entry.text,
        "payer": entry.payer_name,
        "customer_number": entry.customer,
        "due_date": entry.due_date if entry.open_amount > 0 else None,
        "days_late": entry.days_late(day),
        "total": money_text(entry.total, entry.currency),
        "open_amount": money_text(entry.open_amount, entry.currency),
        "currency": entry.currency,
    }


def _row(sums: OpenSums, number: int | None) -> dict[str, object]:
    def text(minor: int) -> str:
        return money_text(minor, sums.currency)

    ages = ("not_due", "late_30", "late_60", "late_90", "later")
    return {
        "payer": sums.payer_name,
        "customer_number": number,
        "currency": sums.currency,
        **{name: text(getattr(sums, name)) for name in ages},
        "open_amount": text(sums.invoices),
        "credit": text(sums.credit),
        "balance": text(sums.balance),
        "subscriber_id": sums.payer_id,
    }
