"""Why a subscriber got an issue or did not: cases that need data which the services never write."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from masthead.model.dispatch.address_layout import build_layout
from masthead.model.dispatch.runs import Dispatch, DispatchSelection, DispatchStatus
from masthead.model.holds import Hold
from masthead.model.timeline.answers import IssueAnswer
from masthead.model.timeline.codes import IssueFacts, WhyCode
from masthead.model.timeline.explanation import explain
from masthead.model.timeline.facts import Facts, WhyCopy, WhyReport, WhySubscriber, WhySubscription
from masthead.model.timeline.words import recipient
from masthead.model.types.enums import CopyStatus, Medium, SubscriptionStatus, SubscriptionType

EARLY, LATE = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 5, 2, tzinfo=UTC)
ISSUE = IssueFacts(
    id="I", number=12, name="Spring", released=date(2026, 5, 3), is_out=True, created_at=EARLY
)


def copy_of(**fields: Any) -> WhyCopy:
    given: dict[str, Any] = {
        "id": 4294967297,
        "status": CopyStatus.NOT_SENT,
        "date_sent": None,
        "country": "SE",
        "dispatch_id": None,
        "ordered_at": EARLY,
    }
    return WhyCopy(**{**given, **fields})


def subscription(**fields: Any) -> WhySubscription:
    given: dict[str, Any] = {
        "id": "S",
        "type": SubscriptionType.SUBSCRIPTION,
        "status": SubscriptionStatus.ACTIVE,
        "medium": Medium.PRINT,
        "source_id": "SHOP",
        "first_name": "Anna",
        "last_name": "Ek",
        "company": None,
        "address1": None,
        "address2": None,
        "city": None,
        "state": None,
        "postcode": None,
        "country": "SE",
        "first_issue": 10,
        "last_issue": 14,
        "period_start": None,
        "period_end": None,
        "is_covered": False,
        "cancelled_at": None,
        "copy": None,
    }
    return WhySubscription(**{**given, **fields})


def run_of(created_at: datetime) -> Dispatch:
    return Dispatch(
        id="R",
        issue_id="I",
        issue_number=12,
        issue_name="Spring",
        number=1,
        status=DispatchStatus.FROZEN,
        selection=DispatchSelection(),
        layout=build_layout(["SE"], "SE"),
        first_line=1,
        lines=1,
        copies=1,
        replacements=0,
        fingerprint="",
        date_sent=None,
        created_at=created_at,
        actor_kind="user",
        actor_id="U",
        marked_at=None,
        undone_at=None,
        discarded_at=None,
    )


def asked(*subscriptions: WhySubscription, runs: tuple[Dispatch, ...] = ()) -> IssueAnswer:
    return explain(
        Facts(
            account_id=1,
            asked="anna@example.com",
            home="SE",
            issue=ISSUE,
            subscriber=WhySubscriber(id="U", full_name="Anna Ek", email="anna@example.com"),
            subscriptions=subscriptions,
            runs=runs,
        )
    )


def test_a_subscriber_without_subscriptions() -> None:
    answer = asked()
    assert answer.code is WhyCode.NO_SUBSCRIPTION
    assert answer.sentence == "Anna Ek has no subscription."


def test_a_label_without_a_name_has_that_of_the_subscriber() -> None:
    own = subscription(first_name=None, last_name=None)
    subscriber = WhySubscriber(id="U", full_name="Ada Byron", email="")
    assert recipient(own, subscriber) == "Ada Byron"
    assert recipient(own, None) == ""
    assert recipient(subscription(), subscriber) == "Anna Ek"


@pytest.mark.parametrize(
    "fields", [{}, {"type": SubscriptionType.MEMBERSHIP, "first_issue": None, "is_covered": True}]
)
def test_a_copy_that_is_missing_is_for_the_operator(fields: dict[str, Any]) -> None:
    answer = asked(subscription(**fields))
    assert answer.code is WhyCode.NO_COPY
    assert "Ask the operator of this server" in answer.sentence


def test_an_issue_that_is_skipped_says_what_it_has_instead() -> None:
    credited, added = asked(subscription(instead="credited")), asked(subscription(instead="added"))
    assert credited.code is added.code is WhyCode.SKIPPED
    assert credited.sentence == "No: issue 12 is skipped for Anna Ek, and its price went back."
    assert added.sentence.endswith("has one more issue at its end, and ends with issue 14.")


@pytest.mark.parametrize(
    "number, sentence",
    [
        (None, "a user has held the subscription since 2026-05-01 (moving). It goes with the next"),
        (
            "R-7",
            "has waited since 2026-05-01, because invoice R-7 is not paid. It goes with the next",
        ),
    ],
)
def test_a_copy_that_is_held_says_why(number: str | None, sentence: str) -> None:
    hold = Hold(
        id="H",
        subscription_id="S",
        invoice_id=number,
        invoice_number=number,
        reason="" if number else "moving",
        created_at=EARLY,
        ended_at=None,
        ended_by=None,
    )
    answer = asked(subscription(copy=copy_of(), holds=[hold]))
    assert answer.code is WhyCode.HELD
    assert sentence in answer.sentence


def test_a_membership_without_periods() -> None:
    answer = asked(subscription(type=SubscriptionType.MEMBERSHIP, first_issue=None))
    assert answer.code is WhyCode.OUTSIDE_MEMBERSHIP
    assert answer.sentence == (
        "No: Anna Ek's membership does not cover 2026-05-03, when issue 12 came out."
    )


@pytest.mark.parametrize(
    "fields, code, sentence",
    [
        (
            {"status": SubscriptionStatus.COMPLETE, "last_issue": 11},
            WhyCode.AFTER_END,
            "No: Anna Ek's subscription ended with issue 11.",
        ),
        (
            {"status": SubscriptionStatus.CANCELLED},
            WhyCode.CANCELLED,
            "No: Anna Ek's subscription was cancelled, before issue 12 went out.",
        ),
        (
            {
                "status": SubscriptionStatus.CANCELLED,
                "type": SubscriptionType.MEMBERSHIP,
                "first_issue": None,
                "is_covered": True,
            },
            WhyCode.CANCELLED,
            "No: Anna Ek's membership was cancelled, before issue 12 went out.",
        ),
    ],
)
def test_a_subscription_that_is_over(fields: dict[str, Any], code: WhyCode, sentence: str) -> None:
    answer = asked(subscription(**fields))
    assert (answer.code, answer.sentence) == (code, sentence)


def test_a_copy_that_was_changed_after_the_freeze() -> None:
    answer = asked(subscription(copy=copy_of()), runs=(run_of(LATE),))
    assert answer.code is WhyCode.LATE_ORDER
    assert "was added or changed after mailing 1 was prepared on 2026-05-02" in answer.sentence


def test_a_subscriber_whose_new_address_is_accepted() -> None:
    moved = WhyReport(
        id="D",
        kind="moved",
        status="accepted",
        copy_id=4294967297,
        line_id=None,
        subscription_id="S",
        reason=None,
        report_date=None,
        created_at=LATE,
        resolved_at=LATE,
    )
    sent = copy_of(status=CopyStatus.SENT)
    answer = asked(subscription(copy=sent, reports=(moved,)))
    assert answer.code is WhyCode.MOVED
    assert answer.sentence.endswith("that the subscriber has moved. The new address is accepted.")
    (one,) = answer.subscriptions
    assert one.can_be_claimed


def test_only_a_sent_copy_without_a_waiting_replacement_can_be_claimed() -> None:
    (waiting,) = asked(subscription(copy=copy_of())).subscriptions
    (digital,) = asked(
        subscription(copy=copy_of(status=CopyStatus.SENT), medium=Medium.DIGITAL)
    ).subscriptions
    (sent,) = asked(subscription(copy=copy_of(status=CopyStatus.SENT))).subscriptions
    assert [each.can_be_claimed for each in (waiting, digital, sent)] == [False, False, True]


def test_a_company_is_the_recipient_and_not_part_of_the_address() -> None:
    sent = copy_of(status=CopyStatus.SENT)
    office = subscription(
        copy=sent, first_name=None, last_name=None, company="Ek AB", address1="Torget 1"
    )
    assert "Issue 12 was sent to Ek AB" in asked(office).sentence
    assert "The address now is Torget 1." in asked(office).sentence
    nowhere = asked(subscription(copy=sent)).sentence
    assert "The address now is Sweden." in nowhere
