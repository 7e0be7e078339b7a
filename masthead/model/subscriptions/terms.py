"""The rules for a changed start issue or number of issues, of what has not gone out."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from masthead.model.errors import Invalid
from masthead.model.inputs import Change, changes
from masthead.model.orders.offers import MAX_LENGTH
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Medium, SubscriptionType
from masthead.model.types.fields import Length, StartIssue


class TermsUpdate(Change, kw_only=True):
    """Corrections of an order. What was sent, or is in a dispatch run, stays as it is.

    medium: of the copies that are not sent.
    start_issue: number of the first issue, until a copy is sent; the issue must exist.
    length: number of issues of the last order.
    """

    medium: Medium | UnsetType = UNSET
    start_issue: StartIssue | UnsetType = UNSET
    length: Length | UnsetType = UNSET


def require_terms(body: TermsUpdate, type: SubscriptionType) -> dict[str, Any]:
    """The terms to change, by name. Raises: Invalid if a membership has no such terms."""
    wanted = changes(body)
    for field in ("start_issue", "length"):
        if field in wanted and type is SubscriptionType.MEMBERSHIP:
            raise Invalid(
                f"`{field}` cannot be set: the subscription is a membership, which is for months. "
                "Leave the field out.",
                field=field,
                value=wanted[field],
            )
    return wanted


class PeriodIssues(Struct, frozen=True):
    """The issues of a period."""

    id: int
    first_issue: int
    length: int


class ExistingCopy(Struct, frozen=True):
    """A copy of a subscription. run: the number of the frozen run that has it, if any."""

    id: int
    issue_number: int
    is_sent: bool
    run: int | None


class TermsPlan(Struct, frozen=True, kw_only=True):
    """What to change. shift: by how many issues the subscription starts later. length: of its last
    period. removed: ids of copies that it no longer includes.
    """

    shift: int
    length: int
    start_issue: int
    last_issue: int
    total_length: int
    removed: Sequence[int]


def plan_terms(
    periods: Sequence[PeriodIssues],
    copies: Sequence[ExistingCopy],
    *,
    start_issue: int,
    length: int,
) -> TermsPlan:
    """What changes if a subscription starts with another issue, or its last period is longer.

    periods: oldest first. length: of the last period; the others keep theirs.
    Raises: Invalid if a copy was sent that would not be included, or if a frozen run has one.
    """
    if not 1 <= length <= MAX_LENGTH:
        raise Invalid(
            _("Type a whole number from 1 to {most}.").format(most=MAX_LENGTH), field="length"
        )
    shift = start_issue - periods[0].first_issue
    if shift:
        _require_nothing_gone(copies)
    last = periods[-1]
    last_issue = last.first_issue + shift + length - 1
    for copy in copies:
        if copy.issue_number > last_issue and copy.is_sent:
            raise Invalid(
                _(
                    "The copy of issue {issue} was sent, so this order has at least {least} issues."
                ).format(issue=copy.issue_number, least=_last_sent(copies) - last.first_issue + 1),
                code="already_sent",
                field="length",
            )
    removed = [copy for copy in copies if not start_issue <= copy.issue_number <= last_issue]
    for copy in removed:
        if copy.run is not None:
            raise _in_run(copy, "length")
    return TermsPlan(
        shift=shift,
        length=length,
        start_issue=start_issue,
        last_issue=last_issue,
        total_length=sum(period.length for period in periods[:-1]) + length,
        removed=[copy.id for copy in removed],
    )


def _last_sent(copies: Sequence[ExistingCopy]) -> int:
    """The number of the last issue that was sent."""
    return max(copy.issue_number for copy in copies if copy.is_sent)


def _require_nothing_gone(copies: Sequence[ExistingCopy]) -> None:
    """Raises: Invalid if a copy was sent, or if a frozen run has one."""
    for copy in copies:
        if copy.is_sent:
            raise Invalid(
                _(
                    "The start issue can only be changed until a copy is sent, and the copy of "
                    "issue {issue} was sent. Change the number of issues instead."
                ).format(issue=copy.issue_number),
                code="already_sent",
                field="start_issue",
            )
        if copy.run is not None:
            raise _in_run(copy, "start_issue")


def _in_run(copy: ExistingCopy, field: str) -> Invalid:
    """The error for a copy in a frozen run."""
    return Invalid(
        _(
            "The copy of issue {issue} is in dispatch {run} of that issue, which is prepared. "
            "Discard that dispatch first, or keep the issue."
        ).format(issue=copy.issue_number, run=copy.run),
        code="copy_in_run",
        field=field,
    )
