"""The account of a payer: what they were billed, what they paid, and what is left."""

from collections.abc import AsyncIterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import HiddenField, RadioField, StringField

from masthead.model.billing.lists import AccountEntry
from masthead.model.billing.tax_ids import check_vat_id
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.file_names import file_name
from masthead.model.identity.rights import Right
from masthead.model.inputs import ListQuery
from masthead.model.pagination import Page, PageRequest, all_pages
from masthead.model.resources import Subscriber
from masthead.model.translations import gettext as _
from masthead.model.types.clean_text import one_line
from masthead.model.types.money import money_text
from masthead.model.types.text import short_text
from masthead.services.billing.payers import update_payer
from masthead.services.billing.waiting import issue_for_payer
from masthead.store.billing import balances as store, open_sums, payers, settings as settings_store
from masthead.store.billing.payers import StoredPayer
from masthead.store.debits import mandates as mandate_store, settings as debit_settings
from masthead.store.engine.interface import Connection, Database
from masthead.store.reminders import records as reminder_store, terms
from masthead.store.subscribers.records import get_subscriber
from masthead.web.billing.waiting import issued_message, list_waiting
from masthead.web.billing.words import entry_words
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters
from masthead.web.kit.form_handling import handle_form, process_form
from masthead.web.kit.forms import BaseForm, choices_of, errors_of
from masthead.web.kit.table_file import asked_ending, table_file

COLUMNS = "day what number currency amount balance open_amount due_date".split()
ROWS = 200  # of a file, to read at a time
MAX_REMINDERS = 10  # on the page; their own page has more
EACH, TOGETHER = "each", "together"


async def _get(context: PageContext, db: Connection) -> tuple[Subscriber, StoredPayer | None]:
    """The subscriber of the page, and what is known of them as a payer. Raises: NotFound."""
    subscriber = await get_subscriber(db, context.account_id, context.path["id"])
    known = await payers.find_payers(db, context.account_id, [subscriber.id])
    return subscriber, known.get(subscriber.id)


async def show_account(context: PageContext) -> Response:
    """The balance, and the invoices and payments with the balance after each. Raises: NotFound."""
    return await _show(context, HTTPStatus.OK, BaseForm())


async def _show(context: PageContext, status: HTTPStatus, form: BaseForm) -> Response:
    _query, request = decode_filters(context, ListQuery)
    async with context.db.read(aside=True) as db:
        subscriber, payer = await _get(context, db)
        sums = await open_sums.sum_of_payer(
            db, context.account_id, subscriber.id, today=context.membership.daily_date
        )
        page = await store.list_entries(db, context.account_id, subscriber.id, request)
        mandates = await mandate_store.list_of_payer(db, context.account_id, subscriber.id)
        collects = await debit_settings.find_settings(db, context.account_id) is not None
        has_settings = await settings_store.find_settings(db, context.account_id) is not None
        waiting = await list_waiting(context, db, payer_id=subscriber.id, has_settings=has_settings)
        stop = await terms.find_stop(db, context.account_id, subscriber.id)
        reminders = await reminder_store.list_of_payer(
            db, context.account_id, subscriber.id, MAX_REMINDERS
        )
    if subscriber.id != context.path["id"]:
        return context.redirect(context.url("subscribers", subscriber.id, "account"))
    return context.render(
        "billing/account.html",
        status=status,
        form=form,
        waiting=waiting,
        can_issue=context.membership.may(Right.BILL) and has_settings,
        subscriber=subscriber,
        payer=payer,
        sums=sums,
        page=page,
        stop=stop,
        reminders=reminders,
        is_first=request.after is None,
        may_bill=context.membership.may(Right.BILL),
        kind_of=entry_words,
        mandates=mandates,
        collects=collects,
        today=context.membership.daily_date,
    )


async def issue(context: PageContext) -> Response:
    """Issue the invoices of the orders of this payer that wait. Raises: NotFound."""
    form = BaseForm(context.form_data)

    async def save() -> Response:
        id = context.path["id"]
        made = await issue_for_payer(context.db, context.account_id, id, by=context.actor)
        url = context.url("subscribers", id, "account")
        return context.redirect(url, message=issued_message(len(made)))

    return await process_form(context, form, save, lambda status: _show(context, status, form))


async def download_account(context: PageContext) -> Response:
    """All invoices and payments with the balance after each, as a file. Raises: NotFound."""
    async with context.db.read() as db:
        subscriber, _payer = await _get(context, db)
    name = file_name(
        "account-{day}.{ending}",
        day=context.membership.daily_date,
        ending=asked_ending(context),
    )

    async def read(request: PageRequest) -> Page[AccountEntry]:
        async with context.db.replica.read(aside=True) as db:
            return await store.list_entries(db, context.account_id, subscriber.id, request)

    async def parts() -> AsyncIterator[Sequence[Mapping[str, object]]]:
        async for page in all_pages(read, limit=ROWS):
            yield [
                {
                    "day": each.day,
                    "what": entry_words(each.kind),
                    "number": each.text,
                    "currency": each.currency,
                    "amount": money_text(each.amount, each.currency),
                    "balance": money_text(each.balance, each.currency),
                    "open_amount": money_text(each.open_amount, each.currency),
                    "due_date": each.due_date,
                }
                for each in page
            ]

    return await table_file(context, name, COLUMNS, parts(), title=_("Customer account"))


class PayerForm(BaseForm):
    """What is known of a payer. seen: as it was when the page was shown."""

    vat_id = StringField("VAT ID")
    department = StringField("Department or attention")
    bills = RadioField("Invoices", validate_choice=False)
    seen = HiddenField()

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of the VAT ID and of the department."""
        return errors_of(self.read_vat_id, self.read_department)

    def read_vat_id(self) -> str:
        """The VAT ID without blanks; empty if there is none. Raises: Invalid."""
        text = short_text("vat_id", (self.vat_id.data or "").strip())
        return check_vat_id("vat_id", text) if text else ""

    def read_department(self) -> str:
        """The department; empty if there is none. Raises: Invalid."""
        return one_line(short_text("department", (self.department.data or "").strip()))


def _seen(payer: StoredPayer | None) -> str:
    return f"{payer.vat_id} {payer.bills_together} {payer.department}" if payer else ""


async def edit_payer(context: PageContext) -> Response:
    """Change the VAT ID, and whether the orders are billed together. Raises: NotFound."""
    async with context.db.read() as db:
        subscriber, payer = await _get(context, db)

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> PayerForm:
        form = PayerForm(formdata, data)
        form.bills.choices = choices_of(
            (
                (EACH, _("Each order gets its own invoice, at once")),
                (TOGETHER, _("One invoice for all orders: they wait until you issue it")),
            )
        )
        return form

    async def save(form: PayerForm, db: Database) -> Response:
        async with db.read() as connection:
            now = (await payers.find_payers(connection, context.account_id, [subscriber.id])).get(
                subscriber.id
            )
        if form.seen.data != _seen(now):
            form.seen.data = _seen(now)
            text = _("This payer has changed since you opened the page. Check it, and save again.")
            raise Invalid(text, code=CHANGED_MEANWHILE)
        await update_payer(
            db,
            context.account_id,
            subscriber.id,
            vat_id=form.read_vat_id(),
            bills_together=form.bills.data == TOGETHER,
            department=form.read_department(),
            by=context.actor,
        )
        url = context.url("subscribers", subscriber.id, "account")
        return context.redirect(url, message=_("The changes are saved."))

    return await handle_form(
        context,
        make,
        "billing/payer.html",
        save,
        initial={
            "vat_id": payer.vat_id if payer else "",
            "department": payer.department if payer else "",
            "bills": TOGETHER if payer and payer.bills_together else EACH,
            "seen": _seen(payer),
        },
        subscriber=subscriber,
    )
