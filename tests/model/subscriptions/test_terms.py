"""What a changed start issue or number of issues does."""

import pytest
from hypothesis import given, strategies as st

from masthead.model.errors import Invalid
from masthead.model.subscriptions.terms import ExistingCopy, PeriodIssues, plan_terms

ONE = [PeriodIssues(1, 5, 4)]
TWO = [PeriodIssues(1, 5, 4), PeriodIssues(2, 9, 2)]


def copies(*numbers: int, sent: int = 0, run: int = 0) -> list[ExistingCopy]:
    """Copies of issues. sent: the highest number of a sent one. run: of one that a run holds."""
    return [
        ExistingCopy(100 + number, number, number <= sent, 1 if number == run else None)
        for number in numbers
    ]


def test_a_longer_last_period_removes_nothing() -> None:
    plan = plan_terms(TWO, copies(5, 6, 7, sent=5), start_issue=5, length=6)
    assert (plan.shift, plan.start_issue, plan.last_issue) == (0, 5, 14)
    assert (plan.length, plan.total_length, plan.removed) == (6, 10, [])


def test_a_shorter_last_period_removes_its_last_copies() -> None:
    plan = plan_terms(ONE, copies(5, 6, 7, 8, sent=6), start_issue=5, length=2)
    assert (plan.last_issue, plan.removed) == (6, [107, 108])


def test_all_periods_move_with_the_start_issue() -> None:
    plan = plan_terms(TWO, copies(5, 6, 7), start_issue=7, length=2)
    assert (plan.shift, plan.last_issue, plan.total_length) == (2, 12, 6)
    assert plan.removed == [105, 106]


@pytest.mark.parametrize(
    "start_issue, length, existing, message, field",
    [
        (5, 0, copies(), "from 1 to 1000", "length"),
        (5, 1001, copies(), "from 1 to 1000", "length"),
        (6, 4, copies(5, sent=5), "issue 5 was sent", "start_issue"),
        (6, 4, copies(5, 6, run=6), "issue 6 is in dispatch 1", "start_issue"),
        (5, 1, copies(5, 6, 7, sent=6), "at least 2 issues", "length"),
        (5, 1, copies(5, 6, run=6), "issue 6 is in dispatch 1", "length"),
    ],
)
def test_what_has_gone_out_stays(
    start_issue: int, length: int, existing: list[ExistingCopy], message: str, field: str
) -> None:
    with pytest.raises(Invalid, match=message) as refusal:
        plan_terms(ONE, existing, start_issue=start_issue, length=length)
    assert refusal.value.field == field


@given(start=st.integers(1, 20), length=st.integers(1, 12), exist=st.integers(0, 12))
def test_the_copies_that_stay_are_those_of_the_new_issues(
    start: int, length: int, exist: int
) -> None:
    existing = copies(*range(5, 5 + exist))
    plan = plan_terms(ONE, existing, start_issue=start, length=length)
    kept = {copy.issue_number for copy in existing if copy.id not in plan.removed}
    assert kept == {copy.issue_number for copy in existing} & set(range(start, start + length))
    assert plan.last_issue - plan.start_issue + 1 == plan.total_length == length
