"""Claims: a subscriber says that a copy never came, and gets a replacement."""

from collections.abc import Collection
from datetime import date, timedelta
from itertools import accumulate

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.resources import IssueRef
from masthead.model.translations import gettext as _, gettext_noop, ngettext
from masthead.model.types.enums import CopyStatus, LabelledEnum, Medium

MAX_POLICY = 1000  # replacements and issues in a policy
MISSED_FOR = timedelta(days=365)  # after the day on which a copy was sent


class ClaimReason(LabelledEnum):
    """What is wrong with the copy."""

    NEVER_ARRIVED = "never_arrived", gettext_noop("Did not arrive")
    DAMAGED = "damaged", gettext_noop("Damaged")
    WRONG_ISSUE = "wrong_issue", gettext_noop("Wrong issue")
    OTHER = "other", gettext_noop("Other")


class ClaimStatus(LabelledEnum):
    """What became of the replacement.

    open: it waits for the next run. held: a frozen run has it. sent: it was sent.
    closed: the claim was withdrawn, or no replacement was wanted.
    """

    OPEN = "open", gettext_noop("Waits for the next mailing")
    IN_RUN = "held", gettext_noop("In a prepared mailing")
    SENT = "sent", gettext_noop("Replacement sent")
    CLOSED = "closed", gettext_noop("Withdrawn, or no replacement")


class Claim(Struct, frozen=True, kw_only=True):
    """A claim: a subscriber says that a copy never came, or was damaged.

    id: use it in paths.
    country: ISO 3166-1 alpha-2 code of the country to which the copy was sent.
    notes: internal notes; subscribers do not see them.
    status: `open`: the replacement waits for the next run; `held`: it is in a frozen run; `sent`;
        `closed`: the claim was withdrawn, or no replacement was wanted.
    replacement: whether the subscriber gets a replacement.
    dispatch_id: the dispatch run that has the replacement; null if it is in none.
    date_sent: date on which the replacement was sent; null if it was not or the date is unknown.
    date_created: date of the claim in UTC.
    """

    id: str
    copy_id: int
    issue: IssueRef
    subscriber_id: str
    subscription_id: str
    country: str
    reason: ClaimReason
    notes: str | None
    status: ClaimStatus
    replacement: bool
    dispatch_id: str | None
    date_sent: date | None
    date_created: date


class CreatedClaim(Claim, frozen=True, kw_only=True):
    """A new claim.

    warnings: for people: the limit on replacements is exceeded, or the address is on hold.
    """

    warnings: list[str]


class ReplacementPolicy(Struct, frozen=True):
    """At most so many replacements in so many issues for one subscriber. issues: 0 for no limit."""

    replacements: int
    issues: int

    def warn(self, number: int, replaced: Collection[int], issues: Collection[int]) -> str:
        """A warning if one more replacement, of this issue, exceeds the limit; else empty.

        replaced: the issue of each replacement that they got or get. issues: the numbers of
        all issues between them.
        """
        count = self._most(number, replaced, issues) + 1 if self.issues else 0
        if count <= self.replacements or not count:
            return ""
        limit = ngettext(
            "The settings allow at most {most} within {issues} issue.",
            "The settings allow at most {most} within {issues} issues.",
            self.issues,
        ).format(most=self.replacements, issues=self.issues)
        text = ngettext(
            "This is replacement {count} for this subscriber within {issues} issue.",
            "This is replacement {count} for this subscriber within {issues} issues.",
            self.issues,
        ).format(count=count, issues=self.issues)
        return f"{text} {limit} {_('Check the address first.')}"

    def _most(self, number: int, replaced: Collection[int], issues: Collection[int]) -> int:
        """The most replacements in consecutive issues that include this one."""
        numbers = sorted({number, *issues, *replaced})
        counts = [sum(each == known for each in replaced) for known in numbers]
        sums = [0, *accumulate(counts)]
        place, last = numbers.index(number), len(numbers)
        return max(
            sums[min(first + self.issues, last)] - sums[first]
            for first in range(max(place - self.issues + 1, 0), place + 1)
        )


class ClaimCount(Struct, frozen=True, kw_only=True):
    """The claims of an issue in a country. sent: the copies that were sent there.

    claims: without those that were withdrawn. never_arrived, damaged: so many of them.
    replacements: so many were sent.
    """

    issue_number: int
    issue_id: str
    country: str
    sent: int
    claims: int
    never_arrived: int
    damaged: int
    replacements: int

    @property
    def rate(self) -> float | None:
        """Claims per copy sent; None if no copy is."""
        return self.claims / self.sent if self.sent else None


def may_be_missed(status: CopyStatus, medium: Medium, sent_on: date | None, *, today: date) -> bool:
    """Whether subscribers can say that a copy did not arrive: it was posted within a year.

    sent_on: None if the day is not known; it then counts as within a year.
    """
    was_posted = status is CopyStatus.SENT and medium is not Medium.DIGITAL
    return was_posted and (sent_on is None or today - sent_on < MISSED_FOR)


def checked_policy(replacements: int, issues: int) -> ReplacementPolicy:
    """The policy with these numbers. Raises: Invalid if one is outside 0 to 1,000."""
    for field, value in (("max_replacements", replacements), ("max_replacements_issues", issues)):
        if not 0 <= value <= MAX_POLICY:
            raise Invalid(
                f"`{field}` is {value}; expected a whole number from 0 to {MAX_POLICY}.",
                field=field,
                value=value,
            )
    return ReplacementPolicy(replacements, issues)
