"""What a dispatch run would take, or took, and what to look at before it costs postage."""

from collections.abc import Sequence
from datetime import date, datetime

from msgspec import Struct

from masthead.model.dispatch.runs import (
    CountryGroup,
    Dispatch,
    DispatchLine,
    DispatchSelection,
    DispatchStatus,
    LeftReason,
)
from masthead.model.resources import IssueRef
from masthead.model.types.enums import Medium
from masthead.model.types.postal_fields import PostalFields


class CountryCount(Struct, frozen=True, kw_only=True):
    """Lines to a country. lines: copies and replacements. digital: those not sent by post."""

    country: str
    group: CountryGroup
    lines: int
    digital: int


class MediumCount(Struct, frozen=True, kw_only=True):
    """Lines in a medium: copies and replacements."""

    medium: Medium
    lines: int


class GroupCount(Struct, frozen=True, kw_only=True):
    """Lines to a group of countries. digital: those not sent by post."""

    group: CountryGroup
    lines: int
    digital: int


class LiveRun(Struct, frozen=True, kw_only=True):
    """A live run that has copies of the issue. copies: how many of them."""

    id: str
    number: int
    status: DispatchStatus
    date_sent: date | None
    copies: int


class NotTaken(Struct, frozen=True, kw_only=True):
    """The copies of the issue that a run would not take; each counts once.

    sent: without a run. cancelled: with their subscription. on_hold: their address is
    undeliverable. held: an invoice is not paid, or a user holds them.
    not_selected: the filters leave them out. runs: the copies of live runs.
    replacements: open claims of the issue that are on hold, not selected, or whose copy is unsent.
    """

    sent: int
    cancelled: int
    on_hold: int
    held: int
    not_selected: int
    runs: Sequence[LiveRun]
    replacements: int


class ChangedAddress(Struct, frozen=True, kw_only=True):
    """A subscription whose address changed. name: of the subscriber, or the company.

    changed_at: the latest change; None where only the difference is known.
    """

    subscription_id: str
    subscriber_id: str
    name: str
    changed_at: datetime | None


class ChangedAddresses(Struct, frozen=True, kw_only=True):
    """Changed addresses. count: all of them. first: the newest ones."""

    count: int
    first: Sequence[ChangedAddress]


class CandidateLine(PostalFields, frozen=True, kw_only=True):
    """A line that a run would take, at its present address. copy_id: 0 for a grace copy."""

    copy_id: int
    issue_number: int
    subscription_id: str
    subscriber_id: str


CheckableLine = CandidateLine | DispatchLine  # whose address is checked


class ProblemLine(Struct, frozen=True, kw_only=True):
    """A line with a problem. other_copy_id: the earlier copy with the same address, if any."""

    copy_id: int
    subscription_id: str
    subscriber_id: str
    message: str
    other_copy_id: int | None = None


class LineProblem(Struct, frozen=True, kw_only=True):
    """A problem of some lines, such as `missing_street`.

    kind: see `ProblemKind`; also `missing_glyph`: the fonts of PDF labels lack a character, and
    `label_too_small`: the address does not fit on its label.
    label: what pages call it. count: how many lines have it. first: the first of them.
    """

    kind: str
    label: str
    count: int
    first: Sequence[ProblemLine]


class DispatchPreview(Struct, frozen=True, kw_only=True):
    """What a run with this selection would take now.

    is_released: whether the issue is out. number: the one that the run would get. lines: copies,
    replacements and grace copies; `postal` and `digital` divide them by how they are sent.
    countries, media: most lines first. home: the country that counts as home. changed: addresses of
    the run that changed in the last seven days. moved_reports: new addresses from the carrier that
    wait for acceptance, among the subscriptions of the run. problems: of its lines that go by post.
    """

    issue: IssueRef
    release_date: date | None
    is_released: bool
    number: int
    selection: DispatchSelection
    home: str | None
    lines: int
    copies: int
    replacements: int
    grace_copies: int
    postal: int
    digital: int
    groups: Sequence[GroupCount]
    countries: Sequence[CountryCount]
    media: Sequence[MediumCount]
    not_taken: NotTaken
    changed: ChangedAddresses
    moved_reports: int
    problems: Sequence[LineProblem]


class LeftCount(Struct, frozen=True, kw_only=True):
    """Lines that left a run for a reason."""

    reason: LeftReason
    lines: int


class RunPreview(Struct, frozen=True, kw_only=True):
    """A run, with what happened since it was frozen.

    held, sent: its lines by status. left: its other lines, by the reason for which they left.
    postal, digital, groups, countries, media: of the lines that are held or sent.
    changed: lines whose subscription now has a different address. on_hold: lines whose address was
    reported as undeliverable. late: copies that were added since, for the next run.
    """

    dispatch: Dispatch
    held: int
    sent: int
    left: Sequence[LeftCount]
    postal: int
    digital: int
    groups: Sequence[GroupCount]
    countries: Sequence[CountryCount]
    media: Sequence[MediumCount]
    changed: ChangedAddresses
    on_hold: int
    late: int
