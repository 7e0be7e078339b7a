"""The rules for issues that a subscription leaves out: one more at its end, or their money back."""

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.orders.offers import MAX_LENGTH
from masthead.model.revenue.recognition import carried
from masthead.model.subscriptions.stored import StoredPeriod, StoredSubscription
from masthead.model.subscriptions.terms import ExistingCopy
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.enums import LabelledEnum, SubscriptionStatus, SubscriptionType
from masthead.model.types.fields import MAX_NUMBER

ALREADY_SKIPPED, NOT_SKIPPED = "already_skipped", "not_skipped"


class Instead(LabelledEnum):
    """What a subscriber gets instead of an issue: one more at the end, or the money back."""

    ADDED = "added", gettext_noop("One more issue at the end")
    CREDITED = "credited", gettext_noop("The price of the issue goes back")


class SkippedIssue(Struct, frozen=True):
    """An issue that a subscription leaves out. refund_id: of the credit, if there is one."""

    subscription_id: str
    issue_number: int
    instead: Instead
    refund_id: str | None


class PeriodRange(Struct, frozen=True):
    """The issues of a period, with those that it leaves out."""

    id: int
    first: int
    last: int

    @property
    def length(self) -> int:
        """How many there are."""
        return self.last - self.first + 1


def lay_out(periods: Sequence[StoredPeriod], added: Collection[int]) -> list[PeriodRange]:
    """The issues of periods, one after the other, if some issues are made up for at the end.

    periods: oldest first, with the issues that they have now. added: the numbers of all skipped
    issues that one more issue makes up for.
    """
    ranges = []
    first = periods[0].first_issue or 0
    for period in periods:
        last = first - 1
        left = period.paid_issues
        while left:
            last += 1
            left -= last not in added
        ranges.append(PeriodRange(period.id, first, last))
        first = last + 1
    return ranges


def require_skippable(
    row: StoredSubscription,
    numbers: Sequence[int],
    *,
    skipped: Collection[int],
    out: Collection[int],
    copies: Sequence[ExistingCopy],
) -> None:
    """Raises: Invalid unless a subscription can leave out some issues.

    skipped: those that it leaves out already. out: those that are out. copies: of the subscription.
    """
    require_issues(row)
    by_number = {copy.issue_number: copy for copy in copies}
    assert row.start_issue is not None
    assert row.last_issue is not None
    for number in numbers:
        copy = by_number.get(number)
        if not row.start_issue <= number <= row.last_issue:
            text = _(
                "The subscription has the issues {first} to {last}, so issue {issue} cannot be "
                "skipped. Choose one of its issues."
            ).format(first=row.start_issue, last=row.last_issue, issue=number)
            raise _refused("not_included", text, number)
        if number in skipped:
            text = _("Issue {issue} is skipped already.").format(issue=number)
            raise _refused(ALREADY_SKIPPED, text, number)
        if copy is not None and copy.is_sent:
            text = _(
                "The copy of issue {issue} was sent, so the issue cannot be skipped. Choose a "
                "later issue."
            ).format(issue=number)
            raise _refused("already_sent", text, number)
        if copy is not None and copy.run is not None:
            text = _(
                "The copy of issue {issue} is in mailing {run} of that issue, which is prepared. "
                "Discard that mailing first, or choose a later issue."
            ).format(issue=number, run=copy.run)
            raise _refused("copy_in_run", text, number)
        if number in out:
            text = _(
                "Issue {issue} is out, so it cannot be skipped. Choose a later issue, or record a "
                "refund."
            ).format(issue=number)
            raise _refused("issue_is_out", text, number)


def require_issues(row: StoredSubscription) -> None:
    """Raises: Invalid if a subscription has ended, or is for months and not for issues."""
    if row.type is SubscriptionType.MEMBERSHIP:
        raise Invalid(
            _(
                "A membership is paid for months, not for issues, so no issue can be skipped. Plan "
                "another address for these days, hold the copies until the subscriber is back, or "
                "record a refund."
            )
        )
    require_not_cancelled(row)


def require_not_cancelled(row: StoredSubscription) -> None:
    """Raises: Invalid if a subscription is cancelled."""
    if row.status is SubscriptionStatus.CANCELLED:
        raise Invalid(
            _("This subscription is cancelled. Reopen it first, then change it."), code="cancelled"
        )


def require_room(ranges: Sequence[PeriodRange]) -> None:
    """Raises: Invalid if a period would be too long, or have issues with numbers too high."""
    if ranges[-1].last > MAX_NUMBER or any(each.length > MAX_LENGTH for each in ranges):
        raise Invalid(
            _("The subscription would be too long. An order has at most {most} issues.").format(
                most=MAX_LENGTH
            ),
            field="issues",
        )


def credits_for(
    periods: Sequence[StoredPeriod], numbers: Collection[int]
) -> dict[int, tuple[int, int]]:
    """The money that goes back for some issues: period id and minor units, by issue number.

    The issues that are left keep what they cost; what is left of the price after them goes back.
    Raises: Invalid if nothing is left of the price that was paid for an issue.
    """
    credits = dict[int, tuple[int, int]]()
    for number in sorted(numbers):
        period = next(each for each in periods if number in each.issues)
        before = sum(amount for id, amount in credits.values() if id == period.id)
        net = period.price - period.refunded - before
        places = len(period.included) - sum(other in period.issues for other in credits) - 1
        amount = net - min(carried(period.price, places, period.paid_issues), net)
        if amount <= 0:
            raise Invalid(
                _(
                    "Nothing is left of the price of issue {issue} that could go back. Choose one "
                    "more issue at the end instead."
                ).format(issue=number),
                field="instead",
                value=Instead.CREDITED,
            )
        credits[number] = period.id, amount
    return credits


def require_taken_back(
    number: int, skipped: Mapping[int, SkippedIssue], *, out: Collection[int]
) -> SkippedIssue:
    """The skipped issue to take back. Raises: Invalid if it is not skipped, or is out."""
    if number not in skipped:
        text = _("Issue {issue} is not skipped, so there is nothing to take back.")
        raise _refused(NOT_SKIPPED, text.format(issue=number), number)
    if number in out:
        text = _(
            "Issue {issue} is out, so it stays skipped. To send it after all, add an issue to the "
            "subscription."
        )
        raise _refused("issue_is_out", text.format(issue=number), number)
    return skipped[number]


def require_last_free(ranges: Sequence[PeriodRange], copies: Sequence[ExistingCopy]) -> None:
    """Raises: Invalid if a copy of an issue that would no longer be included was prepared."""
    for copy in copies:
        if copy.issue_number > ranges[-1].last and (copy.is_sent or copy.run is not None):
            text = _(
                "The copy of issue {issue}, which was added at the end, is already sent or in a "
                "mailing. So the skipped issue stays as it is."
            )
            raise _refused("copy_in_run", text.format(issue=copy.issue_number), copy.issue_number)


def require_terms_without_skips(
    skipped: Collection[int], *, is_shifted: bool, last_issue: int
) -> None:
    """Raises: Invalid if other terms would lose skipped issues. last_issue: by these terms."""
    lost = sorted(number for number in skipped if is_shifted or number > last_issue)
    if lost:
        raise Invalid(
            _(
                "Issue {issue} is skipped. Take that back first, then change the issues of the "
                "subscription."
            ).format(issue=lost[0]),
            code="issue_skipped",
            field="start_issue" if is_shifted else "length",
        )


def _refused(code: str, text: str, number: int) -> Invalid:
    return Invalid(text, code=code, field="issues", value=number)
