"""Whether a subscription got an issue, and why not: the decision behind each answer.

The timeline of a subscriber shows the code in a few words. `why` names the run, the claim or the
report behind a copy, and says it in a sentence.
"""

from datetime import date, datetime
from enum import StrEnum

from msgspec import Struct

from masthead.model.types.enums import CopyStatus, Medium, SubscriptionStatus, SubscriptionType


class WhyCode(StrEnum):
    """The answers; of several subscriptions, the first in this order answers for the subscriber."""

    SENT = "sent"
    SENT_OUTSIDE_RUN = "sent_outside_run"
    REPLACED = "replaced"
    REPLACEMENT_FROZEN = "replacement_frozen"
    REPLACEMENT_WAITING = "replacement_waiting"
    CLAIMED = "claimed"
    RETURNED = "returned"
    MOVED = "moved"
    GRACE_COPY = "grace_copy"
    FROZEN = "frozen"
    HELD = "held"
    ADDRESS_ON_HOLD = "address_on_hold"
    LATE_ORDER = "late_order"
    EXCLUDED_BY_FILTER = "excluded_by_filter"
    RUN_DISCARDED = "run_discarded"
    WAITING = "waiting"
    NOT_OUT = "not_out"
    DIGITAL_ONLY = "digital_only"
    NO_ISSUE = "no_issue"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    NO_COPY = "no_copy"
    OUTSIDE_MEMBERSHIP = "outside_membership"
    NO_RELEASE_DATE = "no_release_date"
    AFTER_END = "after_end"
    BEFORE_START = "before_start"
    NO_SUBSCRIPTION = "no_subscription"
    UNKNOWN_SUBSCRIBER = "unknown_subscriber"

    @property
    def rank(self) -> int:
        """Its place in this order."""
        return _RANKS[self]


_RANKS = {code: rank for rank, code in enumerate(WhyCode)}


class IssueFacts(Struct, frozen=True, kw_only=True):
    """An issue. id, name, created_at: empty if it is not created yet.

    released: its release date, None if it has none; planned: that in words. is_out: whether it is
    released by the date of the last daily pass.
    """

    number: int
    id: str = ""
    name: str = ""
    released: date | None = None
    planned: str = ""
    is_out: bool = False
    created_at: datetime | None = None


class CoverageFacts(Struct, frozen=True, kw_only=True):
    """A subscription. first_issue, last_issue: of all its periods; None for memberships."""

    id: str
    type: SubscriptionType
    status: SubscriptionStatus
    medium: Medium
    first_issue: int | None
    last_issue: int | None


def decide(
    issue: IssueFacts,
    own: CoverageFacts,
    copy: CopyStatus | None,
    *,
    is_covered: bool,
    is_skipped: bool = False,
) -> WhyCode:
    """Whether a subscription got an issue, and why not, without the runs, claims and reports.

    copy: the status of its copy, None if there is none. is_covered: whether a paid period of a
    membership includes the release date. is_skipped: whether the subscription leaves it out.
    """
    if copy is CopyStatus.CANCELLED:
        return WhyCode.CANCELLED
    if copy is not None:
        if own.medium is Medium.DIGITAL:
            return WhyCode.DIGITAL_ONLY
        if copy is CopyStatus.SENT:
            return WhyCode.SENT
        return WhyCode.WAITING if issue.is_out else WhyCode.NOT_OUT
    is_membership = own.type is SubscriptionType.MEMBERSHIP
    if own.first_issue is not None and issue.number < own.first_issue:
        return WhyCode.BEFORE_START
    if own.last_issue is not None and issue.number > own.last_issue:
        return WhyCode.AFTER_END
    if is_membership and issue.released is not None and not is_covered:
        return WhyCode.OUTSIDE_MEMBERSHIP
    if own.status is SubscriptionStatus.CANCELLED:
        return WhyCode.CANCELLED
    if is_skipped:
        return WhyCode.SKIPPED
    if not issue.id:
        return WhyCode.NO_ISSUE
    if is_membership and issue.released is None:
        return WhyCode.NO_RELEASE_DATE
    return WhyCode.NO_COPY
