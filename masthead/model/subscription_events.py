"""What happened to a subscription, as its audit trail has it."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from masthead.model.types.enums import SubscriptionStatus


class Happening(StrEnum):
    """What can happen to a subscription, as it stands in the audit trail."""

    ORDERED = "Ordered"
    RENEWED = "Renewed"
    NAME = "Name changed"
    ADDRESS = "Address changed"
    NOTES = "Notes changed"
    CANCELLED = "Cancelled"
    STOPPED = "Renewals stopped"
    COMPLETE = "Complete"
    PAST_DUE = "Past due"
    REOPENED = "Status corrected"
    CHANGED = "Changed"


_HAPPENINGS = {
    "subscription.create": Happening.ORDERED,
    "subscription.renew": Happening.RENEWED,
    "subscription.reopen": Happening.REOPENED,
    "subscription.cancel": Happening.CANCELLED,
    "subscription.stop_renewals": Happening.STOPPED,
}
_SETTLED = {
    SubscriptionStatus.COMPLETE: Happening.COMPLETE,
    SubscriptionStatus.PAST_DUE: Happening.PAST_DUE,
}
_NAMES = {"first_name", "last_name"}


def happenings(action: str, after: Mapping[str, Any], *, issue: int | None = None) -> Sequence[str]:
    """What an entry of the audit trail tells. after: what it says became of the subscription.

    issue: the number of the issue, if it is one of its copies that the entry is on.
    """
    if issue is not None:
        return [f"Copy of issue {issue} marked as sent"]
    if action == "subscription.update":
        changed = [
            (Happening.NAME, after.keys() & _NAMES),
            (Happening.ADDRESS, after.keys() - _NAMES - {"notes"}),
            (Happening.NOTES, after.keys() & {"notes"}),
        ]
        return [happening for happening, fields in changed if fields]
    if action == "subscription.settle":
        return [_SETTLED.get(after["status"], Happening.CHANGED)]
    return [_HAPPENINGS.get(action, Happening.CHANGED)]
