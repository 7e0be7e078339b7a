"""Several copies for one address: subscriptions that are one thing to people.

The API has a subscription for each copy. Those of one bundle that agree in what people see of them
are a group: the pages show and change them together.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct, structs

from masthead.model.resources import Subscription
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.types.enums import SubscriptionStatus
from masthead.model.types.money import minor_units, money_text
from masthead.model.types.postal_fields import PostalFields

# The columns in which the subscriptions of a group agree, besides the bundle
SHARED = (
    "type",
    "status",
    "medium",
    "is_recurring",
    "is_comp",
    "last_issue",
    *PostalFields.__struct_fields__,
)


class CopyGroup(Struct, frozen=True):
    """Subscriptions that are shown as one, oldest first. Most groups have one member."""

    members: Sequence[StoredSubscription]

    @property
    def first(self) -> StoredSubscription:
        """The oldest member, which the pages show."""
        return self.members[0]

    @property
    def ids(self) -> list[str]:
        """The ids of all members."""
        return [each.id for each in self.members]


def group_subscriptions(rows: Iterable[StoredSubscription]) -> list[CopyGroup]:
    """The groups of subscriptions, each at the place of the first of its members in `rows`."""
    found: dict[object, list[StoredSubscription]] = {}
    for row in rows:
        key = row.id if row.bundle_id is None else group_key(row)
        found.setdefault(key, []).append(row)
    return [CopyGroup(sorted(each, key=lambda row: row.id)) for each in found.values()]


def fold_ended(groups: Sequence[CopyGroup]) -> list[CopyGroup]:
    """The groups without those that only get fewer issues than another one at the same address.

    Staff have ended some copies earlier than the others; these are part of the same card.
    """
    longest: dict[object, CopyGroup] = {}
    for group in groups:
        key = _folding_key(group.first)
        if key not in longest or _last(group) > _last(longest[key]):
            longest[key] = group
    return [group for group in groups if longest[_folding_key(group.first)] is group]


def _folding_key(row: StoredSubscription) -> object:
    """What groups share of which only the longest is shown."""
    is_open = row.status is not SubscriptionStatus.CANCELLED and row.last_issue is not None
    return address_key(row) if is_open and row.bundle_id is not None else row.id


def _last(group: CopyGroup) -> int:
    return group.first.last_issue or 0


def address_key(row: StoredSubscription) -> tuple[object, ...] | None:
    """The bundle, the medium, the name and the address; None for a subscription of no bundle."""
    if row.bundle_id is None:
        return None
    names = ("medium", *PostalFields.__struct_fields__)
    return row.bundle_id, *(getattr(row, name) for name in names)


def show_as_one(members: Sequence[Subscription]) -> Subscription:
    """The first subscription of a group, with the amounts of all of them.

    The amounts of the first one stay if the others were paid in other currencies.
    """
    first, currency = members[0], members[0].currency
    if currency is None or any(each.currency != currency for each in members):
        return first
    totals = {
        name: money_text(
            sum(minor_units(name, getattr(each, name) or "0", currency) for each in members),
            currency,
        )
        for name in ("price", "discount_amount", "refunded")
    }
    return structs.replace(first, **totals)


def group_key(row: StoredSubscription) -> tuple[object, ...]:
    """What the members of a group have in common."""
    return row.bundle_id, *(getattr(row, name) for name in SHARED)
