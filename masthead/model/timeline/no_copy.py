"""Why a subscription has no copy of an issue, or a cancelled or digital one."""

from masthead.model.dispatch.runs import LeftReason, LineStatus
from masthead.model.subscriptions.skips import Instead
from masthead.model.timeline.answers import SubscriptionAnswer
from masthead.model.timeline.case import Case
from masthead.model.timeline.codes import WhyCode
from masthead.model.timeline.facts import WhyCopy
from masthead.model.translations import gettext as _
from masthead.model.types.enums import CopyStatus, SubscriptionStatus, SubscriptionType


def explain_no_copy(case: Case, code: WhyCode) -> SubscriptionAnswer:
    """The issue is not one of theirs, or does not exist yet, or its copy was cancelled."""
    if code is WhyCode.CANCELLED:
        return _cancelled(case)
    if code is WhyCode.OUTSIDE_MEMBERSHIP:
        return _outside_membership(case)
    own, text = case.own, ""
    if code is WhyCode.BEFORE_START:
        text = _("No: {name}'s subscription starts with issue {start}.")
    elif code is WhyCode.AFTER_END:
        text = _("No: {name}'s subscription ends with issue {last}.")
        if own.status is SubscriptionStatus.COMPLETE:
            text = _("No: {name}'s subscription ended with issue {last}.")
    elif code is WhyCode.SKIPPED and own.instead == Instead.ADDED:
        text = _(
            "No: issue {issue} is skipped for {name}. Instead, the subscription has one more "
            "issue at its end, and ends with issue {last}."
        )
    elif code is WhyCode.SKIPPED:
        text = _("No: issue {issue} is skipped for {name}, and its price went back.")
    elif code is WhyCode.NO_ISSUE:
        text = _("Not yet: issue {issue} does not exist yet.")
    elif code is WhyCode.NO_RELEASE_DATE:
        text = _(
            "Not yet: issue {issue} has no release date, and a membership gets the issues "
            "that are released in its paid time."
        )
    elif own.type is SubscriptionType.MEMBERSHIP:
        text = _(
            "{name}'s membership includes issue {issue}, but has no copy of it. Ask the "
            "operator of this server to run `masthead check`."
        )
    else:
        text = _(
            "{name}'s subscription includes issue {issue}, but has no copy of it. Ask the "
            "operator of this server to run `masthead check`."
        )
    return case.say(code, case.fill(text, start=own.first_issue, last=own.last_issue))


def _outside_membership(case: Case) -> SubscriptionAnswer:
    own, issue = case.own, case.facts.issue
    assert issue.released is not None
    text = _("No: {name}'s membership does not cover {date}, when issue {issue} comes out.")
    if issue.is_out:
        text = _("No: {name}'s membership does not cover {date}, when issue {issue} came out.")
    sentence = case.fill(text, date=case.day(issue.released))
    if own.period_start and own.period_end:
        paid = _("It is paid from {start} to {end}.")
        paid = paid.format(start=case.day(own.period_start), end=case.day(own.period_end))
        sentence = f"{sentence} {paid}"
    return case.say(WhyCode.OUTSIDE_MEMBERSHIP, sentence)


def _cancelled(case: Case) -> SubscriptionAnswer:
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
        sentence = case.fill(text, date=case.day(ended))
    else:
        text = (
            _("No: {name}'s membership was cancelled, before issue {issue} went out.")
            if is_membership
            else _("No: {name}'s subscription was cancelled, before issue {issue} went out.")
        )
        sentence = case.fill(text)
    line = case.line(LineStatus.LEFT, LeftReason.CANCELLED)
    if line:
        left = _("It left mailing {number} then.").format(number=case.runs[line.dispatch_id].number)
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
