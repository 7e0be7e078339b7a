"""The limit on replacements, and the words for reasons and statuses."""

from datetime import date

import pytest

from masthead.model.claims.rules import ClaimReason, ClaimStatus, ReplacementPolicy, may_be_missed
from masthead.model.types.enums import CopyStatus, Medium


@pytest.mark.parametrize(
    "number, replaced, count",
    [
        (10, [], 0),
        (10, [9], 0),
        (10, [8, 9], 3),
        (10, [10, 10], 3),
        (10, [11, 12], 3),  # an older issue is claimed later
        (10, [8, 12], 0),  # never within three consecutive issues
        (10, [9, 11], 3),
        (10, [1, 2, 3], 0),
        (10, [8, 9, 11, 12], 3),
    ],
)
def test_replacements_within_consecutive_issues_are_counted(
    number: int, replaced: list[int], count: int
) -> None:
    warning = ReplacementPolicy(2, 3).warn(number, replaced, range(1, 13))
    assert bool(warning) is bool(count)
    assert (
        f"This is replacement {count} for this subscriber within 3 issues" in warning or not count
    )


def test_only_existing_issues_count() -> None:
    policy = ReplacementPolicy(1, 2)
    assert policy.warn(10, [8], [8, 10]) != ""
    assert policy.warn(10, [8], [8, 9, 10]) == ""


def test_without_a_number_of_issues_there_is_no_limit() -> None:
    assert ReplacementPolicy(0, 0).warn(10, [10, 10, 10], [10]) == ""


def test_reasons_and_statuses_have_words() -> None:
    assert ClaimReason.NEVER_ARRIVED.label == "Did not arrive"
    assert [status.label for status in ClaimStatus] == [
        "Waits for the next mailing",
        "In a prepared mailing",
        "Replacement sent",
        "Withdrawn, or no replacement",
    ]


@pytest.mark.parametrize(
    "status, medium, sent_on, may_be",
    [
        (CopyStatus.SENT, Medium.PRINT, date(2026, 3, 2), True),
        (CopyStatus.SENT, Medium.PRINT, date(2025, 3, 3), True),  # 364 days ago
        (CopyStatus.SENT, Medium.PRINT, date(2025, 3, 2), False),
        (CopyStatus.SENT, Medium.PRINT, None, True),
        (CopyStatus.SENT, Medium.DIGITAL, date(2026, 3, 2), False),
        (CopyStatus.NOT_SENT, Medium.PRINT, None, False),
        (CopyStatus.CANCELLED, Medium.PRINT, date(2026, 3, 2), False),
    ],
)
def test_subscribers_miss_what_was_posted_within_a_year(
    status: CopyStatus, medium: Medium, sent_on: date | None, *, may_be: bool
) -> None:
    assert may_be_missed(status, medium, sent_on, today=date(2026, 3, 2)) is may_be
