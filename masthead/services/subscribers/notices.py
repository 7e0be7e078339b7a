"""What keeps the copies of a subscriber from going out as usual, for the top of their page."""

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec import Struct

from masthead.model.holds import Hold
from masthead.model.subscriptions.groups import CopyGroup
from masthead.model.subscriptions.lifecycle import LIVE
from masthead.model.subscriptions.skips import SkippedIssue
from masthead.services.subscriptions.finished import list_finished
from masthead.store.engine.interface import Connection
from masthead.store.holds import records as holds
from masthead.store.issues import records as issues
from masthead.store.subscriptions import skips


class Notices(Struct, frozen=True):
    """Why the copies of a subscription wait, and which issues to come it skips."""

    holds: Sequence[Hold]
    skipped: Sequence[SkippedIssue]


async def list_notices(
    db: Connection, account_id: int, groups: Sequence[CopyGroup], *, day: date
) -> Mapping[str, Notices]:
    """The notices on groups of subscriptions, by the id of the first of each group.

    Copies for one address wait and skip together, so each reason and each issue comes once. day: of
    the account. Queries: two to four, and one for each held subscription that is not live.
    """
    ids = [id for group in groups for id in group.ids]
    held = await holds.list_of_subscriptions(db, account_id, ids, only_open=True)
    statuses = {id: group.first.status for group in groups for id in group.ids}
    finished = await list_finished(
        db, account_id, statuses, {each.subscription_id for each in held}
    )
    held = [each for each in held if each.subscription_id not in finished]
    running = [id for group in groups if group.first.status in LIVE for id in group.ids]
    skipped = await skips.list_skipped(db, account_id, running)
    current = await issues.find_current(db, account_id, day) if skipped else None
    coming = [each for each in skipped if current is None or each.issue_number > current.number]
    found = dict[str, Notices]()
    for group in groups:
        reasons = {(it.invoice_id, it.reason): it for it in held if it.subscription_id in group.ids}
        numbers = {it.issue_number: it for it in coming if it.subscription_id in group.ids}
        found[group.first.id] = Notices([*reasons.values()], [*numbers.values()])
    return found
