"""A batch of orders, decided in memory: what each opens or renews, and the rows to be written.

Knows no database: `orders` looks up what the orders refer to, and writes what was decided. What is
new is complete here, its copies, states and figures included; nothing of it is read back.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from itertools import count
from operator import attrgetter
from typing import Any

from msgspec import Struct, structs

from masthead.model.audit_events import EventType
from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.ids import new_ids
from masthead.model.lifecycle import is_period_complete, renewed
from masthead.model.orders.order import Order, Terms, check_recurring
from masthead.model.orders.period_coverage import Span, renewal_span, span_of
from masthead.model.types.email_addresses import email_key
from masthead.model.types.enums import CopyStatus, SubscriptionStatus
from masthead.services.derived.status_updates import settled_status
from masthead.services.derived.subscriber_stats import NO_FIGURES
from masthead.services.orders.coverage import Issues
from masthead.store.accounts import Account
from masthead.store.audit.trail import AuditEvent

ADDRESS = "first_name last_name company address1 address2 city state postcode country phone".split()
_COPIED = [*ADDRESS, *"type medium notes is_recurring is_comp is_gift".split()]
_COPIED += ["gifter_name", "gifter_email"]
_ORDERED = "order_id order_date price discount_amount refunded currency".split()
_ORDERED += ["promo_code", "transaction_id"]
_copied_of, _ordered_of = attrgetter(*_COPIED), attrgetter(*_ORDERED)


class NewPeriod(Struct):
    """A period and its copies, as rows. missing: numbers that it covers and that are no issue."""

    row: dict[str, Any]
    copies: list[dict[str, Any]]
    missing: int

    def cancel(self) -> None:
        """Let none of its copies wait to be sent."""
        for copy in self.copies:
            if copy["status"] is CopyStatus.NOT_SENT:
                copy["status"] = CopyStatus.CANCELLED


class Batch:
    """The rows that a batch of orders will write, and what they were found to refer to."""

    def __init__(
        self,
        account: Account,
        source_id: str,
        product_id: str,
        terms: Terms,
        *,
        size: int,
        newest: tuple[str, int],
    ) -> None:
        """size: how many orders there are. newest: id and number of the account, so far."""
        self.account, self.source_id, self.product_id = account, source_id, product_id
        self.terms, self.moment = terms, now()
        self.issues = Issues([])  # all that the orders may cover or name
        self.orders: dict[str, str] = {}  # subscription by order id
        self.subscribers: dict[str, dict[str, Any]] = {}  # by e-mail key
        self.subscriptions: dict[str, dict[str, Any]] = {}  # own columns, by id
        self.spans: dict[str, Span] = {}  # of the last period, by subscription
        self.complete: dict[str, list[bool]] = {}  # whether older periods are, by subscription
        self.granted: dict[str, Collection[int]] = {}  # issues of older memberships, by id
        self.new_subscribers: dict[str, dict[str, Any]] = {}  # by id
        self.new_subscriptions: dict[str, dict[str, Any]] = {}  # by id
        self.renewed: dict[str, dict[str, Any]] = {}  # older subscriptions, by id
        self.new_periods: list[NewPeriod] = []
        self._new_of: defaultdict[str, list[NewPeriod]] = defaultdict(list)  # by subscription
        self.cancelled: set[str] = set()
        newest_id, newest_number = newest  # numbers and ids rise together: they sort alike
        self._subscriber_ids = iter(new_ids(account.id, size, after=newest_id))
        self._subscription_ids = iter(new_ids(account.id, size, after=newest_id))
        self._numbers = count(newest_number + 1)
        self.entries: list[AuditEvent] = []

    def place(self, order: Order) -> str:
        """Take an order in; the id of its subscription. Raises: Invalid, and nothing is taken."""
        if holder := self.orders.get(order.order_id):
            raise Invalid(
                f"`order_id` `{order.order_id}` belongs to subscription `{holder}` already; "
                "an order id is used once.",
                code="duplicate_order_id",
                field="order_id",
                value=order.order_id,
            )
        id = self._open(order) if order.renews is None else self._renew(order)
        self.orders[order.order_id] = id
        return id

    def _open(self, order: Order) -> str:
        if order.start_issue is not None and order.start_issue not in self.issues:
            raise Invalid(
                f"`start_issue` is {order.start_issue}, and there is no issue with that number. "
                "Create it first with `POST /v1/issues/`, or start with one that exists.",
                code="unknown_start_issue",
                field="start_issue",
                value=order.start_issue,
            )
        span = span_of(order)
        self.issues.check_sent(order, span)
        id, n = next(self._subscription_ids), next(self._numbers)
        subscriber = self._subscriber(order, n)
        row = {
            "id": id,
            "n": n,
            "subscriber_id": subscriber["id"],
            "source_id": self.source_id,
            "product_id": self.product_id,
            **dict(zip(_COPIED, _copied_of(order), strict=True)),
            "status": order.status or SubscriptionStatus.ACTIVE,
            "start_issue": span.first_issue,
            "last_issue": span.last_issue,
            "total_length": span.length or 0,
            "created_at": self.moment,
        }
        self.new_subscriptions[id] = self.subscriptions[id] = row
        self._add_period(id, order, span)
        shown = {name: row[name] for name in ("type", *ADDRESS)}
        after = {**shown, "status": row["status"], "order_id": order.order_id}
        self.entries.append(AuditEvent(EventType.SUBSCRIPTION_CREATE, id, None, after))
        return id

    def _renew(self, order: Order) -> str:
        id = self.orders.get(order.renews or "")
        if id is None:
            raise Invalid(
                f"`renews` is `{order.renews}`, and there is no such order yet. Rows are read from "
                "top to bottom: put the order that is renewed above its renewals.",
                field="renews",
                value=order.renews,
            )
        row = self.subscriptions[id]
        if row["status"] == SubscriptionStatus.CANCELLED:
            raise Invalid(
                f"`renews` is `{order.renews}`, but that subscription is cancelled; a new one "
                "can be ordered instead.",
                field="renews",
                value=order.renews,
            )
        if order.status is not None:
            check_recurring(order.status, is_recurring=row["is_recurring"])
        span = renewal_span(order, self.spans[id])
        self.issues.check_sent(order, span)
        before = SubscriptionStatus(row["status"])
        row["status"] = order.status or renewed(before)
        if span.length is not None:
            row["last_issue"] = span.last_issue
            row["total_length"] += span.length
        if id not in self.new_subscriptions:
            self.renewed[id] = row
        self._add_period(id, order, span)
        after = {"status": row["status"], "order_id": order.order_id}
        states = {"status": before}, after
        self.entries.append(AuditEvent(EventType.SUBSCRIPTION_RENEW, id, *states))
        return id

    def _subscriber(self, order: Order, n: int) -> Mapping[str, Any]:
        """The subscriber with the order's address, made with that number if there is none yet."""
        key = email_key(order.email) if order.email else None
        if key in self.subscribers:
            return self.subscribers[key]
        id = next(self._subscriber_ids)
        email = order.email or f"subscriber-{id.lower()}@{self.terms.placeholder_domain}"
        row = {
            "id": id,
            "n": n,
            "email": email,
            "email_key": key or email_key(email),
            "is_placeholder": order.email is None,
            "first_name": order.first_name,
            "last_name": order.last_name,
            "company": order.company,
            **NO_FIGURES,
            "created_at": self.moment,
        }
        self.subscribers[key or email_key(email)] = self.new_subscribers[id] = row
        return row

    def _add_period(self, id: str, order: Order, span: Span) -> None:
        """Add a period with the copies that it is owed, and settle its subscription."""
        row, new = self.subscriptions[id], self._new_period(id, order, span)
        self.new_periods.append(new)
        self._new_of[id].append(new)
        if span.length is None:
            row["total_length"] += len(new.copies)
        self.spans[id] = span
        if order.status is SubscriptionStatus.CANCELLED:
            self.cancelled.add(id)
            for each in self._new_of[id]:
                each.cancel()
        complete = self.complete.get(id, []) + [self._judge(each) for each in self._new_of[id]]
        row["status"] = settled_status(row, complete)

    def _new_period(self, id: str, order: Order, span: Span) -> NewPeriod:
        subscriber_id = self.subscriptions[id]["subscriber_id"]
        country = self.subscriptions[id]["country"]
        numbers = self.issues.covered_by(span, but=self.granted.get(id, ()))
        row = {
            "subscription_id": id,
            **dict(zip(_ORDERED, _ordered_of(order), strict=True)),
            **structs.asdict(span),
            "created_at": self.moment,
        }
        copies = [
            {
                "subscription_id": id,
                "subscriber_id": subscriber_id,
                "issue_id": self.issues[number].id,
                "issue_number": number,
                "status": CopyStatus.SENT if number in order.sent else CopyStatus.NOT_SENT,
                "date_sent": order.sent.get(number),
                "country": country,
            }
            for number in numbers
        ]
        return NewPeriod(row, copies, missing=(span.length or len(numbers)) - len(numbers))

    def _judge(self, new: NewPeriod) -> bool:
        """Whether a new period is complete; it says so from now on."""
        is_complete = is_period_complete(
            period_end=new.row["period_end"],
            day=self.account.daily_date,
            missing_issues=new.missing,
            unsent_copies=sum(copy["status"] is CopyStatus.NOT_SENT for copy in new.copies),
        )
        new.row["is_complete"] = is_complete
        return is_complete

    def number(self, last_period: int, last_copy: int) -> None:
        """Give periods and copies their ids, from those on."""
        copy_ids = count(last_copy + 1)
        for id, new in enumerate(self.new_periods, last_period + 1):
            new.row["id"] = id
            for copy in new.copies:
                copy["id"], copy["period_id"] = next(copy_ids), id
