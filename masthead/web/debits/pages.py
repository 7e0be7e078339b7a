"""What is due to be collected: check it, leave some out, and make a collection."""

from collections.abc import Sequence
from datetime import date
from http import HTTPStatus

from starlette.responses import Response
from wtforms import StringField
from wtforms.widgets import DateInput

from masthead.model.debits.bank_days import next_bank_day
from masthead.model.debits.rules import CURRENCY, DueDebit
from masthead.model.errors import Invalid
from masthead.model.translations import counted, gettext as _
from masthead.services.debits.collect import create_collections
from masthead.services.debits.notice_letters import MOST
from masthead.services.debits.renew import find_problem, list_groups
from masthead.store import accounts
from masthead.store.debits import (
    collections as collection_store,
    records as store,
    settings as settings_store,
    to_do,
)
from masthead.store.engine.interface import Database
from masthead.store.subscriptions import records as subscriptions
from masthead.web.billing.words import return_words
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import save_or_show
from masthead.web.kit.forms import BaseForm, read_date

SHOWN, SHOWN_COLLECTIONS, SHOWN_RENEWALS = 1_000, 50, 20


class CollectForm(BaseForm):
    """The day of a collection. What is collected are the ticked debits of the page."""

    day = StringField("Day of the collection", widget=DateInput())


async def show_debits(context: PageContext) -> Response:
    """What is due, what cannot be collected, and the collections; make one. Raises: Invalid."""
    form = CollectForm(context.form_data)
    first = next_bank_day(context.membership.daily_date)
    asked = form.day.data if context.is_post else context.query.get("day", "")
    try:
        day = read_date("day", asked) if asked else first
    except Invalid:
        day = first
    form.day.data = form.day.data or day.isoformat()
    form.day.flags.required = True

    async def save(form: CollectForm, db: Database) -> Response:
        made = await create_collections(
            db,
            context.account_id,
            day=read_date("day", form.day.data),
            debit_ids=[str(each) for each in context.fields.getlist("debit") if each],
            by=context.actor,
        )
        message = counted(
            "The file with {count} direct debit is made. Download it, and send it to your bank.",
            "The file with {count} direct debits is made. Download it, and send it to your bank.",
            made[0].debits,
        )
        if len(made) > 1:
            message = _(
                "Two files are made, {first} and {second}: no file has core and B2B mandates. "
                "Download both, and send them to your bank."
            ).format(first=made[0].number, second=made[1].number)
            return context.redirect(context.url("money", "debits"), message=message)
        return context.redirect(context.url("money", "debits", made[0].id), message=message)

    return await save_or_show(
        context, form, save, lambda status: _show(context, form, day, status), is_long=True
    )


async def _show(context: PageContext, form: CollectForm, day: date, status: HTTPStatus) -> Response:
    async with context.db.read(aside=True) as db:
        settings = await settings_store.find_settings(db, context.account_id)
        waiting = await store.list_waiting(db, context.account_id, limit=SHOWN)
        collections = await collection_store.list_collections(
            db, context.account_id, SHOWN_COLLECTIONS
        )
        by_letter = await to_do.list_to_print(db, context.account_id, MOST) if settings else []
        returned = await to_do.list_returned(db, context.account_id, SHOWN)
        account = await accounts.get_account(db, context.account_id)
        groups = await list_groups(db, account)
        ids = [group[0] for group in groups[:SHOWN_RENEWALS]]
        rows = await subscriptions.find_rows(db, context.account_id, ids)
        refused = [(rows[id], await find_problem(db, account, id)) for id in ids]
    problems = {each.id: each.problem_on(day) for each in waiting}
    due = [each for each in waiting if not problems[each.id] and each.collect_date <= day]
    chosen = {str(each) for each in context.fields.getlist("debit")} if context.is_post else None
    return context.render(
        "debits/overview.html",
        status=status,
        form=form,
        settings=settings,
        day=day,
        due=due,
        chosen={each.id for each in due} if chosen is None else chosen,
        total=_total(due),
        currency=CURRENCY,
        later=[e for e in waiting if not problems[e.id] and e.collect_date > day],
        stopped=[each for each in waiting if problems[each.id]],
        problems=problems,
        refused=refused,
        returned=returned,
        return_words=return_words,
        collections=collections,
        letters=len(by_letter),
    )


def _total(debits: Sequence[DueDebit]) -> int:
    return sum(each.open_amount for each in debits)
