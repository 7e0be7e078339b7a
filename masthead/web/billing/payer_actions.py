"""The choices and buttons of the fields of a payer: search, choose and forget one."""

from collections.abc import Sequence

from masthead.model.billing.payer_entry import PREFIX
from masthead.model.identity.rights import Right
from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.model.translations import gettext as _
from masthead.services.debits.mandates import find_usable
from masthead.services.orders.subscribers import SUGGESTED, find_subscriber
from masthead.services.subscribers.find import find_with_similar
from masthead.store import accounts
from masthead.store.billing import payers as payer_store, settings as settings_store
from masthead.store.debits import settings as debit_settings
from masthead.store.engine.interface import Connection
from masthead.store.subscribers.corrections import get_subscriber
from masthead.web.billing.payer_fields import PayerFields
from masthead.web.billing.words import scheme_choices
from masthead.web.kit.choices import list_countries, list_languages_of_texts
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import choices_of
from masthead.web.kit.typed_searches import drop_name_in_company, take_over

# Buttons that do not save: show the fields of the invoice, search, choose and forget a payer
BILL, FIND_PAYER, FORGET_PAYER, USE_PAYER = "bill", "find-payer", "forget-payer", "payer:"
MAX_SEARCH = 255  # characters
DEBIT = "debit"  # the value of the choice "by direct debit", beside "by invoice"
TAKEN = "payer_taken"  # the search whose name the fields of a new payer have


async def prepare_payer(context: PageContext, form: PayerFields, *, default_id: str = "") -> None:
    """Give the form its choices, what the account has, and the payer who is chosen.

    default_id: who gets the invoice unless another payer is chosen. Queries: two to seven.
    """
    form.may_bill = context.membership.may(Right.BILL)
    form.may_open = context.membership.may(Right.SEE_MONEY)
    form.has_mail, form.today = context.has_mail, context.membership.daily_date
    form.is_unanswered = "is_billed" not in context.fields
    form.is_debited.data = DEBIT in context.fields.getlist("is_billed")
    countries = list_countries(context.locale)
    form.payer_country.choices = choices_of([("", _("Choose a country")), *countries])
    languages = [("", _("By country")), *list_languages_of_texts()]
    form.payer_language.choices = choices_of(languages)
    drop_name_in_company(form, PREFIX, str(context.fields.get(TAKEN, "")))
    async with context.db.read() as db:
        form.settings = await settings_store.find_settings(db, context.account_id)
        if form.settings is None:
            return
        form.payer_country.data = form.payer_country.data or form.settings.country
        if "due_days" not in context.fields:  # the form did not ask for them before
            form.due_days.data = str(form.settings.due_days)
        id = form.payer_id.data or ""
        form.payer = await find_subscriber(db, context.account_id, id) if id else None
        form.account = await accounts.get_account(db, context.account_id)
        debits = await debit_settings.find_settings(db, context.account_id)
        form.collects = form.may_bill and debits is not None
        form.debit_scheme.choices = scheme_choices()
        form.debit_signed.data = form.debit_signed.data or form.today.isoformat()
        other_id = form.payer.id if form.payer else ""
        await _know(context, db, form, other_id if form.is_other_payer.data else default_id)


async def _know(context: PageContext, db: Connection, form: PayerFields, id: str) -> None:
    """Give the form what is known of who gets the invoice: an id, empty for somebody new.

    Queries: three at most.
    """
    form.known, form.record, form.mandate = None, None, None
    if not id:
        return
    form.known = (await payer_store.find_payers(db, context.account_id, [id])).get(id)
    form.record = await get_subscriber(db, context.account_id, id)
    if form.collects and form.known is not None:
        form.mandate = await find_usable(
            db, context.account_id, form.known.subscriber_id, form.today
        )


async def act_on_payer(context: PageContext, form: PayerFields, action: str) -> None:
    """Change the fields of the payer as a button says; unknown ones change nothing."""
    if action == BILL:
        is_htmx = context.request.headers.get("HX-Request") == "true"
        form.is_billed.data = form.is_billed.data or not is_htmx  # without scripts, it is a button
    elif action == FORGET_PAYER:
        form.payer_id.data, form.payer = "", None
        form.known, form.record, form.mandate = None, None, None
    elif action.startswith(USE_PAYER):
        id = action.removeprefix(USE_PAYER)
        async with context.db.read() as db:
            form.payer = await find_subscriber(db, context.account_id, id)
            if form.payer is not None:
                form.payer_id.data, form.payer_find.data = form.payer.id, ""
                form.is_other_payer.data = True
                await _know(context, db, form, form.payer.id)


async def suggest_payers(context: PageContext, form: PayerFields) -> Sequence[KnownSubscriber]:
    """The subscribers who match what is typed to find a payer; read aside.

    Without one, what was typed is that of a new payer.
    """
    search = (form.payer_find.data or "").strip()[:MAX_SEARCH]
    if not search or form.payer is not None:
        return ()
    async with context.db.read(aside=True) as db:
        found, form.has_exact = await find_with_similar(
            db, context.account_id, search, limit=SUGGESTED
        )
    if not found:
        take_over(form, PREFIX, search, before=str(context.fields.get(TAKEN, "")))
    return found
