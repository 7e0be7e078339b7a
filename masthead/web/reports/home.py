"""The first page of the desk: what is to do, what is late, and how the magazine is doing."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import partial

from babel.dates import format_skeleton
from markupsafe import Markup
from msgspec import Struct
from starlette.responses import Response

from masthead.model.billing.lists import DocumentSum
from masthead.model.clock import now
from masthead.model.debits.bank_days import next_bank_day
from masthead.model.identity.rights import Right
from masthead.model.pagination import PageRequest
from masthead.model.renewals.ending import EndingRange
from masthead.model.renewals.lapsed import RenewalList, RenewalListQuery
from masthead.model.reports.trends import TrendPoint
from masthead.model.resources import Issue
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.translations import gettext as _
from masthead.model.types.enums import CopyStatus, SubscriptionStatus
from masthead.services.reminders.plan import count_due
from masthead.store import accounts, keys, sources
from masthead.store.billing.open_sums import sum_credit_notes, sum_overdue
from masthead.store.billing.unsent import MAX_COUNTED as MAX_UNSENT, count_unsent
from masthead.store.debits import settings as debit_settings, to_do as debits_to_do
from masthead.store.engine.interface import Connection
from masthead.store.issues import records as issues
from masthead.store.letters.failed import count_failed
from masthead.store.renewals import ending as renewals
from masthead.store.renewals.lists import ListCount, count_renewals
from masthead.store.reports import fulfilment, trends
from masthead.store.self_service import requests
from masthead.store.subscriptions import records as subscriptions
from masthead.web.kit.charts import Point, in_two_widths, line_chart
from masthead.web.kit.context import PageContext
from masthead.web.kit.due import find_left_to_send, find_waiting
from masthead.web.kit.formatting import get_locale, number_in

WEEK = timedelta(days=7)  # of what subscribers did themselves
MAX_COUNT = 1_000  # of what subscribers did
MAX_REMINDERS = 100  # that are counted
_DONE = CopyStatus.SENT, CopyStatus.CANCELLED
_ONE = PageRequest(limit=1, after=None, binding=b"")


class SetupSteps(Struct, frozen=True):
    """The first steps of a new account, and whether each step is done."""

    issue: bool
    source: bool
    subscription: bool
    key: bool


class Totals(Struct, frozen=True):
    """What Home counts. ended: but not Complete. ending: the rows of the lists of renewals.

    done: the sent and the cancelled copies of the current issue. soon: the issues that
    subscriptions end with; None without issues.
    """

    done: Mapping[CopyStatus, int]
    statuses: Mapping[str, int]
    subscribers: int
    soon: EndingRange | None
    ended: int
    ending: Mapping[RenewalList, ListCount]


async def show_home(context: PageContext) -> Response:
    """Show today's figures, or the first steps if the account has no subscriptions."""
    today, account_id = context.membership.daily_date, context.account_id
    async with context.db.read(aside=True) as db:
        if not await subscriptions.has_any(db, account_id):
            return context.render(
                "reports/first_steps.html", steps=await _find_steps(db, account_id)
            )
        current = await issues.find_current(db, account_id, today)
        totals = await context.count_once(
            db, "home", partial(_count, db, account_id, current, today)
        )
        points = await trends.list_trend(db, account_id)
        left = await find_left_to_send(context, db, current)
        waiting = await find_waiting(db, account_id)
        asked = await requests.count_waiting(db, account_id)
        done = await requests.count_since(db, account_id, now() - WEEK, most=MAX_COUNT)
        collected = await _count_debits(context, db)
        account = await accounts.get_account(db, account_id)
        has_mail = context.site is not None
        count_reminders = partial(
            count_due, db, account, account.daily_date, most=MAX_REMINDERS + 1, has_mail=has_mail
        )
        reminders = await context.count_once(db, "reminders due", count_reminders)
        overdue = await _find_overdue(context, db)
        credit = await _find_credit(context, db)
        unsent_invoices = await _count_unsent_invoices(context, db)
        failed = await _find_failed(context, db)
    to_send = left.tasks[0].counts.unsent if current else 0
    points = [*points, trends.today_of(totals.statuses, totals.subscribers, today)]
    return context.render(
        "reports/home.html",
        current=current,
        due=left.tasks,
        unsent=left.unsent,
        groups=left.groups,
        together=left.together,
        waiting=waiting,
        debits=collected,
        asked=asked,
        done=done,
        reminders=reminders,
        to_send=to_send,
        sent=totals.done.get(CopyStatus.SENT, 0),
        copies={
            CopyStatus.NOT_SENT: to_send,
            **{status: totals.done.get(status, 0) for status in _DONE},
        },
        statuses={
            status: totals.statuses.get(status, 0)
            for status in SubscriptionStatus
            if status in LIVE
        },
        points=points,
        earlier=earlier_points(points),
        chart=draw_trend_chart(points, context.locale),
        soon=totals.soon,
        ending=totals.ending,
        ended=totals.ended,
        max_reminders=MAX_REMINDERS,
        overdue=overdue,
        credit=credit,
        unsent_invoices=unsent_invoices,
        max_unsent=MAX_UNSENT,
        failed_letters=failed,
    )


class DebitsToDo(Struct, frozen=True):
    """The direct debits to collect on the next bank day, and those that came back."""

    due: int = 0
    returned: int = 0


async def _count_debits(context: PageContext, db: Connection) -> DebitsToDo:
    """What users who bill have to do about direct debits. Queries: one, or three."""
    account_id, may = context.account_id, context.membership.may
    if not (may(Right.SEE_MONEY) and may(Right.BILL)):
        return DebitsToDo()
    if await debit_settings.find_settings(db, account_id) is None:
        return DebitsToDo()
    day = next_bank_day(context.membership.daily_date)
    return DebitsToDo(
        await debits_to_do.count_due(db, account_id, day),
        await debits_to_do.count_returned(db, account_id),
    )


async def _find_overdue(context: PageContext, db: Connection) -> DocumentSum:
    """The overdue invoices, for users who see money. Queries: one, and one after each write."""
    if not context.membership.may(Right.SEE_MONEY):
        return DocumentSum()
    membership = context.membership
    find = partial(
        sum_overdue,
        db,
        context.account_id,
        today=membership.daily_date,
        currency=membership.currency,
    )
    return await context.count_once(db, "overdue invoices", find)


async def _find_credit(context: PageContext, db: Connection) -> DocumentSum:
    """The credit notes to pay back or use, for users who see money. Queries: as above."""
    if not context.membership.may(Right.SEE_MONEY):
        return DocumentSum()
    currency = context.membership.currency
    find = partial(sum_credit_notes, db, context.account_id, currency=currency)
    return await context.count_once(db, "credit notes", find)


async def _count_unsent_invoices(context: PageContext, db: Connection) -> int:
    """The invoices to send, for users who send them. Queries: as above."""
    may = context.membership.may
    if not (may(Right.SEE_MONEY) and may(Right.BILL)):
        return 0
    find = partial(count_unsent, db, context.account_id)
    return (await context.count_once(db, "unsent invoices", find)).count


async def _find_failed(context: PageContext, db: Connection) -> dict[str, int]:
    """The letters that could not be sent, by batch, for users who send letters. Queries: one."""
    if not context.membership.may(Right.SEND_LETTERS):
        return {}
    return await count_failed(db, context.account_id)


async def _count(db: Connection, account_id: int, current: Issue | None, today: date) -> Totals:
    soon = await renewals.find_soon(db, account_id, today)
    first = soon.first if soon else 0
    return Totals(
        done=await fulfilment.count_by_status(db, account_id, current.number, _DONE)
        if current
        else {},
        statuses=await trends.count_live(db, account_id),
        subscribers=await trends.count_active_subscribers(db, account_id),
        soon=soon,
        ended=await renewals.count_ended(db, account_id, soon) if soon else 0,
        ending={
            each: await count_renewals(
                db, account_id, each, RenewalListQuery(), current=first, today=today
            )
            for each in (RenewalList.ENDING, RenewalList.NEXT)
        },
    )


async def _find_steps(db: Connection, account_id: int) -> SetupSteps:
    """The steps that an account without subscriptions has done."""
    return SetupSteps(
        issue=bool((await issues.list_issues(db, account_id, _ONE)).items),
        source=bool((await sources.list_sources(db, account_id, _ONE)).items),
        subscription=False,
        key=bool(await keys.list_keys(db, account_id)),
    )


def earlier_points(points: Sequence[TrendPoint]) -> list[TrendPoint]:
    """What Home compares today with, which is the last point: the last month, and a year ago."""
    return [points[-place] for place in (2, 13) if len(points) >= place]


def draw_trend_chart(points: Sequence[TrendPoint], locale: str) -> Markup | None:
    """The chart of active subscriptions; None if the trend has only one point."""
    if len(points) < 2:
        return None
    shown = [
        Point(
            _month(point.trend_date, locale),
            point.active_subscriptions,
            _number(point.active_subscriptions, locale),
        )
        for point in points
    ]
    description = _("From {first} at the end of {month} to {last} today.").format(
        first=shown[0].text, month=shown[0].label, last=shown[-1].text
    )
    return in_two_widths(
        lambda name, width: line_chart(
            shown,
            name=name,
            title=_("Active subscriptions"),
            description=description,
            locale=get_locale(locale),
            width=width,
        ),
        "trend",
    )


def _month(day: date, locale: str) -> str:
    return format_skeleton("yMMM", day, locale=get_locale(locale))


def _number(value: int, locale: str) -> str:
    return number_in(value, get_locale(locale))
