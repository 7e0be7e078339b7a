"""Claims as people read them: those of several copies for one address are one row."""

from collections.abc import Mapping, Sequence

from msgspec import Struct, structs

from masthead.model.claims.rules import Claim, ClaimStatus
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.store.dispatch.open_claims import list_waiting
from masthead.store.engine.interface import Connection
from masthead.store.subscriptions import records as subscriptions
from masthead.store.subscriptions.bundles import GroupSize, find_groups


class ClaimRow(Struct, frozen=True):
    """Claims that differ in nothing but their copy. owner: the subscription of the first.

    is_on_hold: whether a mailing leaves the replacements out.
    """

    claims: Sequence[Claim]
    owner: StoredSubscription
    is_on_hold: bool

    @property
    def first(self) -> Claim:
        """The claim that is shown."""
        return self.claims[0]


async def list_rows(db: Connection, account_id: int, claims: Sequence[Claim]) -> list[ClaimRow]:
    """The rows of claims, each at the place of the first of its claims. Queries: three at most."""
    ids = {claim.subscription_id for claim in claims}
    owners = await subscriptions.find_rows(db, account_id, ids)
    groups = await find_groups(db, account_id, ids) if len(ids) > 1 else {}
    waiting = await list_waiting(
        db, account_id, [claim.id for claim in claims if claim.status is ClaimStatus.OPEN]
    )
    alike: dict[object, list[Claim]] = {}
    for claim in claims:
        alike.setdefault((_told_once(claim, groups), claim.id in waiting), []).append(claim)
    return [
        ClaimRow(same, owners[same[0].subscription_id], same[0].id in waiting)
        for same in alike.values()
    ]


def _told_once(claim: Claim, groups: Mapping[str, GroupSize]) -> object:
    """What is equal for claims of copies to one address that differ in nothing else."""
    group = groups.get(claim.subscription_id)
    if group is None:
        return claim.id
    return structs.replace(claim, id="", copy_id=0, subscription_id=group.first)
