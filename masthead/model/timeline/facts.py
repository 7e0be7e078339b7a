"""What is known of a subscriber and an issue: the facts from which `why` makes its answer."""

from collections.abc import Sequence
from datetime import date, datetime

from msgspec import Struct

from masthead.model.claims.rules import ClaimReason, ClaimStatus
from masthead.model.dispatch.runs import Dispatch, DispatchLine
from masthead.model.holds import Hold
from masthead.model.timeline.codes import CoverageFacts, IssueFacts
from masthead.model.types.enums import CopyStatus


class WhyCopy(Struct, frozen=True, kw_only=True):
    """The copy of a subscription. ordered_at: when the order that covers it was recorded."""

    id: int
    status: CopyStatus
    date_sent: date | None
    country: str
    dispatch_id: str | None
    ordered_at: datetime


class WhyClaim(Struct, frozen=True, kw_only=True):
    """A claim of a copy that was not withdrawn."""

    id: str
    copy_id: int
    reason: ClaimReason
    status: ClaimStatus
    created_at: datetime
    dispatch_id: str | None
    date_sent: date | None


class WhyReport(Struct, frozen=True, kw_only=True):
    """A delivery report of a subscription. copy_id: of the copy that was reported.

    kind: undeliverable or moved. line_id: of the reported line, None if it is not known.
    """

    id: str
    kind: str
    status: str
    copy_id: int
    line_id: int | None
    subscription_id: str
    reason: str | None
    report_date: date | None
    created_at: datetime
    resolved_at: datetime | None

    @property
    def day(self) -> date:
        """The day of the report; if the carrier gave none, the moment of its import."""
        return self.report_date or self.created_at

    @property
    def is_hold(self) -> bool:
        """Whether copies to this address wait."""
        return self.kind == "undeliverable" and self.status == "open"

    def held_at(self, moment: datetime) -> bool:
        """Whether copies to this address waited at that moment."""
        ended = self.resolved_at is not None and self.resolved_at <= moment
        return self.kind == "undeliverable" and self.created_at <= moment and not ended


class WhyGrace(Struct, frozen=True):
    """A grace copy in a run. line: the one of it in that run."""

    line: DispatchLine
    date_sent: date | None


class WhySubscription(CoverageFacts, frozen=True, kw_only=True):
    """A subscription of the subscriber. copy: that of the issue, None if there is none.

    period_start, period_end: the first and the last paid day of a membership. is_covered: whether
    a period includes the release date of the issue.
    cancelled_at: None if it is not cancelled, or was imported as cancelled. first_name to country:
    those for this issue, of a planned change of address or its own.
    instead: what the subscription has instead of the issue, if that is skipped.
    grace: the grace copy of the issue, if it is in a run.
    lines: of the copy, in all runs, oldest first. claims, reports, holds: oldest first.
    """

    source_id: str
    first_name: str | None
    last_name: str | None
    company: str | None
    address1: str | None
    address2: str | None
    city: str | None
    state: str | None
    postcode: str | None
    country: str
    period_start: date | None
    period_end: date | None
    is_covered: bool
    cancelled_at: datetime | None
    copy: WhyCopy | None
    instead: str | None = None
    grace: WhyGrace | None = None
    lines: Sequence[DispatchLine] = ()
    claims: Sequence[WhyClaim] = ()
    reports: Sequence[WhyReport] = ()
    holds: Sequence[Hold] = ()


class WhySubscriber(Struct, frozen=True, kw_only=True):
    """The subscriber. email: empty if it is a placeholder."""

    id: str
    full_name: str
    email: str


class Facts(Struct, frozen=True, kw_only=True):
    """All that is known. asked: the id or the email address that was asked for.

    subscriber: None if there is none.
    home: ISO code of the publisher's country, which addresses at home leave out.
    runs: of the issue, in the order of their numbers.
    """

    account_id: int
    asked: str
    home: str | None
    issue: IssueFacts
    subscriber: WhySubscriber | None
    subscriptions: Sequence[WhySubscription]
    runs: Sequence[Dispatch]
