"""Why a subscription has no copy of an issue, or a cancelled or digital one."""

from datetime import date

from masthead.model.dispatch.runs import LeftReason, LineStatus
from masthead.model.types.enums import CopyStatus, SubscriptionStatus, SubscriptionType
from masthead.model.why.answers import SubscriptionAnswer, WhyCode
from masthead.model.why.case import Case
from masthead.model.why.facts import WhyCopy
from masthead.model.why.words import dated


def explain_no_copy(case: Case) -> SubscriptionAnswer:
    """The issue is not one of theirs, or does not exist yet."""
    own, number = case.own, case.facts.number
    if own.type is SubscriptionType.SUBSCRIPTION:
        if own.first_issue is not None and number < own.first_issue:
            return case.say(
                WhyCode.BEFORE_START,
                f"No: {case.name}'s subscription starts with issue {own.first_issue}.",
            )
        if own.last_issue is not None and number > own.last_issue:
            verb = "ended" if own.status is SubscriptionStatus.COMPLETE else "ends"
            return case.say(
                WhyCode.AFTER_END,
                f"No: {case.name}'s subscription {verb} with issue {own.last_issue}.",
            )
    if own.status is SubscriptionStatus.CANCELLED:
        return explain_cancelled(case)
    if case.facts.issue is None:
        return case.say(
            WhyCode.NO_ISSUE,
            f"Not yet: {case.issue} does not exist yet.",
        )
    if own.type is SubscriptionType.MEMBERSHIP:
        return _outside_membership(case, case.facts.issue.release_date)
    return case.say(
        WhyCode.NO_COPY,
        f"{case.name}'s subscription includes {case.issue}, but has no copy of it. Ask the "
        "operator of this server to run `masthead check`.",
    )


def _outside_membership(case: Case, released: date | None) -> SubscriptionAnswer:
    own = case.own
    if released is None:
        return case.say(
            WhyCode.NO_RELEASE_DATE,
            f"Not yet: {case.issue} has no release date, and a membership gets the issues that "
            "are released in its paid time.",
        )
    if own.is_covered:
        return case.say(
            WhyCode.NO_COPY,
            f"{case.name}'s membership includes {case.issue}, but has no copy of it. Ask the "
            "operator of this server to run `masthead check`.",
        )
    assert case.facts.issue is not None
    comes = "came" if case.facts.issue.is_out else "comes"
    paid = ""
    if own.period_start and own.period_end:
        paid = f" is paid from {case.day(own.period_start)} to {case.day(own.period_end)}, but"
    return case.say(
        WhyCode.OUTSIDE_MEMBERSHIP,
        f"No: {case.name}'s membership{paid} does not cover {case.day(released)}, when "
        f"{case.issue} {comes} out.",
    )


def explain_cancelled(case: Case) -> SubscriptionAnswer:
    """The subscription ended before the issue went out."""
    what = "membership" if case.own.type is SubscriptionType.MEMBERSHIP else "subscription"
    ended = case.own.cancelled_at
    when = f" on {case.day(ended.date())}" if ended else ""
    line = case.line(LineStatus.LEFT, LeftReason.CANCELLED)
    run = f" It left run {case.runs[line.dispatch_id].number} then." if line else ""
    return case.say(
        WhyCode.CANCELLED,
        f"No: {case.name}'s {what} was cancelled{when}, before {case.issue} went out.{run}",
        line=line,
    )


def explain_digital(case: Case, copy: WhyCopy) -> SubscriptionAnswer:
    """The copy does not go by post, whether it is marked as sent or not."""
    state = "It is not marked as sent yet."
    if copy.status is CopyStatus.SENT:
        state = f"It is marked as sent{dated(copy.date_sent, case.day)}."
    return case.say(
        WhyCode.DIGITAL_ONLY,
        f"{case.name}'s subscription is digital: {case.issue} does not go by post. {state}",
        line=case.line_in_run(copy),
    )
