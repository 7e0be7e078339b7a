"""The rules for more or fewer copies for one address, from an issue on."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.orders.entered_orders import split_amount
from masthead.model.orders.order import Giver, Order
from masthead.model.subscriptions.groups import CopyGroup, address_key
from masthead.model.subscriptions.stored import StoredPeriod, StoredSubscription
from masthead.model.translations import gettext as _
from masthead.model.types.enums import PaymentMethod, SubscriptionStatus, SubscriptionType
from masthead.model.types.fields import required_text

MOST = 100  # copies of an issue for one address
_OVER = (SubscriptionStatus.CANCELLED, SubscriptionStatus.COMPLETE)


class CopyCountChange(Struct, frozen=True, kw_only=True):
    """What was typed. count: the copies of each issue, from `first_issue` on.

    price: of all further copies together, in minor units of currency; None for the same price for
    each issue as now. is_billed: whether who was billed before gets an invoice. refunds: whether
    the share of the copies that end is refunded.
    """

    count: int
    first_issue: int
    order_id: str
    order_date: date
    price: int | None = None
    currency: str
    payment_method: PaymentMethod | None = None
    is_billed: bool = False
    refunds: bool = False


class IssueCount(Struct, frozen=True):
    """The number of copies of each issue from one issue on, up to the next such number."""

    first_issue: int
    count: int


def list_counts(rows: Sequence[StoredSubscription]) -> list[IssueCount]:
    """How many copies an address gets of which issues, the earliest issue first.

    rows: subscriptions for one address. Memberships and cancelled subscriptions do not count.
    """
    steps: dict[int, int] = {}
    for row in rows:
        if row.status is SubscriptionStatus.CANCELLED:
            continue
        if row.start_issue is not None and row.last_issue is not None:
            steps[row.start_issue] = steps.get(row.start_issue, 0) + 1
            steps[row.last_issue + 1] = steps.get(row.last_issue + 1, 0) - 1
    found, count = list[IssueCount](), 0
    for number in sorted(steps):
        if steps[number]:
            count += steps[number]
            found.append(IssueCount(number, count))
    return found[:-1]


def at_one_address(group: CopyGroup, others: Sequence[StoredSubscription]) -> list[IssueCount]:
    """The numbers of copies for the address of a group. others: subscriptions, also of others."""
    address, own = address_key(group.first), {*group.ids}
    if address is None:
        return []
    same = [row for row in others if row.id not in own and address_key(row) == address]
    return list_counts([*group.members, *same])


def require_changeable(group: CopyGroup, change: CopyCountChange) -> None:
    """Raises: Invalid if the number of copies cannot be changed like this."""
    row = group.first
    if row.type is SubscriptionType.MEMBERSHIP:
        raise Invalid(
            _(
                "A membership is for days, not for issues. To end a copy, cancel only one copy; "
                "for more copies, add a membership."
            )
        )
    if row.status in _OVER:
        raise Invalid(
            _("The subscription is over, so its number of copies stays. Renew or reopen it first.")
        )
    if not 1 <= change.count <= MOST:
        message = _("Type a whole number from 1 to {most}.").format(most=MOST)
        raise Invalid(message, field="count")
    if change.count == len(group.members):
        raise Invalid(
            _("There are {count} copies already. Type another number.").format(count=change.count),
            field="count",
        )
    start, last = min(each.start_issue or 1 for each in group.members), row.last_issue or 0
    if not start <= change.first_issue <= last:
        raise Invalid(
            _(
                "The subscription is for issues {first}–{last}, so type one of these issues. For "
                "later issues, renew it."
            ).format(first=start, last=last),
            field="first_issue",
        )


def further_price(periods: Sequence[StoredPeriod], first_issue: int, count: int) -> int:
    """The price of further copies at the price for each issue that one copy has now.

    periods: of one copy, oldest first. Rounded down for each period, in its minor units.
    """
    return sum(count * price_from(each, first_issue) for each in periods)


def price_from(period: StoredPeriod, first_issue: int) -> int:
    """What the issues of a period from an issue on have cost, less refunds; rounded down."""
    left = [number for number in period.issues if number >= first_issue]
    return max(period.price * len(left) // max(len(period.issues), 1) - period.refunded, 0)


def further_orders(
    row: StoredSubscription, change: CopyCountChange, *, more: int, price: int
) -> list[Order]:
    """The orders of the further copies of a group.

    row: of its first subscription. price: of all of them together. Raises: Invalid if an order id
    becomes too long.
    """
    assert row.last_issue is not None
    giver = Giver(subscriber_id=row.gifter_id) if row.gifter_id else None
    return [
        Order(
            order_id=change.order_id
            if place == 1
            else required_text("order_id", f"{change.order_id}-{place}"),
            order_date=change.order_date,
            subscriber_id=row.subscriber_id,
            first_name=row.first_name,
            last_name=row.last_name,
            company=row.company,
            address1=row.address1,
            address2=row.address2,
            city=row.city,
            state=row.state,
            postcode=row.postcode,
            country=row.country,
            phone=row.phone,
            notes=row.notes,
            medium=row.medium,
            start_issue=change.first_issue,
            length=row.last_issue - change.first_issue + 1,
            is_recurring=row.is_recurring,
            is_comp=row.is_comp,
            is_gift=row.is_gift,
            gifter_name=row.gifter_name,
            gifter_email=row.gifter_email,
            giver=giver,
            price=share,
            currency=change.currency,
            payment_method=change.payment_method,
            status=row.status,
            bundle_id=row.bundle_id or row.id,
        )
        for place, share in enumerate(split_amount(price, more), 1)
    ]
