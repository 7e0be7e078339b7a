"""The pages that merge two subscribers, after a comparison, and that undo a merge."""

from datetime import date

from starlette.responses import Response
from wtforms import RadioField
from wtforms.validators import InputRequired

from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.model.orders.period_coverage import spreads
from masthead.model.pagination import PageRequest
from masthead.model.queries import SubscriberQuery
from masthead.model.search import search_terms
from masthead.model.subscribers.corrections import MERGED_MEANWHILE
from masthead.model.subscribers.merges import UNDO_PERIOD
from masthead.model.translations import gettext as _
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.services.orders.subscribers import list_subscribers
from masthead.services.revenue.subscriber_payments import add_up, list_paid
from masthead.services.subscribers import merge as service, undo_merge as undo
from masthead.services.subscribers.compare import (
    ComparedSubscriber,
    Comparison,
    compare_subscribers,
)
from masthead.store import accounts
from masthead.store.engine.interface import Database
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscribers.corrections import StoredSubscriber, get_subscriber
from masthead.store.subscriptions import records as subscriptions
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_filters
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.formatting import day_in, get_locale
from masthead.web.kit.forms import BaseForm, choices_of
from masthead.web.kit.idempotency import NotSaved

FOUND = 25  # subscribers that a search shows


class MergeForm(BaseForm):
    """Which of the two subscribers stays."""

    stays = RadioField(
        "Which subscriber stays?",
        [InputRequired("Choose which subscriber stays.")],
        validate_choice=False,
    )


async def choose_subscriber(context: PageContext) -> Response:
    """Search for the one to merge with. At first, for the name of this one, or for the last name
    if nobody else has that name. Raises: NotFound.
    """
    async with context.db.read(aside=True) as db:
        subscriber = await get_subscriber(db, context.account_id, context.path["id"])
        if subscriber.merged_into is not None:
            return _to_kept(context, subscriber.merged_into)
        filters, problem = read_filters(context, SubscriberQuery), ""
        found: list[KnownSubscriber] = []
        search = filters.values["search"]
        try:
            decode_filters(context, SubscriberQuery)
        except Invalid as reason:
            problem = str(reason)
        names = [search] if search else [subscriber.full_name, subscriber.last_name or ""]
        for search in names:
            if problem or found or not (terms := search_terms(search)):
                break
            page = await subscriber_store.search_subscribers(
                db, context.account_id, terms, PageRequest(FOUND + 1, None, b"")
            )
            ids = [each.id for each in page.items if each.id != subscriber.id]
            found = await list_subscribers(db, context.account_id, ids[:FOUND])
    return context.render(
        "subscribers/merge_choose.html",
        subscriber=subscriber,
        search=search,
        found=found,
        problem=problem,
    )


async def merge_subscribers(context: PageContext) -> Response:
    """Compare two subscribers, and merge one into the other. Raises: NotFound, Invalid."""
    ids = context.path["id"], context.path["other"]
    try:
        async with context.db.read(aside=True) as db:
            comparison = await compare_subscribers(db, context.account_id, *ids)
            currency = context.membership.currency
            found = [comparison.one.stored.id, comparison.other.stored.id]
            paid = await list_paid(db, context.account_id, found, currency=currency)
            home = (await accounts.get_account(db, context.account_id)).country
    except Invalid as reason:
        if reason.code == MERGED_MEANWHILE:
            return _to_kept(context, str(reason.value), str(reason))
        raise
    both = {each.stored.id: each for each in (comparison.one, comparison.other)}

    def make(formdata: object, data: object) -> MergeForm:
        form = MergeForm(formdata, data)  # type: ignore[arg-type]
        form.stays.choices = choices_of((id, _label(each.stored)) for id, each in both.items())
        return form

    async def save(form: MergeForm, db: Database) -> Response:
        kept = both.get(form.stays.data or "")
        if kept is None:
            raise Invalid(_("Choose which subscriber stays."), field="stays")
        [merged] = [each for each in both.values() if each is not kept]
        kept_id, merged_id = kept.stored.id, merged.stored.id
        try:
            merge_id = await service.merge_subscribers(
                db, context.account_id, kept_id=kept_id, merged_id=merged_id, by=context.actor
            )
        except Invalid as reason:
            if reason.code == MERGED_MEANWHILE:
                kept_page = _to_kept(context, str(reason.value), str(reason))
                raise NotSaved(kept_page) from None
            raise
        until = day_in(
            (now() + UNDO_PERIOD).astimezone(context.zone).date(), get_locale(context.locale)
        )
        gone, stays = _told_apart(merged.stored, kept.stored)
        message = _("{merged} is merged into {kept}. You can undo this until {day}.").format(
            merged=gone, kept=stays, day=until
        )
        page = "subscribers", kept_id
        link = context.url(*page, "merges", merge_id, "undo"), _("Undo the merge")
        return context.redirect(context.url(*page), message=message, link=link)

    return await handle_form(
        context,
        make,
        "subscribers/merge.html",
        save,
        initial={"stays": _usual(comparison)},
        comparison=comparison,
        both=list(both.values()),
        home=home,
        paid=paid,
        paid_together=add_up(paid.values(), currency=currency),
        spreads=spreads,
    )


def _told_apart(one: StoredSubscriber, other: StoredSubscriber) -> tuple[str, str]:
    """The names of two subscribers; if they are equal, with the email addresses that they have."""
    if one.full_name != other.full_name:
        return one.full_name, other.full_name
    first, second = [_label(each) if each.shown_email else each.full_name for each in (one, other)]
    return first, second


def _label(stored: StoredSubscriber) -> str:
    """The name of a subscriber with what tells two of the same name apart."""
    return f"{stored.full_name} ({stored.shown_email or stored.id})"


def _usual(comparison: Comparison) -> str:
    """The id of the subscriber who usually stays: the one with an email address, else the one with
    the newer order, else the one with the fuller address, else the first.
    """

    def rank(it: ComparedSubscriber) -> tuple[bool, date, int]:
        filled = sum(bool(getattr(it.mailed, name, None)) for name in ADDRESS_FIELDS)
        return not it.stored.is_placeholder, it.totals.latest_order_date or date.min, filled

    return max((comparison.one, comparison.other), key=rank).stored.id


def _to_kept(context: PageContext, id: str, message: str = "") -> Response:
    """Redirect to the subscriber that another one was merged into."""
    return context.redirect(context.url("subscribers", id), message=message)


async def undo_merge(context: PageContext) -> Response:
    """Show what moves back and what stays; undo the merge. Raises: NotFound."""
    id, page = context.path["merge"], context.url("subscribers", context.path["id"])
    try:
        async with context.db.read(aside=True) as db:
            preview = await undo.preview_undo(db, context.account_id, id)
            rows = await subscriptions.find_rows(
                db, context.account_id, [*preview.going, *preview.staying]
            )
    except Invalid as reason:
        if context.is_post:
            raise
        return context.redirect(page, message=str(reason))
    merged, kept = _told_apart(preview.merged, preview.kept)

    async def save(_form: BaseForm, db: Database) -> Response:
        back = await undo.undo_merge(db, context.account_id, id, by=context.actor)
        message = _("The merge is undone: {name} has a page of their own again.").format(
            name=merged
        )
        link = context.url("subscribers", back), _("Go to that page")
        return context.redirect(page, message=message, link=link)

    return await handle_form(
        context,
        BaseForm,
        "subscribers/undo_merge.html",
        save,
        preview=preview,
        merged=merged,
        kept=kept,
        going=[rows[each] for each in preview.going],
        staying=[rows[each] for each in preview.staying],
    )
