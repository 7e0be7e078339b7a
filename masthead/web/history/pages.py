"""The history of a subscriber, a subscription or an issue: what happened, by whom, in words."""

from collections.abc import Callable
from functools import partial

from starlette.responses import Response

from masthead.model.audit_entries import EntryType
from masthead.model.history.entries import HistoryGroup, HistoryPage, Record
from masthead.model.identity.rights import Right
from masthead.model.ids import LAST_NUMBER
from masthead.model.translations import gettext as _
from masthead.services.history.entries import (
    View,
    history_of_issue,
    history_of_subscriber,
    history_of_subscription,
)
from masthead.store.issues import records as issues
from masthead.store.read_model.subscription_query import get_subscription
from masthead.store.subscribers import records as subscriber_store
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import read_number
from masthead.web.kit.formatting import get_locale, number_in

PARTS = {
    "subscriber": ["subscribers"],
    "subscription": ["subscriptions"],
    "issue": ["issues"],
    "invoice": ["money", "invoices"],  # only users who see money have entries about one
}


async def show_subscriber(context: PageContext) -> Response:
    """What happened to a subscriber. Raises: NotFound, Invalid."""
    id, view = context.path["id"], _view(context)
    async with context.db.read(aside=True) as db:
        subscriber = await subscriber_store.get_subscriber(db, context.account_id, id)
        page = await history_of_subscriber(db, context.account_id, subscriber.id, view)
    return _render(context, page, ("subscriber", subscriber.id), subscriber.full_name)


async def show_subscription(context: PageContext) -> Response:
    """What happened to a subscription. Raises: NotFound, Invalid."""
    id, view = context.path["id"], _view(context)
    async with context.db.read(aside=True) as db:
        await get_subscription(db, context.account_id, id)
        page = await history_of_subscription(db, context.account_id, id, view)
    record = ("subscription", id)
    return _render(
        context,
        page,
        record,
        _("Subscription of {name}").format(name=page.names.of(*record)),
    )


async def show_issue(context: PageContext) -> Response:
    """What happened to an issue. Raises: NotFound, Invalid."""
    id, view = context.path["id"], _view(context)
    async with context.db.read(aside=True) as db:
        issue = await issues.get_issue(db, context.account_id, id)
        page = await history_of_issue(db, context.account_id, issue, view)
    return _render(context, page, ("issue", id), _("Issue {number}").format(number=issue.number))


def _render(context: PageContext, page: HistoryPage, record: Record, title: str) -> Response:
    return context.render(
        "history/page.html",
        page=page,
        title=title,
        back=url_of(context, record),
        first=context.url(*PARTS[record[0]], record[1], "history"),
        is_first=not context.query.get("before"),
        url_of=lambda each: url_of(context, each),
        log_url=log_urls(context),
    )


def _view(context: PageContext) -> View:
    """What the page shows of a history, with numbers as it writes them. Raises: Invalid."""
    return View(
        before=read_number(context, "before") or LAST_NUMBER,
        number=partial(number_in, locale=get_locale(context.locale)),
        hides_money=not context.membership.may(Right.SEE_MONEY),
    )


def url_of(context: PageContext, record: Record) -> str:
    """The address of the page of a record; empty if it has none."""
    return context.url(*PARTS[record[0]], record[1]) if record[0] in PARTS else ""


def log_urls(context: PageContext) -> Callable[[HistoryGroup], str]:
    """The address of the audit log with the entries of a group; empty if the user cannot see it."""

    def log_url(group: HistoryGroup) -> str:
        if not context.membership.may(Right.SETTINGS):
            return ""
        day = group.at.astimezone(context.zone).date().isoformat()
        if len(group.records) == 1:
            kind, record = group.records[0]
            return context.url("settings", "log", kind=kind, record=record, since=day, until=day)
        action = group.actions[0] if len(group.actions) == 1 else ""
        if EntryType.COPY_MARK_SENT in group.actions:
            action = EntryType.COPY_MARK_SENT.value
        return context.url(
            "settings", "log", who=group.actor[1], action=action, since=day, until=day
        )

    return log_url
