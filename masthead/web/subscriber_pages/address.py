"""Change the address: for good, from an issue or a day on, or for a holiday."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from babel import Locale
from msgspec import structs
from starlette.responses import Response
from wtforms import BooleanField, SelectField

from masthead.model.addresses.changes import (
    ALREADY_CANCELLED,
    TEMPORARY_PLANNED,
    TemporaryAddresses,
    describe_issues,
)
from masthead.model.errors import Invalid
from masthead.model.orders.entry_checks import UNUSUAL_POSTCODE, list_address_doubts
from masthead.model.resources import Issue, Subscription
from masthead.model.subscriptions.groups import CopyGroup, group_subscriptions
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Medium
from masthead.model.types.text import fold
from masthead.services.addresses.groups import list_groups_within
from masthead.services.addresses.preview import preview_change
from masthead.services.addresses.requests import find_chosen
from masthead.services.self_service import addresses as service
from masthead.store.engine.interface import Database, Transaction
from masthead.store.engine.wrapped import OneTransaction
from masthead.store.issues import records as issues
from masthead.store.read_model import subscription_query
from masthead.store.subscriptions import records as subscriptions
from masthead.web.addresses.change_form import BETWEEN, DAYS, FROM, FROM_DAY, NOW, AddressChangeForm
from masthead.web.kit.choices import list_countries
from masthead.web.kit.formatting import day_in
from masthead.web.kit.forms import choices_of
from masthead.web.subscriber_pages.context import MyContext
from masthead.web.subscriber_pages.forms import handle_form

_KEPT = ("first_name", "last_name", "company", "country")
_PLACE = ("address1", "address2", "postcode", "city", "state")
MAX_ISSUES = 60  # that can be chosen: as many as a monthly magazine has in five years


class OwnAddressForm(AddressChangeForm):
    """The same form, with issues to choose from."""

    first_issue = SelectField("First issue", validate_choice=False)  # type: ignore[assignment]
    last_issue = SelectField("Last issue", validate_choice=False)  # type: ignore[assignment]
    is_address_right = BooleanField("Yes, the postcode is right")
    doubts_postcode = False  # whether the subscriber is asked


async def change_address(context: MyContext) -> Response:
    """Show the form, and save it."""
    account_id, id = context.account_id, context.subscriber.id
    async with context.db.read(aside=True) as db:
        rows = await subscriptions.list_rows_of_subscribers(db, account_id, [id])
        current = await issues.find_current(db, account_id, context.account.daily_date)
        releases = await issues.list_releases(db, account_id)
    groups = group_subscriptions(row for row in rows if row.status in LIVE)
    form = OwnAddressForm(context.form_data, _initial(groups, context.query))
    form.groups, form.releases = groups, releases
    form.address1.flags.required = form.country.flags.required = True
    form.write_day = partial(day_in, locale=Locale.parse(context.locale))
    countries = [("", _("Choose a country")), *list_countries(context.locale)]
    form.country.choices = choices_of(countries)
    form.subscriptions.choices = choices_of((group.first.id, group.first.id) for group in groups)
    form.when.choices = choices_of(_choices(current))
    form.first_issue.choices = form.last_issue.choices = choices_of(
        await _issue_choices(context, groups, current)
    )
    return await handle_form(
        context,
        form,
        "subscriber_pages/address.html",
        lambda form, db: _save(context, form, db, rows),
        groups=groups,
        current=current,
        contents=await _contents(context, groups),
    )


async def _contents(context: MyContext, groups: Sequence[CopyGroup]) -> Mapping[str, Subscription]:
    """The subscriptions, by id, to tell them apart. Queries: two at most."""
    ids = [group.first.id for group in groups]
    if len(ids) < 2:
        return {}
    return await subscription_query.find_subscriptions(context.db, context.account_id, ids)


async def _issue_choices(
    context: MyContext, groups: Sequence[CopyGroup], current: Issue | None
) -> list[tuple[str, str]]:
    """The next issues by name and day, since readers do not know their numbers. Queries: two."""
    if current is None:
        return []
    ends = [group.first.last_issue or 0 for group in groups]
    last = min(max([current.number + 4, *ends]), current.number + MAX_ISSUES)
    found = await issues.find_issues(context.db, context.account_id, current.number, last)
    listed = await issues.list_by_ids(context.db, context.account_id, [each.id for each in found])
    known = {each.number: each for each in listed}
    return [("", _("Choose an issue"))] + [
        (str(number), _issue_text(context, number, known.get(number)))
        for number in range(current.number, last + 1)
    ]


def _issue_text(context: MyContext, number: int, issue: Issue | None) -> str:
    text = _("Issue {number}").format(number=number)
    if issue is None:
        return text
    day = issue.release_date_actual
    when = day_in(day, locale=Locale.parse(context.locale)) if day else issue.release_date_fuzzy
    return ", ".join(filter(None, (f"{text}: {issue.name}", when)))


def _choices(current: Issue | None) -> list[tuple[str, str]]:
    """From when on the address can change. Issues can be named if there is one."""
    by_day = [
        (NOW, _("From now on")),
        (FROM_DAY, _("From a day on, such as the day of a move")),
        (DAYS, _("Only for some days, such as a holiday")),
    ]
    by_issue = [
        (FROM, _("From an issue on")),
        (BETWEEN, _("Only for some issues")),
    ]
    return by_day + by_issue if current else by_day


def _initial(groups: Sequence[CopyGroup], query: Mapping[str, str]) -> Mapping[str, Any]:
    """The subscriptions to change, with the name and the country that they have in common.

    query: `of` is a subscription: all that go to its address are ticked. `when`: what is chosen.
    """
    chosen = query.get("of", "")
    places = {_place(group) for group in groups if chosen in ("", *group.ids)}
    ids = [group.first.id for group in groups if not chosen or _place(group) in places]
    rows = [group.first for group in groups if group.first.id in ids]
    same = {name: {getattr(row, name) for row in rows} for name in _KEPT}
    common = {name: values.pop() for name, values in same.items() if len(values) == 1}
    when = query.get("when", "")
    return {**common, "subscriptions": ids, "when": when if when in (FROM_DAY, DAYS) else NOW}


def _place(group: CopyGroup) -> tuple[str, ...]:
    """Where the copies go, to find those that move together."""
    texts = (getattr(group.first, name) or "" for name in (*_KEPT, *_PLACE))
    return tuple(" ".join(fold(text).split()) for text in texts)


async def _save(
    context: MyContext, form: OwnAddressForm, db: Database, rows: Sequence[StoredSubscription]
) -> Response:
    request = form.request()
    chosen = [row for row in rows if row.id in request.subscription_ids]
    if any(row.medium != Medium.DIGITAL for row in chosen):
        _require_address(form, structs.asdict(request.address))
    try:
        known = await find_chosen(
            db, context.account_id, context.subscriber.id, request.subscription_ids
        )
        preview = await preview_change(db, context.account_id, known, request)
        result = await service.change_address(db, context.caller, request)
    except Invalid as reason:
        reason.field = form.field_of(reason)
        raise
    if result.planned:
        return context.redirect(context.url(done="address-planned"))
    is_in_run = any(each.in_runs for each in preview)
    return context.redirect(context.url(done="address-held" if is_in_run else "address"))


def _require_address(form: OwnAddressForm, address: Mapping[str, Any]) -> None:
    """Raises: Invalid if the post of the country needs more, or the postcode is unusual.

    The subscriber may say that the postcode is right.
    """
    for doubt in list_address_doubts({**address, "medium": Medium.PRINT}):
        if doubt.code == UNUSUAL_POSTCODE:
            form.doubts_postcode = True
            if form.is_address_right.data:
                continue
        raise doubt


async def cancel_change(context: MyContext) -> Response:
    """Cancel planned changes of the address. A repetition changes nothing.

    If an address for some issues is planned within them, a page asks what becomes of it.
    """
    group = context.path["group"]
    typed = str(context.fields.get("temporary", ""))
    temporary = TemporaryAddresses(typed) if typed in list(TemporaryAddresses) else None

    async def work(tx: Transaction) -> None:
        db = OneTransaction(context.db, tx, is_long=False)
        await service.cancel_address(db, context.caller, group, temporary=temporary)

    try:
        await context.db.write(work, account_id=context.account_id)
    except Invalid as reason:
        if reason.code == TEMPORARY_PLANNED:
            return await _ask_about_temporary(context, group)
        if reason.code != ALREADY_CANCELLED:
            raise
    return context.redirect(context.url(done="address-cancelled"))


async def _ask_about_temporary(context: MyContext, group: str) -> Response:
    async with context.db.read(aside=True) as db:
        within = await list_groups_within(db, context.account_id, context.subscriber.id, group)
    return context.render(
        "subscriber_pages/address_cancel.html",
        group_id=group,
        within=within,
        describe_issues=describe_issues,
    )
