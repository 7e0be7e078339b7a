"""A batch of orders, decided in memory: what each opens or renews, and the rows to be written.

Knows no database: `orders` looks up what the orders refer to, and writes what was decided.
"""

from collections.abc import Mapping
from datetime import date
from typing import Any

from msgspec import structs

from masthead.model.errors import Invalid
from masthead.model.ids import new_id
from masthead.model.lifecycle import is_covered, is_period_complete, renewed
from masthead.model.orders import Order, Terms, check_recurring
from masthead.model.search import subscriber_text, subscription_part, subscription_text
from masthead.model.spans import Span, renewal_span, span_of
from masthead.model.values import SubscriptionStatus, email_key, search_text
from masthead.services.states import settled_status
from masthead.store.accounts import Account
from masthead.store.audit import Entry
from masthead.store.connection import now

ADDRESS = "first_name last_name company address1 address2 city state postcode country phone".split()
_COPIED = [*ADDRESS, *"type medium notes is_recurring is_comp is_gift".split()]
_COPIED += ["gifter_name", "gifter_email"]
_ORDERED = "order_id order_date price discount_amount refunded currency".split()
_ORDERED += ["promo_code", "transaction_id"]


class Batch:
    """The rows that a batch of orders will write, and what they were found to refer to."""

    def __init__(self, account: Account, source_id: str, product_id: str, terms: Terms) -> None:
        self.account, self.source_id, self.product_id = account, source_id, product_id
        self.terms = terms
        self.orders: dict[str, str] = {}  # subscription by order id
        self.subscribers: dict[str, dict[str, Any]] = {}  # by e-mail key
        self.releases: dict[int, date | None] = {}  # release date by issue number
        self.subscriptions: dict[str, dict[str, Any]] = {}  # own columns, by id
        self.spans: dict[str, Span] = {}  # of the last period, by subscription
        self.complete: dict[str, list[bool]] = {}  # whether periods are, by subscription
        self.new_subscribers: dict[str, dict[str, Any]] = {}  # by id
        self.new_subscriptions: dict[str, dict[str, Any]] = {}  # by id
        self.renewals: dict[str, dict[str, Any]] = {}  # of older subscriptions, by id
        self.new_periods: list[dict[str, Any]] = []
        self.sent: list[tuple[str, int, date | None]] = []  # subscription, issue number, day
        self.cancelled: list[str] = []
        self.more_search: dict[str, list[str]] = {}  # lines for older subscribers, by id
        self.entries: list[Entry] = []

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
        if order.start_issue is not None and order.start_issue not in self.releases:
            raise Invalid(
                f"`start_issue` is {order.start_issue}, and there is no issue with that number. "
                "Create it first with `POST /v1/issues/`, or start with one that exists.",
                code="unknown_start_issue",
                field="start_issue",
                value=order.start_issue,
            )
        span = span_of(order)
        self._check_sent(order, span)
        id, subscriber = new_id(self.account.id), self._subscriber(order)
        cancelled = order.status is SubscriptionStatus.CANCELLED
        row = {
            "id": id,
            "subscriber_id": subscriber["id"],
            "source_id": self.source_id,
            "product_id": self.product_id,
            **{name: getattr(order, name) for name in _COPIED},
            "status": SubscriptionStatus.ACTIVE if cancelled else order.status or "Active",
            "start_issue": span.first_issue,
            "last_issue": span.last_issue,
            "total_length": span.length or 0,
            "created_at": now(),
        }
        row["search_text"] = subscription_text(
            row, [order.order_id], [order.promo_code], subscriber
        )
        self.new_subscriptions[id] = self.subscriptions[id] = row
        part = subscription_part(row, [order.order_id])
        self._searched(row["subscriber_id"], part)
        self._add_period(id, order, span)
        shown = {name: row[name] for name in ("type", *ADDRESS)}
        stated = order.status or row["status"]  # a cancelled one is ended once its copies are there
        after = {**shown, "status": stated, "order_id": order.order_id}
        self.entries.append(Entry("subscription.create", "subscription", id, None, after))
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
        if row["status"] == SubscriptionStatus.CANCELLED or id in self.cancelled:
            raise Invalid(
                f"`renews` is `{order.renews}`, but that subscription is cancelled; a new one "
                "can be ordered instead.",
                field="renews",
                value=order.renews,
            )
        if order.status is not None:
            check_recurring(order.status, is_recurring=row["is_recurring"])
        span = renewal_span(order, self.spans[id])
        self._check_sent(order, span)
        before = settled_status(row, self.complete[id])  # as if the orders above were written
        row["status"] = renewed(before)
        if order.status not in (None, SubscriptionStatus.CANCELLED):
            row["status"] = order.status
        if span.length is not None:
            row["last_issue"] = span.last_issue
            row["total_length"] += span.length
        more = search_text(order.order_id, order.promo_code)
        row["search_text"] += "\n" + more
        if id not in self.new_subscriptions:
            renewal = self.renewals.setdefault(id, {"id": id, "more_text": ""})
            renewal["more_text"] += "\n" + more
        self._searched(row["subscriber_id"], search_text(order.order_id))
        self._add_period(id, order, span)
        after = {"status": order.status or row["status"], "order_id": order.order_id}
        states = {"status": before}, after
        self.entries.append(Entry("subscription.renew", "subscription", id, *states))
        return id

    def _subscriber(self, order: Order) -> Mapping[str, Any]:
        """The subscriber with the order's address, made if there is none yet."""
        key = email_key(order.email) if order.email else None
        if key in self.subscribers:
            return self.subscribers[key]
        id = new_id(self.account.id)
        email = order.email or f"subscriber-{id.lower()}@{self.terms.placeholder_domain}"
        row = {
            "id": id,
            "email": email,
            "email_key": key or email_key(email),
            "is_placeholder": order.email is None,
            "first_name": order.first_name,
            "last_name": order.last_name,
            "company": order.company,
            "subscription_count": 0,
            "has_active_subscription": False,
            "ltv": 0,
            "created_at": now(),
        }
        row["search_text"] = subscriber_text(row)
        self.subscribers[key or email_key(email)] = self.new_subscribers[id] = row
        return row

    def _searched(self, subscriber_id: str, lines: str) -> None:
        """Let a subscriber be found by more."""
        if new := self.new_subscribers.get(subscriber_id):
            new["search_text"] += "\n" + lines
        else:
            self.more_search.setdefault(subscriber_id, []).append(lines)

    def _check_sent(self, order: Order, span: Span) -> None:
        """Raises: Invalid if a copy is said to be sent that the period does not have."""
        for number in order.sent:
            if number not in self.releases:
                why = "there is no such issue"
            elif not _covers(span, number, self.releases[number]):
                why = "the period does not include it"
            else:
                continue
            raise Invalid(
                f"`sent_issues` names issue {number}, but {why}.",
                field="sent_issues",
                value="|".join(map(str, order.sent)),
            )

    def _add_period(self, id: str, order: Order, span: Span) -> None:
        self.spans[id] = span
        day, unsent = self.account.daily_date, (span.length or 0) - len(order.sent)
        is_complete = is_period_complete(
            period_end=span.period_end, day=day, missing_issues=0, unsent_copies=unsent
        )
        self.complete.setdefault(id, []).append(is_complete)
        self.sent += [(id, number, day) for number, day in order.sent.items()]
        if order.status is SubscriptionStatus.CANCELLED:
            self.cancelled.append(id)
        self.new_periods.append(
            {
                "subscription_id": id,
                **{name: getattr(order, name) for name in _ORDERED},
                **structs.asdict(span),
                "is_complete": False,
                "created_at": now(),
            }
        )


def _covers(span: Span, number: int, released: date | None) -> bool:
    """Whether a period includes an existing issue."""
    if span.first_issue is not None and span.last_issue is not None:
        return span.first_issue <= number <= span.last_issue
    assert span.period_start is not None
    assert span.period_end is not None
    return is_covered(released, span.period_start, span.period_end)
