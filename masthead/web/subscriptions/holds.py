"""Hold the copies of a subscription by hand, release them, and list what is held."""

from msgspec import structs
from starlette.responses import Response
from wtforms import StringField

from masthead.model.inputs import ListQuery
from masthead.model.translations import gettext as _
from masthead.services.holds import by_hand
from masthead.services.subscriptions.bundles import get_bundle
from masthead.store.engine.interface import Database
from masthead.store.holds import records as store
from masthead.store.read_model.subscription_query import get_subscription
from masthead.store.subscriptions.bundles import find_groups
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.shown_pages import show_page


class HoldForm(BaseForm):
    """Why the copies wait, or are released."""

    reason = StringField("Reason")


async def hold(context: PageContext) -> Response:
    """Ask why, and hold the copies. Raises: NotFound."""
    return await _change(context, is_release=False)


async def release(context: PageContext) -> Response:
    """Ask why, and release the copies. Raises: NotFound."""
    return await _change(context, is_release=True)


async def _change(context: PageContext, *, is_release: bool) -> Response:
    id = context.path["id"]
    async with context.db.read(aside=True) as db:
        subscription = await get_subscription(db, context.account_id, id)
        bundle = await get_bundle(db, context.account_id, id)
        held = await store.list_of_subscriptions(db, context.account_id, [id], only_open=True)
        issues = await store.list_waiting_issues(db, context.account_id, id)

    async def save(form: HoldForm, db: Database) -> Response:
        change = by_hand.release if is_release else by_hand.hold
        count = await change(
            db, context.account_id, id, reason=form.reason.data or "", by=context.actor
        )
        message = _("The copies are held.")
        if is_release:
            message = _("The copies are released. They go with the next mailing.")
        if not count:
            message = _("Nothing has changed: another user was faster.")
        return context.redirect(context.url("subscriptions", id), message=message)

    return await handle_form(
        context,
        HoldForm,
        "subscriptions/hold.html",
        save,
        subscription=subscription,
        copies=len(bundle.group.ids),
        held=held,
        issues=issues,
        is_release=is_release,
    )


async def list_held(context: PageContext) -> Response:
    """The subscriptions that are held, and why. Raises: Invalid."""
    _query, request = decode_filters(context, ListQuery)
    request = structs.replace(request, is_ascending=True)
    async with context.db.read(aside=True) as db:
        page = await store.list_all_open(db, context.account_id, request)
        count = await store.count_held(db, context.account_id)
        groups = await find_groups(
            db, context.account_id, [each.subscription_id for each in page.items]
        )
    return context.render(
        "subscriptions/held.html",
        page=show_page(context, request, page, key=lambda each: each.id, is_reversible=False),
        is_first=request.after is None,
        count=count,
        groups=groups,
    )
