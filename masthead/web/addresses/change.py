"""The page that changes the address of subscriptions, after a preview."""

from collections.abc import Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any

from babel import Locale
from msgspec import structs
from starlette.responses import Response

from masthead.model.addresses.changes import (
    NAMES,
    AddressChange,
    NewAddress,
    describe_issues,
    one_line,
)
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.orders.entry_checks import list_address_doubts
from masthead.model.orders.period_coverage import spreads
from masthead.model.returns.delivery_reports import one_of_each_address
from masthead.model.subscriptions.groups import CopyGroup, address_key, group_subscriptions
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.translations import counted, gettext as _
from masthead.model.types.enums import Medium, SubscriptionStatus
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.model.types.streets import is_same_street
from masthead.services.addresses import changes as service
from masthead.services.addresses.changes import ChangeResult
from masthead.services.addresses.preview import SubscriptionRoutes, digest_of, preview_change
from masthead.services.addresses.requests import ChangeRequest, find_chosen, find_planned_beside
from masthead.store.engine.interface import Database
from masthead.store.issues import records as issues
from masthead.store.read_model.subscription_query import get_subscription
from masthead.store.returns import delivery_reports
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions import records as subscriptions
from masthead.web.addresses.change_form import (
    BETWEEN,
    DAYS,
    FIELDS,
    FROM,
    FROM_DAY,
    NOW,
    AddressChangeForm,
)
from masthead.web.billing.links import redirect_after_correction
from masthead.web.kit.choices import list_countries
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import process_form, save_form
from masthead.web.kit.formatting import day_in
from masthead.web.kit.forms import choices_of

EMPTIED = ("address1", "address2", "city", "state", "postcode")  # the country mostly stays
_ENDED = (SubscriptionStatus.CANCELLED, SubscriptionStatus.COMPLETE)


async def open_change(context: PageContext) -> Response:
    """Open the page that changes the address of a subscription. Raises: NotFound."""
    id = context.path["id"]
    async with context.db.read() as db:
        found = await get_subscription(db, context.account_id, id)
    return context.redirect(context.url("subscribers", found.subscriber.id, "address", begin=id))


async def change_address(context: PageContext) -> Response:
    """Show the form, preview what it does, and save it. Raises: NotFound."""
    id = context.path["id"]
    async with context.db.read(aside=True) as db:
        subscriber = await subscriber_store.get_subscriber(db, context.account_id, id)
        rows = await subscriptions.list_rows_of_subscribers(db, context.account_id, [id])
        ids = [row.id for row in rows]
        reports = await delivery_reports.list_of_subscriptions(db, context.account_id, ids)
        today = context.membership.daily_date
        current = await issues.find_current(db, context.account_id, today)
        releases = await issues.list_releases(db, context.account_id) if context.is_post else ()
    ordered = sorted(rows, key=lambda row: (row.status in _ENDED, row.id))
    is_single = "one" in (context.fields.get("with"), context.query.get("with"))
    groups = [CopyGroup([row]) for row in ordered] if is_single else group_subscriptions(ordered)
    begin = str(context.fields.get("begin") or context.query.get("begin") or "")
    start = _find_start([group.first for group in groups], begin, is_single=is_single)
    initial = _initial(start)
    present = NewAddress(**{name: initial.get(name) for name in FIELDS})  # type: ignore[arg-type]
    form = AddressChangeForm(context.form_data, initial)
    form.groups = groups
    form.releases, form.write_day = releases, partial(day_in, locale=Locale.parse(context.locale))
    form.address1.flags.required = any(row.medium != Medium.DIGITAL for row in rows)
    form.country.flags.required = True
    countries = [("", _("Choose a country")), *list_countries(context.locale)]
    form.country.choices = choices_of(countries)
    form.subscriptions.choices = choices_of((group.first.id, group.first.id) for group in groups)
    form.when.choices = choices_of(
        [
            (NOW, _("Now, for all issues not sent yet")),
            (FROM_DAY, _("Permanently, from a certain day")),
            (DAYS, _("For some days, then back automatically")),
            (FROM, _("Permanently, from an issue on")),
            (BETWEEN, _("For some issues, then back automatically")),
        ]
    )
    found: list[SubscriptionRoutes] = []
    beside: list[AddressChange] = []

    async def show(status: HTTPStatus) -> Response:
        corrected = _corrected(form, present) if found else {}
        return context.render(
            "addresses/change.html",
            status=status,
            form=form,
            subscriber=subscriber,
            groups=groups,
            current=current,
            preview=_group_preview(found),
            present=present,
            begin=begin,
            is_single=is_single,
            reports=one_of_each_address(reports),
            has_several=any(len(group.members) > 1 for group in groups),
            to_begin_with=_list_addresses([group.first for group in groups]),
            corrected=corrected,
            kept=_list_kept(form, present, corrected),
            beside=list({each.group_id: each for each in beside}.values()),
            span=form.find_span() if found else None,
            has_effect=any(each.has_effect for each in found),
            one_line=one_line,
            describe_issues=describe_issues,
            spreads=spreads,
            doubts=_list_doubts(form, rows) if found else [],
        )

    async def preview() -> None:
        request = form.request()
        effects, planned = await _preview(context, id, request)
        found.extend(effects)
        beside.extend(planned)
        form.digest.data = digest_of(request, found)

    async def save(form: AddressChangeForm, db: Database) -> Response:
        result = await service.change_addresses(
            db,
            context.account_id,
            id,
            form.request(),
            seen=form.digest.data or "",
            by=context.actor,
        )
        return await redirect_after_correction(context, db, id, _message(result))

    async def preview_or_save() -> Response:
        try:
            if context.fields.get("action") == "save":
                return await save_form(context, form, save)
            await preview()
        except Invalid as reason:
            if reason.code == CHANGED_MEANWHILE:
                await preview()
            reason.field = form.field_of(reason)
            raise
        return await show(HTTPStatus.OK)

    if context.is_post and context.fields.get("action") == "empty":
        for name in EMPTIED:
            form[name].data = ""
        return await show(HTTPStatus.OK)
    return await process_form(context, form, preview_or_save, show)


def _group_preview(found: Sequence[SubscriptionRoutes]) -> list[tuple[SubscriptionRoutes, int]]:
    """The effects, each with the number of copies for one address that it is the same for."""
    alike: dict[object, list[SubscriptionRoutes]] = {}
    for each in found:
        address = address_key(each.row)
        key = each.row.id if address is None else (address, str(each.routes), str(each.in_runs))
        alike.setdefault(key, []).append(each)
    return [(same[0], len(same)) for same in alike.values()]


def _list_doubts(form: AddressChangeForm, rows: Sequence[StoredSubscription]) -> list[str]:
    """What is missing in the new address for printed issues, and an unusual postcode."""
    chosen = [row for row in rows if row.id in form.chosen_ids()]
    if all(row.medium == Medium.DIGITAL for row in chosen):
        return []
    address = structs.asdict(form.request().address)
    return [str(each) for each in list_address_doubts({**address, "medium": Medium.PRINT})]


def _find_start(
    rows: Sequence[StoredSubscription], begin: str, *, is_single: bool
) -> Sequence[StoredSubscription]:
    """The subscriptions whose address the form begins with: all live ones, or all.

    begin: the id of one of them, to begin with its address; then those with the same address.
    is_single: then it alone.
    """
    live = [row for row in rows if row.status not in _ENDED] or rows
    first = next((row for row in rows if row.id == begin), None)
    if first is None:
        return live
    alike = [row for row in live if _address(row) == _address(first)]
    return alike if first in alike and not is_single else [first]


def _initial(rows: Sequence[StoredSubscription]) -> Mapping[str, Any]:
    """The subscriptions, and what they have in common of the address, the name and the phone."""

    def common(*names: str) -> Mapping[str, Any]:
        found = {tuple(getattr(row, name) for name in names) for row in rows}
        return dict(zip(names, found.pop(), strict=True)) if len(found) == 1 else {}

    is_chosen = len(rows) == 1 or any(row.status not in _ENDED for row in rows)
    return {
        **(common(*ADDRESS_FIELDS) or common("country")),
        **common(*NAMES),
        **common("phone"),
        "subscriptions": [row.id for row in rows] if is_chosen else [],
        "when": NOW,
    }


def _list_addresses(rows: Sequence[StoredSubscription]) -> list[StoredSubscription]:
    """A subscription for each address of those that are live, or of all."""
    live = [row for row in rows if row.status not in _ENDED] or rows
    return list({_address(row): row for row in reversed(live)}.values())[::-1]


def _address(row: StoredSubscription) -> tuple[str | None, ...]:
    return tuple(getattr(row, name) for name in ADDRESS_FIELDS)


def _corrected(
    form: AddressChangeForm, present: NewAddress
) -> Mapping[str, tuple[str | None, str | None]]:
    """What the form changes: the text before and after it, by the field.

    An empty phone, or an empty name, keeps that of the subscription.
    """
    after = form.request().address
    changed = [*ADDRESS_FIELDS, *(NAMES if after.has_name else ())]
    changed += ["phone"] if after.phone is not None else []
    pairs = {name: (getattr(present, name), getattr(after, name)) for name in FIELDS}
    return {name: pair for name, pair in pairs.items() if name in changed and pair[0] != pair[1]}


def _list_kept(
    form: AddressChangeForm, present: NewAddress, corrected: Mapping[str, Any]
) -> list[str]:
    """What stays of an address with another street, and belongs to the street, by its label."""
    if "address1" not in corrected or is_same_street(*corrected["address1"]):
        return []
    kept = [] if "postcode" in corrected or "city" in corrected else ["postcode", "city"]
    kept += [] if "address2" in corrected else ["address2"]
    kept += ["state"] if "city" in corrected and "state" not in corrected else []
    return [str(form[name].label.text) for name in kept if getattr(present, name)]


async def _preview(
    context: PageContext, id: str, request: ChangeRequest
) -> tuple[list[SubscriptionRoutes], list[AddressChange]]:
    """Which issues go where, and the planned changes that stay. Raises: Invalid if refused."""
    async with context.db.read(aside=True) as db:
        chosen = await find_chosen(db, context.account_id, id, request.subscription_ids)
        beside = await find_planned_beside(db, context.account_id, request, chosen)
        return await preview_change(db, context.account_id, chosen, request), beside


def _message(result: ChangeResult) -> str:
    if result.planned:
        planned = counted(
            "The new address is planned for {count} subscription.",
            "The new address is planned for {count} subscriptions.",
            result.planned,
        )
        return (
            planned if result.has_effect else f"{planned} {_('But no issue goes there: check it.')}"
        )
    return counted(
        "{count} subscription has the new address.",
        "{count} subscriptions have the new address.",
        result.changed,
    )
