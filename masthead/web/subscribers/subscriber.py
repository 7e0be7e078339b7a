"""The page of a subscriber, with the issues they got."""

from functools import partial

from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.identity.rights import Right
from masthead.model.ids import LAST_NUMBER
from masthead.model.returns.delivery_reports import one_of_each_address
from masthead.model.subscriptions.copy_counts import at_one_address
from masthead.model.subscriptions.groups import fold_ended, group_subscriptions, show_as_one
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.translations import gettext as _, in_language
from masthead.model.types.recipient_languages import name_language
from masthead.services.addresses.groups import list_groups
from masthead.services.claims.why import explain_waiting
from masthead.services.reminders.history import add_reminders
from masthead.services.revenue.subscriber_payments import list_paid
from masthead.services.subscribers.names import name_actor
from masthead.services.subscribers.notices import list_notices
from masthead.services.subscribers.overview import get_overview, list_moved
from masthead.services.subscriptions.finished import list_finished
from masthead.services.subscriptions.skip_choices import find_without_issues
from masthead.services.timeline import get_timeline, list_events_of
from masthead.store import accounts
from masthead.store.letters.subscribers import get_subscriber
from masthead.store.privacy.erasures import find_erasure
from masthead.store.read_model import subscription_query
from masthead.store.returns import delivery_reports
from masthead.store.subscribers import records as store
from masthead.store.subscribers.lists import find_rows
from masthead.store.subscriptions import records as subscriptions
from masthead.web.billing.summaries import load_summary
from masthead.web.kit.context import PageContext
from masthead.web.kit.day_words import day_words
from masthead.web.kit.filters import read_number
from masthead.web.kit.formatting import day_in, get_locale
from masthead.web.kit.idempotency import new_idempotency_key

MAX_SUBSCRIPTIONS = 20  # on the page of a subscriber; the list of subscriptions has the others
MAX_READ = 500  # to find those; several copies for one address are shown as one
SHOWN_ISSUES = 8  # the newest; the others are folded


async def show_subscriber(context: PageContext) -> Response:
    """A subscriber with their subscriptions, issues and history. Raises: NotFound, Invalid.

    The id of a merged subscriber opens the one that they were merged into.
    """
    id = context.path["id"]
    problem, number = "", None
    try:
        number = read_number(context, "issue")
        if number is None and "issue" in context.query:
            problem = _("Type the number of an issue, such as 21.")
    except Invalid as reason:
        problem = str(reason)
    before = read_number(context, "before") or LAST_NUMBER
    events_before = read_number(context, "events") or LAST_NUMBER
    async with context.db.read(aside=True) as db:
        subscriber = await store.get_subscriber(db, context.account_id, id)
        if subscriber.id != id:
            return context.redirect(
                context.url("subscribers", subscriber.id),
                message=_("The subscriber that you opened was merged into this one."),
            )
        overview = await get_overview(db, context.account_id, id)
        newest = await subscriptions.list_newest_of_subscriber(db, context.account_id, id, MAX_READ)
        all_groups = fold_ended(group_subscriptions(newest))
        groups = all_groups[:MAX_SUBSCRIPTIONS]
        ids = [each for group in groups for each in group.ids]
        owned = await subscription_query.find_subscriptions(db, context.account_id, ids)
        all_out = await find_without_issues(
            db, context.account_id, newest, day=context.membership.daily_date
        )
        timeline = await get_timeline(
            db,
            context.account_id,
            id,
            day=context.membership.daily_date,
            number=number,
            before=before,
        )
        reasons = await explain_waiting(
            db, context.account_id, id, timeline, day=day_words(context)
        )
        recipient = await get_subscriber(db, context.account_id, id)
        rows = await find_rows(db, context.account_id, [id])
        reports = await delivery_reports.list_of_subscriptions(db, context.account_id, ids)
        statuses = {each.id: each.status for each in owned.values()}
        reported = {each.subscription_id for each in reports}
        finished = await list_finished(db, context.account_id, statuses, reported)
        reports = [each for each in reports if each.subscription_id not in finished]
        history = await list_events_of(
            db,
            context.account_id,
            id,
            before=events_before,
            day=partial(day_in, locale=get_locale(context.locale)),
        )
        if context.membership.may(Right.SEE_MONEY):
            history = await add_reminders(db, context.account_id, id, history, before=events_before)
        notices = await list_notices(
            db, context.account_id, groups, day=context.membership.daily_date
        )
        address_changes = await list_groups(db, context.account_id, id)
        account = await accounts.get_account(db, context.account_id)
        locale = account.locale_for(
            recipient.language, recipient.country or subscriber.latest_country
        )
        with in_language(locale):
            greeting = recipient.greeting
        paid = await list_paid(db, context.account_id, [id], currency=context.membership.currency)
        moved = await list_moved(db, context.account_id, id) if overview.merged else set()
        erased = await find_erasure(db, context.account_id, id)
        erased_by = await name_actor(db, context.account_id, erased) if erased else ""
        billing = await load_summary(context, db, id)
    subscriptions_of = [show_as_one([owned[each] for each in group.ids]) for group in groups]
    # the address at the top is that of the newest subscription that runs, or of the newest one;
    # subscriptions of somebody who was merged into this subscriber come last
    by_use = sorted(subscriptions_of, key=lambda each: (each.status not in LIVE, each.id in moved))
    return context.render(
        "subscribers/subscriber.html",
        subscriber=subscriber,
        created_at=rows[id].created_at,
        greeting=greeting,
        written_in=name_language(locale),
        by_country=bool(account.country_languages),
        email=context.real_email(subscriber.email),
        owned=subscriptions_of,
        copies={group.first.id: len(group.members) for group in groups},
        counts={group.first.id: at_one_address(group, newest) for group in groups},
        has_more=len(newest) == MAX_READ or len(all_groups) > len(groups),
        mailed=next(iter(by_use), None),
        home=account.country,
        paid=paid[id],
        shown_issues=SHOWN_ISSUES,
        timeline=timeline,
        reasons=reasons,
        history=history,
        overview=overview,
        note_key=new_idempotency_key(),
        recipient=recipient,
        reports=one_of_each_address(reports),
        problem=problem,
        is_newest=before == LAST_NUMBER,
        notices=notices,
        address_changes=address_changes,
        rows=newest,
        all_out=all_out,
        erased=erased,
        erased_by=erased_by,
        billing=billing,
    )
