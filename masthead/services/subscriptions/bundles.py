"""The subscriptions that are shown, renewed, changed or cancelled together."""

from collections.abc import Collection
from enum import StrEnum

from msgspec import Struct

from masthead.model.errors import NotFound
from masthead.model.subscriptions.groups import CopyGroup, group_subscriptions
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.types.enums import CopyStatus, SubscriptionStatus
from masthead.store.engine.interface import Connection
from masthead.store.subscriptions import bundles, records as subscriptions, subscription_copies


class Together(StrEnum):
    """Which subscriptions a page changes: this one, its group, or all of its bundle."""

    ONE = "one"
    GROUP = ""
    ALL = "all"


class Bundle(Struct, frozen=True, kw_only=True):
    """A subscription, the group that it is shown with, and the others of its bundle."""

    id: str
    group: CopyGroup
    others: list[StoredSubscription]

    @property
    def count(self) -> int:
        """How many copies of an issue the group gets."""
        return len(self.group.members)

    def choose(self, choice: str, statuses: Collection[SubscriptionStatus]) -> list[str]:
        """The ids that a page changes, oldest first.

        choice: of `Together`; another text means the group. statuses: of those that can be changed
        with all of the bundle.
        """
        if choice == Together.ONE:
            return [self.id]
        if choice != Together.ALL:
            return self.group.ids
        others = [each.id for each in self.others if each.status in statuses]
        return sorted([*self.group.ids, *others])


async def get_bundle(db: Connection, account_id: int, id: str) -> Bundle:
    """The bundle of a subscription. Queries: two at most. Raises: NotFound."""
    found = await subscriptions.find_rows(db, account_id, [id])
    if id not in found:
        raise NotFound("subscription", id)
    bundle_id = found[id].bundle_id
    if bundle_id is None:
        return Bundle(id=id, group=CopyGroup([found[id]]), others=[])
    groups = group_subscriptions(await bundles.list_members(db, account_id, [bundle_id]))
    own = next(each for each in groups if id in each.ids)
    return Bundle(
        id=id, group=own, others=[row for each in groups if each is not own for row in each.members]
    )


async def list_same_copies(db: Connection, account_id: int, id: str, copy_id: int) -> list[int]:
    """A copy, and those of the same issue of its group that are not sent. Queries: three.

    id: of a subscription. A copy of another one is alone. Raises: NotFound.
    """
    group = (await get_bundle(db, account_id, id)).group
    copies = await subscription_copies.list_with_runs(db, account_id, group.ids)
    own = next((each for each in copies if each.id == copy_id), None)
    if own is None:
        return [copy_id]
    return [
        each.id
        for each in copies
        if each.issue_number == own.issue_number
        and (each.id == copy_id or each.status is CopyStatus.NOT_SENT)
    ]


async def find_others(db: Connection, account_id: int, id: str) -> list[str]:
    """The ids of the other copies that a subscription is shown with. Raises: NotFound."""
    group = (await get_bundle(db, account_id, id)).group
    return [each for each in group.ids if each != id]
