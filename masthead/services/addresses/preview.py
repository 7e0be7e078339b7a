"""Preview a change of address: which issues of which subscriptions go where."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter

import msgspec
from msgspec import Struct, structs

from masthead.model.addresses.changes import AddressChange, ChangeStatus, NewAddress, find_change
from masthead.model.clock import now
from masthead.model.pagination import PageRequest
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.types.enums import CopyStatus, SubscriptionStatus, SubscriptionType
from masthead.services.addresses.requests import ChangeRequest
from masthead.store.addresses import changes as store
from masthead.store.dispatch.open_claims import list_open_issues
from masthead.store.engine.interface import Connection
from masthead.store.issues import records as issues
from masthead.store.subscriptions.subscription_copies import CopyInRun, list_with_runs

MAX_EXPECTED = 200  # issues of a membership that do not exist yet
_NO_ID = ""  # of the change that is not stored yet


class AddressRoute(Struct, frozen=True):
    """The address that some issues of a subscription go to. numbers: of the issues, in order.

    kind: `own` for the present address, `new`, or `planned` for another change.
    goes_on: whether the issues that follow go there, too. if_renewed: whether the subscription gets
    these issues only after a renewal.
    """

    kind: str
    address: NewAddress
    numbers: Sequence[int]
    goes_on: bool
    if_renewed: bool = False


class IssueInRun(Struct, frozen=True):
    """An issue whose copy in a frozen run keeps its address. run: the number of the run."""

    issue_number: int
    run: int


class SubscriptionRoutes(Struct, frozen=True, kw_only=True):
    """The effects of a change on a subscription. row: its columns. sent: copies that were sent.

    replacements: where those go that no mailing has yet.
    """

    row: StoredSubscription
    routes: Sequence[AddressRoute]
    replacements: Sequence[AddressRoute]
    in_runs: Sequence[IssueInRun]
    sent: int

    @property
    def has_effect(self) -> bool:
        """Whether something goes to the new address."""
        return any(route.kind == "new" for route in [*self.routes, *self.replacements])


async def preview_change(
    db: Connection, account_id: int, rows: Sequence[StoredSubscription], request: ChangeRequest
) -> list[SubscriptionRoutes]:
    """The addresses of the issues of the chosen subscriptions. Queries: four.

    rows: the columns of the subscriptions, from `find_chosen`.
    """
    ids = [row.id for row in rows]
    newest = await issues.list_issues(db, account_id, PageRequest(1, None, b""))
    last = newest.items[0].number if newest.items else 0
    planned = defaultdict[str, list[AddressChange]](list)
    for change in await store.list_planned(db, account_id, ids):
        planned[change.subscription_id].append(change)
    copies = defaultdict[str, list[CopyInRun]](list)
    for copy in await list_with_runs(db, account_id, ids):
        copies[copy.subscription_id].append(copy)
    claimed = await list_open_issues(db, account_id, ids)
    return [
        _routes(row, copies[row.id], claimed[row.id], planned[row.id], request, last_issue=last)
        for row in rows
    ]


def digest_of(request: ChangeRequest, preview: Sequence[SubscriptionRoutes]) -> str:
    """A digest of a request, and of where each issue goes."""
    shown = [
        (each.row.id, each.routes, each.replacements, each.in_runs, each.sent) for each in preview
    ]
    return hashlib.sha256(msgspec.json.encode([request, shown])).hexdigest()[:32]


def _routes(
    row: StoredSubscription,
    copies: Sequence[CopyInRun],
    claimed: Sequence[int],
    planned: Sequence[AddressChange],
    request: ChangeRequest,
    *,
    last_issue: int,
) -> SubscriptionRoutes:
    unsent = [copy for copy in copies if copy.status is CopyStatus.NOT_SENT]
    upcoming = [copy.issue_number for copy in unsent if copy.dispatch_id is None]
    is_live = row.status not in (SubscriptionStatus.CANCELLED, SubscriptionStatus.COMPLETE)
    if is_live and row.last_issue is not None:
        start = max(last_issue + 1, row.start_issue or 1)
        upcoming += range(start, row.last_issue + 1)
    goes_on = is_live and row.has_no_end
    if goes_on:
        upcoming += _expected(max([last_issue, *upcoming]), request)
    changes = _all_changes(row, planned, request)
    return SubscriptionRoutes(
        row=row,
        routes=_group(upcoming, row, changes, goes_on=goes_on),
        replacements=_group(claimed, row, changes, goes_on=False),
        in_runs=[
            IssueInRun(copy.issue_number, copy.run) for copy in unsent if copy.run is not None
        ],
        sent=sum(1 for copy in copies if copy.status is CopyStatus.SENT),
    )


def _expected(last: int, request: ChangeRequest) -> range:
    """The issues after the last one that is known, up to those of the request, and one more.

    That one stands for all that follow.
    """
    end = max(last, request.first_issue or 0, request.last_issue or 0) + 1
    return range(max(last + 1, end - MAX_EXPECTED), end + 1)


def _all_changes(
    row: StoredSubscription, planned: Sequence[AddressChange], request: ChangeRequest
) -> list[AddressChange]:
    """The planned changes and the requested one; a change now comes after the others."""
    requested = AddressChange(
        id=_NO_ID,
        group_id=_NO_ID,
        subscriber_id=row.subscriber_id,
        subscription_id=row.id,
        first_issue=request.first_issue or 0,
        last_issue=request.last_issue,
        address=request.address,
        status=ChangeStatus.PLANNED,
        created_at=now(),
        actor_kind="",
        actor_id="",
        ended_at=None,
    )
    return [*planned, requested]


def _group(
    numbers: Iterable[int],
    row: StoredSubscription,
    changes: Sequence[AddressChange],
    *,
    goes_on: bool,
) -> list[AddressRoute]:
    """Runs of issues that go to the same address. The last number may stand for all that follow."""
    own = NewAddress.of(row)
    last_paid = row.last_issue if row.type == SubscriptionType.SUBSCRIPTION else None
    found = [
        (number, find_change(changes, number), goes_on and number > (last_paid or number))
        for number in sorted(numbers)
    ]
    routes = []
    for (change, if_renewed), each in groupby(found, key=itemgetter(1, 2)):
        kind = "own" if change is None else "planned" if change.id else "new"
        address = change.address if change else own
        of_route = [number for number, _change, _renewed in each]
        route = AddressRoute(kind, address, of_route, goes_on=False, if_renewed=if_renewed)
        routes.append(route)
    if goes_on:
        *before, last = routes
        return [*before, structs.replace(last, numbers=last.numbers[:-1], goes_on=True)]
    return routes
