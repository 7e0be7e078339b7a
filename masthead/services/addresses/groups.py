"""The changes of address on the page of a subscriber."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from msgspec import Struct

from masthead.model.addresses.changes import AddressChange, ChangeStatus, can_reach, one_line
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.services.addresses.changes import list_within
from masthead.store.addresses import changes as store
from masthead.store.engine.interface import Connection

MAX_CHANGES = 200  # on the page of a subscriber


class ChangeGroup(Struct, frozen=True):
    """The changes that were planned together and have the same status."""

    members: Sequence[AddressChange]

    @property
    def first(self) -> AddressChange:
        """One of them."""
        return self.members[0]

    @property
    def subscriptions(self) -> int:
        """How many there are."""
        return len(self.members)

    def reaches(self, rows: Iterable[StoredSubscription]) -> bool:
        """Whether one of its subscriptions can get an issue of it. rows: also others."""
        ids = {each.subscription_id for each in self.members}
        first, last = self.first.begins, self.first.last_issue
        return any(can_reach(row, first, last) for row in rows if row.id in ids)

    @property
    def is_planned(self) -> bool:
        """Whether it can be cancelled."""
        return self.first.status is ChangeStatus.PLANNED

    @property
    def address_line(self) -> str:
        """The new address in one line, without the country."""
        return one_line(self.first.address)


async def list_groups(db: Connection, account_id: int, subscriber_id: str) -> list[ChangeGroup]:
    """The changes for a subscriber by group, planned ones first, then the newest. Queries: one."""
    found = await store.list_of_subscriber(db, account_id, subscriber_id, limit=MAX_CHANGES)
    groups = [
        ChangeGroup(list(each)) for _key, each in groupby(sorted(found, key=_key_of), key=_key_of)
    ]
    groups.sort(key=lambda group: group.first.id, reverse=True)
    return sorted(groups, key=lambda group: not group.is_planned)


async def list_planned_groups(db: Connection, account_id: int, id: str) -> list[ChangeGroup]:
    """The planned changes of a subscription, by their first issue. Queries: one."""
    planned = await store.list_planned(db, account_id, [id])
    whole = [ChangeGroup([each]) for each in planned if not each.is_part]
    return sorted(whole, key=lambda group: group.first.begins)


async def list_groups_within(
    db: Connection, account_id: int, subscriber_id: str, group_id: str
) -> list[ChangeGroup]:
    """The addresses for some issues that are planned within a change for good, by group.

    Empty if the group is another kind of change, or not one of the subscriber. Queries: two.
    """
    found = await store.list_of_group(db, account_id, group_id)
    planned = [
        each
        for each in found
        if each.subscriber_id == subscriber_id and each.status is ChangeStatus.PLANNED
    ]
    within = sorted(await list_within(db, account_id, planned), key=_key_of)
    return [ChangeGroup(list(each)) for _key, each in groupby(within, key=_key_of)]


def _key_of(change: AddressChange) -> tuple[str, str]:
    return change.group_id, change.status.value
