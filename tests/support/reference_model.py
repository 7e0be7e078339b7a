"""A reference model of the domain: small, slow and obviously correct.

Model-based tests compare the service with it. Everything that can be derived is computed at each
call. Only states that depend on history are stored: final states, and existing copies.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Final

KEEP: Final = object()
"""The date sent, if a request names none."""

CURRENCY = "EUR"
PLACES = {"EUR": ".00", "JPY": ""}
UNNAMED = "no address: "  # a subscriber without an email address, by their order
RECURRING = ("Past due", "Active - Renewals stopped")
LIVE = ("Active", *RECURRING)


NONE = range(0)


class Refused(Exception):
    """The operation is refused. code: that of the API, or the column of an import."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class DuplicateOrder(Exception):
    """The import skips the order: its id already exists."""


@dataclass
class Issue:
    """An issue: when it is released, and when renewals with it are charged."""

    name: str
    released: date | None
    charged: date | None


@dataclass
class Copy:
    """A copy. period: the period of its subscription that it belongs to."""

    period: int
    status: str = "Not sent"
    sent_on: date | None = None


@dataclass(kw_only=True)
class Order:
    """An order that creates a subscription or, with `renews`, a period. Amounts are whole."""

    order_id: str
    day: date
    price: int
    refunded: int = 0
    currency: str = CURRENCY
    start: int | None = None
    length: int | None = None
    begins: date | None = None
    ends: date | None = None
    email: str | None = None
    country: str = "DE"
    is_recurring: bool = False
    gifter: str | None = None
    status: str | None = None
    sent: Mapping[int, date | None] = field(default_factory=dict)
    renews: str | None = None
    source: str = "import"

    @property
    def numbers(self) -> range:
        """The issues that are bought by number; none for a membership."""
        return range(self.start, self.start + self.length) if self.start and self.length else NONE

    def includes(self, number: int, issue: Issue) -> bool:
        """Whether it includes an issue."""
        if self.begins and self.ends:
            return issue.released is not None and self.begins <= issue.released <= self.ends
        return number in self.numbers


@dataclass
class Subscription:
    """A subscription. periods: its orders, of which the first one created it."""

    subscriber: str
    periods: list[Order]
    status: str = "Active"
    source: str = "shop"
    notes: str | None = None
    id: str = ""
    copies: dict[int, Copy] = field(default_factory=dict)

    def __post_init__(self) -> None:
        first = self.periods[0]
        self.country, self.is_recurring = first.country, first.is_recurring
        self.is_membership = first.begins is not None
        self.gifter = first.gifter

    def numbers(self, period: int) -> list[int]:
        """The issues of a period: bought by number, or with a copy."""
        if not self.is_membership:
            return list(self.periods[period].numbers)
        return sorted(number for number, copy in self.copies.items() if copy.period == period)


class Publication:
    """A publishing account: its issues, its subscriptions, and its current date."""

    def __init__(self, today: date) -> None:
        self.today = today
        self.issues: dict[int, Issue] = {}
        self.subscriptions: list[Subscription] = []  # oldest first
        self.orders: dict[str, Subscription] = {}
        self.sources = {"shop": "Shop", "import": "Import"}  # their names

    # --- operations -------------------------------------------------------------------------------

    def create_issue(self, number: int, issue: Issue) -> None:
        """Create an issue. Raises: Refused if its number is used."""
        if number in self.issues:
            raise Refused("duplicate_issue_number")
        self.issues[number] = issue
        self._follow_up()

    def change_issue(self, number: int, issue: Issue) -> None:
        """Change the name or the dates of an issue."""
        self.issues[number] = issue
        self._follow_up()

    def rename_source(self, source: str, name: str) -> None:
        """Rename a source."""
        self.sources[source] = name

    def create_manually(self, order: Order, *, is_source_open: bool) -> Subscription:
        """Create a manual subscription. Raises: Refused."""
        if not is_source_open:
            raise Refused("invalid_source")
        if order.order_id in self.orders:
            raise Refused("duplicate_order_id")
        if order.start not in self.issues:
            raise Refused("unknown_start_issue")
        order.source = "shop"
        return self._open(order, "shop")

    def import_row(self, order: Order) -> Subscription:
        """Import a row. Raises: DuplicateOrder; Refused with the invalid column."""
        if order.renews is None and order.status in RECURRING and not order.is_recurring:
            raise Refused("status")
        if order.refunded > order.price:
            raise Refused("refunded")
        if order.order_id in self.orders:
            raise DuplicateOrder if self._is_known(order) else Refused("order_id")
        if order.renews is not None:
            return self._renew(order)
        if order.start is not None and order.start not in self.issues:
            raise Refused("start_issue")
        self._check_sent(order)
        return self._open(order, "import")

    def _is_known(self, order: Order) -> bool:
        """Whether an order with its id is of the same source, subscriber and amount."""
        subscription = self.orders[order.order_id]
        known = next(each for each in subscription.periods if each.order_id == order.order_id)
        if order.renews is not None:
            renewed = self.orders.get(order.renews)
            is_same_subscriber = (
                renewed is not None and renewed.subscriber == subscription.subscriber
            )
        elif order.email is not None:
            is_same_subscriber = order.email.casefold() == subscription.subscriber
        else:
            is_same_subscriber = order.country == subscription.country  # all have the same name
        amount = (order.price, order.currency) == (known.price, known.currency)
        return is_same_subscriber and amount and order.source == known.source

    def patch(self, subscription: Subscription, country: str, notes: str) -> None:
        """Change the country and the notes."""
        subscription.country, subscription.notes = country, notes

    def stop_renewals(self, subscription: Subscription) -> None:
        """Stop the renewals. Raises: Refused if there are none."""
        if not subscription.is_recurring:
            raise Refused("not_recurring")
        if subscription.status in ("Active", "Past due"):
            subscription.status = "Active - Renewals stopped"
        self._follow_up()

    def cancel(self, subscription: Subscription) -> None:
        """Cancel a subscription now."""
        subscription.status = "Cancelled"
        for copy in subscription.copies.values():
            if copy.status == "Not sent":
                copy.status = "Cancelled"

    def mark_sent(self, copies: list[Copy], day: object) -> list[Copy]:
        """Mark copies as sent on a day, without a day, or KEEP; returns the marked copies."""
        marked = [copy for copy in copies if copy.status != "Cancelled"]
        for copy in marked:
            copy.status = "Sent"
            if day is not KEEP:
                assert day is None or isinstance(day, date)
                copy.sent_on = day
        self._follow_up()
        return marked

    def pass_to(self, day: date) -> bool:
        """Run the daily pass of a day; returns whether it was still to do."""
        if day < self.today:
            return False
        self.today = day
        self._follow_up()
        return True

    # --- consequences -----------------------------------------------------------------------------

    def _open(self, order: Order, source: str) -> Subscription:
        subscriber = order.email.casefold() if order.email else UNNAMED + order.order_id
        status = order.status if order.status not in (None, "Cancelled") else "Active"
        subscription = Subscription(subscriber, [order], status or "Active", source)
        self.subscriptions.append(subscription)
        return self._take_in(subscription, order)

    def _renew(self, order: Order) -> Subscription:
        subscription = self.orders.get(order.renews or "")
        if subscription is None or subscription.status == "Cancelled":
            raise Refused("renews")
        if order.status in RECURRING and not subscription.is_recurring:
            raise Refused("status")
        last = subscription.periods[-1]
        if subscription.is_membership:
            assert last.ends
            order.start = order.length = None
            order.begins = order.begins or last.ends + timedelta(days=1)
            if order.begins <= last.ends:
                raise Refused("period_start")
            order.ends = order.ends or last_of_month(order.begins)
            if order.ends < order.begins:
                raise Refused("period_end")
        else:
            order.begins = order.ends = None
            order.start, order.length = last.numbers[-1] + 1, order.length or last.length
        self._check_sent(order)
        if order.status not in (None, "Cancelled"):
            subscription.status = order.status or ""
        elif subscription.status in ("Complete", "Past due"):
            subscription.status = "Active"
        subscription.periods.append(order)
        return self._take_in(subscription, order)

    def _check_sent(self, order: Order) -> None:
        for number in order.sent:
            if number not in self.issues or not order.includes(number, self.issues[number]):
                raise Refused("sent_issues")

    def _take_in(self, subscription: Subscription, order: Order) -> Subscription:
        self.orders[order.order_id] = subscription
        earlier = set(subscription.copies)  # an issue that was moved to another date, for example
        self._grant()
        for number in order.sent.keys() - earlier:
            copy = subscription.copies[number]
            copy.status, copy.sent_on = "Sent", order.sent[number]
        if order.status == "Cancelled":
            self.cancel(subscription)
        self._follow_up()
        return subscription

    def _follow_up(self) -> None:
        self._grant()
        for subscription in self.subscriptions:
            if subscription.status in ("Cancelled", "Complete"):
                continue
            if all(self.is_complete(subscription, n) for n in range(len(subscription.periods))):
                if not subscription.is_recurring or "stopped" in subscription.status:
                    subscription.status = "Complete"
                elif subscription.is_membership:
                    subscription.status = "Past due"

    def _grant(self) -> None:
        """Create one copy for every issue that a subscription includes, unless it is cancelled."""
        for subscription in self.subscriptions:
            if subscription.status == "Cancelled":
                continue
            for number, issue in self.issues.items():
                for place, period in enumerate(subscription.periods):
                    if period.includes(number, issue):
                        subscription.copies.setdefault(number, Copy(place))

    def is_complete(self, subscription: Subscription, place: int) -> bool:
        """Whether a period has ended, or all of its issues exist and all copies are sent."""
        period = subscription.periods[place]
        if period.ends:
            return period.ends < self.today
        copies = subscription.copies
        return all(
            number in self.issues and (number not in copies or copies[number].status != "Not sent")
            for number in period.numbers
        )

    # --- what the API shows -----------------------------------------------------------------------

    def next_charge(self, subscription: Subscription) -> date | None:
        """The date when it is charged again."""
        if not subscription.is_recurring or subscription.status not in ("Active", "Past due"):
            return None
        last = subscription.periods[-1]
        if last.ends:
            return last.ends + timedelta(days=1)
        following = self.issues.get(last.numbers[-1] + 1)
        return following.charged if following else None

    def show_subscription(self, subscription: Subscription) -> dict[str, Any]:
        """The fields of a subscription in the API that the model knows."""
        periods = subscription.periods
        first, last = periods[0], periods[-1]
        lists = [subscription.numbers(place) for place in range(len(periods))]
        months = 1 if subscription.is_membership else None
        return {
            "type": "membership" if subscription.is_membership else "subscription",
            "status": subscription.status,
            "length": last.length,
            "interval_months": months,
            "total_length": sum(len(numbers) for numbers in lists),
            "notes": subscription.notes,
            "is_recurring": subscription.is_recurring,
            "current_period_start": _text(last.begins),
            "current_period_end": _text(last.ends),
            "next_charge_date": _text(self.next_charge(subscription)),
            "is_gift": subscription.gifter is not None,
            "gifter": subscription.gifter
            and {"full_name": subscription.gifter, "email": "gifter@example.test"},
            "refunded": money(last.refunded, last.currency),
            "currency": last.currency,
            "price": money(last.price, last.currency),
            "order_date": _text(first.day),
            "start_issue": first.start
            and {"number": first.start, "name": self.issues[first.start].name},
            "source": {"name": self.sources[subscription.source]},
            "issue_list": sorted(number for numbers in lists for number in numbers),
            "periods": [
                {
                    "order_date": _text(period.day),
                    "is_complete": self.is_complete(subscription, place),
                    "length": period.length,
                    "interval_months": months,
                    "period_start": _text(period.begins),
                    "period_end": _text(period.ends),
                    "issue_list": lists[place],
                    "order_id": period.order_id,
                    "transaction_id": None,
                    "price": money(period.price, period.currency),
                    "currency": period.currency,
                    "discount_amount": money(0, period.currency),
                    "refunded": money(period.refunded, period.currency),
                    "source": {"name": self.sources[period.source]},
                }
                for place, period in enumerate(periods)
            ],
        }

    def show_copies(self) -> Iterator[dict[str, Any]]:
        """Each copy as the API shows it, without its id."""
        for subscription in self.subscriptions:
            for number, copy in subscription.copies.items():
                yield {
                    "subscription_id": subscription.id,
                    "number": number,
                    "name": self.issues[number].name,
                    "status": copy.status,
                    "date_sent": _text(copy.sent_on),
                    "country": subscription.country,
                }

    def show_subscribers(self) -> list[dict[str, Any]]:
        """The stats of each subscriber, with their subscriptions."""
        subscribers: dict[str, list[Subscription]] = {}
        for subscription in self.subscriptions:
            subscribers.setdefault(subscription.subscriber, []).append(subscription)
        return [{"email": _shown(name), **_figures(own)} for name, own in subscribers.items()]

    def show_issues(self) -> list[dict[str, Any]]:
        """Each issue as the API shows it, highest first, without its id."""
        return [
            {
                "number": number,
                "name": issue.name,
                "release_date_actual": _text(issue.released),
                "recurring_charge_date": _text(issue.charged),
            }
            for number, issue in sorted(self.issues.items(), reverse=True)
        ]


def _shown(subscriber: str) -> str | None:
    return None if subscriber.startswith(UNNAMED) else subscriber


def _figures(own: list[Subscription]) -> dict[str, Any]:
    orders = [(order, subscription) for subscription in own for order in subscription.periods]
    latest, where = max(orders, key=lambda pair: (pair[0].day, pair[1].id))
    spent = sum(o.price - o.refunded for o, _ in orders if o.currency == CURRENCY)
    return {
        "subscription_count": len(own),
        "has_active_subscription": any(each.status in LIVE for each in own),
        "latest_order_date": _text(latest.day),
        "latest_country": where.country,
        "ltv": money(spent, CURRENCY),
        "subscriptions": sorted(each.id for each in own),
    }


def last_of_month(day: date) -> date:
    """The last day of the month of a day."""
    return (day.replace(day=1) + timedelta(days=31)).replace(day=1) - timedelta(days=1)


def money(amount: int, currency: str) -> str:
    """A whole amount as the API writes it."""
    return f"{amount}{PLACES[currency]}"


def _text(day: date | None) -> str | None:
    return day.isoformat() if day else None
