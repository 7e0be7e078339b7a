"""Why a subscription has no copy of an issue, or a cancelled or digital one."""

from datetime import date

from masthead.model.dispatch.runs import LeftReason, LineStatus
from masthead.model.translations import gettext as _
from masthead.model.types.enums import CopyStatus, SubscriptionStatus, SubscriptionType
from masthead.model.why.answers import SubscriptionAnswer, WhyCode
from masthead.model.why.case import Case
from masthead.model.why.facts import WhyCopy


def explain_no_copy(case: Case) -> SubscriptionAnswer:
    """The issue is not one of theirs, or does not exist yet."""
    own, number = case.own, case.facts.number
    if own.type is SubscriptionType.SUBSCRIPTION:
        if own.first_issue is not None and number < own.first_issue:
            return case.say(
                WhyCode.BEFORE_START,
                case.fill(
                    _("No: {name}'s subscription starts with issue {start}."), start=own.first_issue
                ),
            )
        if own.last_issue is not None and number > own.last_issue:
            text = _("No: {name}'s subscription ends with issue {last}.")
            if own.status is SubscriptionStatus.COMPLETE:
                text = _("No: {name}'s subscription ended with issue {last}.")
            return case.say(WhyCode.AFTER_END, case.fill(text, last=own.last_issue))
    if own.status is SubscriptionStatus.CANCELLED:
        return explain_cancelled(case)
    if case.facts.issue is None:
        return case.say(
            WhyCode.NO_ISSUE,
            case.fill(_("Not yet: issue {issue} does not exist yet.")),
        )
    if own.type is SubscriptionType.MEMBERSHIP:
        return _outside_membership(case, case.facts.issue.release_date)
    return case.say(
        WhyCode.NO_COPY,
        case.fill(
            _(
                "{name}'s subscription includes issue {issue}, but has no copy of it. Ask the "
                "operator of this server to run `masthead check`."
            )
        ),
    )


def _outside_membership(case: Case, released: date | None) -> SubscriptionAnswer:
    own = case.own
    if released is None:
        return case.say(
            WhyCode.NO_RELEASE_DATE,
            case.fill(
                _(
                    "Not yet: issue {issue} has no release date, and a membership gets the issues "
                    "that are released in its paid time."
                )
            ),
        )
    if own.is_covered:
        return case.say(
            WhyCode.NO_COPY,
            case.fill(
                _(
                    "{name}'s membership includes issue {issue}, but has no copy of it. Ask the "
                    "operator of this server to run `masthead check`."
                )
            ),
        )
    assert case.facts.issue is not None
    text = _("No: {name}'s membership does not cover {date}, when issue {issue} comes out.")
    if case.facts.issue.is_out:
        text = _("No: {name}'s membership does not cover {date}, when issue {issue} came out.")
    sentence = case.fill(text, date=case.day(released))
    if own.period_start and own.period_end:
        paid = _("It is paid from {start} to {end}.")
        paid = paid.format(start=case.day(own.period_start), end=case.day(own.period_end))
        sentence = f"{sentence} {paid}"
    return case.say(WhyCode.OUTSIDE_MEMBERSHIP, sentence)


def explain_cancelled(case: Case) -> SubscriptionAnswer:
    """The subscription ended before the issue went out."""
    is_membership = case.own.type is SubscriptionType.MEMBERSHIP
    ended = case.own.cancelled_at
    if ended:
        text = (
            _("No: {name}'s membership was cancelled on {date}, before issue {issue} went out.")
            if is_membership
            else _(
                "No: {name}'s subscription was cancelled on {date}, before issue {issue} went out."
            )
        )
        sentence = case.fill(text, date=case.day(ended.date()))
    else:
        text = (
            _("No: {name}'s membership was cancelled, before issue {issue} went out.")
            if is_membership
            else _("No: {name}'s subscription was cancelled, before issue {issue} went out.")
        )
        sentence = case.fill(text)
    line = case.line(LineStatus.LEFT, LeftReason.CANCELLED)
    if line:
        left = _("It left run {number} then.").format(number=case.runs[line.dispatch_id].number)
        sentence = f"{sentence} {left}"
    return case.say(WhyCode.CANCELLED, sentence, line=line)


def explain_digital(case: Case, copy: WhyCopy) -> SubscriptionAnswer:
    """The copy does not go by post, whether it is marked as sent or not."""
    text = _("{name}'s subscription is digital: issue {issue} does not go by post.")
    state = _("It is not marked as sent yet.")
    if copy.status is CopyStatus.SENT:
        state = _("It is marked as sent without a date.")
        if copy.date_sent:
            state = _("It is marked as sent on {date}.").format(date=case.day(copy.date_sent))
    return case.say(WhyCode.DIGITAL_ONLY, f"{case.fill(text)} {state}", line=case.line_in_run(copy))
