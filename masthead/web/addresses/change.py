"""The pages that change the address of subscriptions, after a preview, and cancel such a change."""

from collections.abc import Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any

from babel import Locale
from msgspec import structs
from starlette.responses import Response

from masthead.model.addresses.changes import (
    ALREADY_CANCELLED,
    NAMES,
    TEMPORARY_PLANNED,
    AddressChange,
    NewAddress,
    TemporaryAddresses,
    describe_issues,
    one_line,
)
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.orders.entry_checks import list_missing_address
from masthead.model.orders.period_coverage import spreads
from masthead.model.subscriptions.groups import address_key, group_subscriptions
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.translations import counted, gettext as _
from masthead.model.types.enums import Medium, SubscriptionStatus
from masthead.model.types.streets import is_same_street
from masthead.services.addresses import changes as service
from masthead.services.addresses.changes import ChangeResult
from masthead.services.addresses.groups import list_groups_within
from masthead.services.addresses.preview import SubscriptionRoutes, digest_of, preview_change
from masthead.services.addresses.requests import ChangeRequest, find_chosen, find_planned_beside
from masthead.store.engine.interface import Database
from masthead.store.issues import records as issues
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
from masthead.web.kit.form_handling import ALREADY_DONE, process_form, save_form
from masthead.web.kit.formatting import day_in
from masthead.web.kit.forms import choices_of

PRESENT = "present"  # the form begins with the present address, to correct it
_ENDED = (SubscriptionStatus.CANCELLED, SubscriptionStatus.COMPLETE)


async def change_address(context: PageContext) -> Response:
    """Show the form, preview what it does, and save it. Raises: NotFound."""
    id = context.path["id"]
    async with context.db.read(aside=True) as db:
        subscriber = await subscriber_store.get_subscriber(db, context.account_id, id)
        rows = await subscriptions.list_rows_of_subscribers(db, context.account_id, [id])
        today = context.membership.daily_date
        current = await issues.find_current(db, context.account_id, today)
        releases = await issues.list_releases(db, context.account_id) if context.is_post else ()
    groups = group_subscriptions(sorted(rows, key=lambda row: (row.status in _ENDED, row.id)))
    present = _present([group.first for group in groups])
    is_correction = PRESENT in (context.query.get("begin"), context.fields.get("begin"))
    initial = _initial([group.first for group in groups])
    if is_correction and present:
        initial = {**initial, **structs.asdict(present)}
    form = AddressChangeForm(context.form_data, initial)
    form.groups = groups
    form.releases, form.write_day = releases, partial(day_in, locale=Locale.parse(context.locale))
    form.address1.flags.required = form.country.flags.required = True
    countries = [("", _("Choose a country")), *list_countries(context.locale)]
    form.country.choices = choices_of(countries)
    form.subscriptions.choices = choices_of((group.first.id, group.first.id) for group in groups)
    form.when.choices = choices_of(
        [
            (NOW, _("Now, for all issues not sent yet")),
            (FROM_DAY, _("Permanently, from a day on")),
            (DAYS, _("For some days, then back automatically")),
            (FROM, _("Permanently, from an issue on")),
            (BETWEEN, _("For some issues, then back automatically")),
        ]
    )
    found: list[SubscriptionRoutes] = []
    beside: list[AddressChange] = []

    async def show(status: HTTPStatus) -> Response:
        return context.render(
            "addresses/change.html",
            status=status,
            form=form,
            subscriber=subscriber,
            groups=groups,
            current=current,
            preview=_group_preview(found),
            present=present,
            is_correction=is_correction and present is not None,
            corrected=_corrected(form, present) if found and is_correction and present else {},
            beside=list({each.group_id: each for each in beside}.values()),
            span=form.find_span() if found else None,
            has_effect=any(route.kind == "new" for each in found for route in each.routes),
            one_line=one_line,
            same_street=is_same_street,
            describe_issues=describe_issues,
            spreads=spreads,
            missing=_missing(form, rows) if found else [],
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

    return await process_form(context, form, preview_or_save, show)


def _group_preview(found: Sequence[SubscriptionRoutes]) -> list[tuple[SubscriptionRoutes, int]]:
    """The effects, each with the number of copies for one address that it is the same for."""
    alike: dict[object, list[SubscriptionRoutes]] = {}
    for each in found:
        address = address_key(each.row)
        key = each.row.id if address is None else (address, str(each.routes), str(each.in_runs))
        alike.setdefault(key, []).append(each)
    return [(same[0], len(same)) for same in alike.values()]


def _missing(form: AddressChangeForm, rows: Sequence[StoredSubscription]) -> list[str]:
    """What the post needs of the new address for printed issues, and is missing."""
    chosen = [row for row in rows if row.id in form.chosen_ids()]
    if all(row.medium == Medium.DIGITAL for row in chosen):
        return []
    address = structs.asdict(form.request().address)
    return [str(each) for each in list_missing_address({**address, "medium": Medium.PRINT})]


def _initial(rows: Sequence[StoredSubscription]) -> Mapping[str, Any]:
    """All live subscriptions, or the only one, and what they have in common of the name."""
    live = [row for row in rows if row.status not in _ENDED]
    same = {name: {getattr(row, name) for row in live or rows} for name in (*NAMES, "country")}
    common = {name: values.pop() for name, values in same.items() if len(values) == 1}
    if len(common.keys() & set(NAMES)) < len(NAMES):
        common = {"country": common["country"]} if "country" in common else {}
    ticked = live or (rows if len(rows) == 1 else [])
    return {**common, "subscriptions": [row.id for row in ticked], "when": NOW}


def _present(rows: Sequence[StoredSubscription]) -> NewAddress | None:
    """The name and address of all live subscriptions, or of all; None if they differ."""
    live = [row for row in rows if row.status not in _ENDED] or rows
    found = {NewAddress(**{name: getattr(row, name) for name in FIELDS}) for row in live}
    return found.pop() if len(found) == 1 else None


def _corrected(
    form: AddressChangeForm, present: NewAddress
) -> Mapping[str, tuple[str | None, str | None]]:
    """What a correction changes: the text before and after it, by the field."""
    after = form.request().address
    pairs = {name: (getattr(present, name), getattr(after, name)) for name in FIELDS}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


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
        return counted(
            "The new address is planned for {count} subscription.",
            "The new address is planned for {count} subscriptions.",
            result.planned,
        )
    return counted(
        "{count} subscription has the new address.",
        "{count} subscriptions have the new address.",
        result.changed,
    )


async def cancel_change(context: PageContext) -> Response:
    """Cancel the changes that were planned together. Raises: NotFound, Invalid.

    If an address for some issues is planned within them, a page asks what becomes of it.
    """
    id, group = context.path["id"], context.path["group"]
    message = _("The change of address is cancelled. The subscriptions keep their address.")
    typed = str(context.fields.get("temporary", ""))
    temporary = TemporaryAddresses(typed) if typed in list(TemporaryAddresses) else None
    try:
        await service.cancel_changes(
            context.db, context.account_id, id, group, temporary=temporary, by=context.actor
        )
    except Invalid as reason:
        if reason.code == TEMPORARY_PLANNED:
            return await _ask_about_temporary(context, id, group)
        if reason.code != ALREADY_CANCELLED:
            raise
        message = ALREADY_DONE
    return context.redirect(context.url("subscribers", id), message=message)


async def _ask_about_temporary(context: PageContext, id: str, group: str) -> Response:
    async with context.db.read(aside=True) as db:
        subscriber = await subscriber_store.get_subscriber(db, context.account_id, id)
        within = await list_groups_within(db, context.account_id, id, group)
    return context.render(
        "addresses/cancel.html",
        subscriber=subscriber,
        group_id=group,
        within=within,
        describe_issues=describe_issues,
    )
