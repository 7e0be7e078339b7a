"""The page of a subscription with its copies, and marking one of them as sent."""

from functools import partial

from starlette.responses import Response

from masthead.model.dispatch.runs import Dispatch, LineStatus
from masthead.model.errors import Invalid, NotFound
from masthead.model.ids import LAST_NUMBER
from masthead.model.inputs import MarkSentDate
from masthead.model.pagination import PageRequest, binding_of
from masthead.model.queries import CopyQuery
from masthead.model.resources import Issue
from masthead.model.returns.delivery_reports import one_of_each_address
from masthead.model.subscriptions.copy_counts import at_one_address
from masthead.model.subscriptions.groups import group_subscriptions, show_as_one
from masthead.model.translations import counted, gettext as _
from masthead.model.types.enums import CopyStatus
from masthead.model.types.text import MAX_DIGITS, is_digits
from masthead.model.validation import decode_input
from masthead.services.addresses.groups import list_planned_groups
from masthead.services.copies import mark_copies_sent
from masthead.services.issues.records import is_issue_released
from masthead.services.subscriptions.bundles import list_same_copies
from masthead.services.subscriptions.finished import list_finished
from masthead.services.subscriptions.overview import get_overview
from masthead.services.subscriptions.skip_choices import find_without_issues
from masthead.services.timeline import list_events
from masthead.store import accounts, copies
from masthead.store.dispatch import grace_copies, lines, runs
from masthead.store.imports.batch_rows import list_imports_of
from masthead.store.issues import records as issues
from masthead.store.read_model.subscription_query import find_subscriptions, get_subscription
from masthead.store.reports import fulfilment
from masthead.store.returns import delivery_reports
from masthead.store.subscriptions import periods
from masthead.web.billing.summaries import load_billed, load_other_payer
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import PAGE, read_number
from masthead.web.kit.formatting import day_in, get_locale
from masthead.web.subscriptions.copy_table import load_copy_table


async def show_subscription(context: PageContext) -> Response:
    """A subscription with its orders, copies and history. Raises: NotFound, Invalid."""
    return await _render_subscription(context)


async def _render_subscription(
    context: PageContext, *, problem: str = "", date: str = ""
) -> Response:
    """problem: why a copy was not marked as sent. date: what the user typed as its date."""
    id = context.path["id"]
    cursor = context.query.get("copies")
    binding = binding_of(context.account_id, context.request.url.path, {})
    request = PageRequest.from_cursor(cursor or None, limit=PAGE, binding=binding)
    before, today = read_number(context, "events") or LAST_NUMBER, context.membership.daily_date
    async with context.db.read(aside=True) as db:
        subscription = await get_subscription(db, context.account_id, id)
        orders = (await periods.list_periods(db, context.account_id, [id]))[id]
        history = await list_events(
            db,
            context.account_id,
            [id],
            before=before,
            day=partial(day_in, locale=get_locale(context.locale)),
        )
        reports = await delivery_reports.list_of_subscriptions(db, context.account_id, [id])
        overview = await get_overview(db, context.account_id, subscription)
        reported = {each.subscription_id for each in reports}
        if await list_finished(db, context.account_id, {id: subscription.status}, reported):
            reports = []
        ids = overview.bundle.group.ids
        members = await find_subscriptions(db, context.account_id, ids)
        account = await accounts.get_account(db, context.account_id)
        imports = await list_imports_of(db, context.account_id, id)
        grace = await grace_copies.list_grace(db, context.account_id, [id])
        current = await issues.find_current(db, context.account_id, today)
        billed = await load_billed(context, db, [order.id for order in orders])
        address_changes = await list_planned_groups(db, context.account_id, id)
        payer = await load_other_payer(context, db, billed, subscription.subscriber.id)
        rows = overview.bundle.group.members
        all_out = await find_without_issues(db, context.account_id, rows, day=today)
    listed = await copies.list_copies(
        context.db, context.account_id, CopyQuery(subscription=id), request
    )
    table = await load_copy_table(context, subscription, listed.items)
    subscription = show_as_one([subscription, *(members[each] for each in ids if each != id)])
    return context.render(
        "subscriptions/subscription.html",
        subscription=subscription,
        email=context.real_email(subscription.subscriber.email),
        orders=list(zip(subscription.periods, orders, strict=True)),
        home=account.country,
        copies=listed,
        claims=table.claims,
        returned=table.returned,
        markable=table.markable,
        is_first=cursor is None,
        not_created=table.not_created,
        history=history,
        reports=one_of_each_address(reports),
        imports=imports,
        billed=billed,
        payer=payer,
        current=current.number if current else 0,
        counts=at_one_address(overview.bundle.group, overview.bundle.others),
        overview=overview,
        address_changes=address_changes,
        ordered_with=group_subscriptions(overview.bundle.others),
        grace=grace,
        all_out=all_out,
        problem=problem,
        date=date or today.isoformat(),
    )


async def mark_copy_sent(context: PageContext) -> Response:
    """Mark one copy as sent, with or without a date. Raises: NotFound.

    If the issue is not out, or a frozen run holds the copy, ask first: the user cannot undo it.
    """
    id, copy_id = context.path["id"], str(context.fields.get("copy", ""))
    day = str(context.fields.get("date", "")).strip()
    if not is_digits(copy_id, at_most=MAX_DIGITS):
        raise NotFound("copy", copy_id)
    async with context.db.read(aside=True) as db:
        subscription = await get_subscription(db, context.account_id, id)
    try:
        body = decode_input(MarkSentDate, {"date": day or None})
    except Invalid as reason:
        return await _render_subscription(context, problem=str(reason), date=day)
    if not context.fields.get("is_confirmed"):
        unreleased = await _find_unreleased(context, int(copy_id), day)
        run = await _find_frozen_run(context, int(copy_id))
        if unreleased is not None or run is not None:
            issue, others = unreleased or (None, 0)
            return context.render(
                "issues/copy_confirm.html",
                subscription=subscription,
                issue=issue,
                others=others,
                run=run,
                copy_id=copy_id,
                day=day,
            )
    async with context.db.read(aside=True) as db:
        same = await list_same_copies(db, context.account_id, id, int(copy_id))
    marked = await mark_copies_sent(
        context.db, context.account_id, same, body.date, by=context.actor
    )
    count = marked.updated_count
    message = _("No copy was marked.")
    if count:
        message = counted(
            "The copy is marked as sent.", "{count} copies are marked as sent.", count
        )
    return context.redirect(context.url("subscriptions", id), message=message)


async def _find_frozen_run(context: PageContext, copy_id: int) -> Dispatch | None:
    """The run that holds a copy, if it is not marked as sent."""
    async with context.db.read(aside=True) as db:
        found = await lines.list_lines_of_copies(db, context.account_id, [copy_id])
        held = [line for line in found if line.status is LineStatus.IN_RUN and not line.claim_id]
        if not held:
            return None
        return await runs.get_dispatch(db, context.account_id, held[0].dispatch_id)


async def _find_unreleased(
    context: PageContext, copy_id: int, day: str
) -> tuple[Issue, int] | None:
    """The issue of a copy, if it is not out, and how many of its other copies are not sent.

    None if the issue has no release date and the user typed a day other than today: then the user
    knows when the copy was sent.
    """
    today = context.membership.daily_date
    async with context.db.read(aside=True) as db:
        issue_id = await copies.find_issue_id(db, context.account_id, copy_id)
        if issue_id is None:
            return None
        issue = await issues.get_issue(db, context.account_id, issue_id)
        if issue.release_date_actual is None and day != today.isoformat():
            return None
        if await is_issue_released(db, context.account_id, issue, day=today):
            return None
        counts = await fulfilment.count_by_status(db, context.account_id, issue.number)
    return issue, max(counts[CopyStatus.NOT_SENT] - 1, 0)
