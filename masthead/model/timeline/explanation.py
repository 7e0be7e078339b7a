"""Explain why a subscriber got an issue or did not."""

from datetime import date, datetime

from masthead.model.resources import IssueRef, SubscriberRef
from masthead.model.timeline.answers import Day, IssueAnswer, SubscriptionAnswer, join_answers
from masthead.model.timeline.case import Case
from masthead.model.timeline.codes import WhyCode, decide
from masthead.model.timeline.facts import Facts
from masthead.model.timeline.no_copy import explain_digital, explain_no_copy
from masthead.model.timeline.sent import explain_grace, explain_sent
from masthead.model.timeline.unsent import explain_unsent
from masthead.model.translations import gettext as _


def iso(day: date) -> str:
    """A date as the API writes it; of a moment, the one in UTC."""
    return (day.date() if isinstance(day, datetime) else day).isoformat()


def explain(facts: Facts, *, day: Day = iso) -> IssueAnswer:
    """Whether the subscriber got the issue, and why not. day: writes the dates of the sentences."""
    answers = [_explain_one(Case(facts, each, day)) for each in facts.subscriptions]
    issue, subscriber = facts.issue, facts.subscriber
    if subscriber is None:
        code = WhyCode.UNKNOWN_SUBSCRIBER
        text = _("There is no subscriber {asked} in this account.").format(asked=facts.asked)
    elif not answers:
        code = WhyCode.NO_SUBSCRIPTION
        text = _("{name} has no subscription.").format(name=subscriber.full_name)
    else:
        code, text = join_answers(answers)
    return IssueAnswer(
        code=code,
        sentence=text,
        issue_number=issue.number,
        issue=IssueRef(id=issue.id, number=issue.number, name=issue.name) if issue.id else None,
        subscriber=(
            SubscriberRef(subscriber.id, subscriber.full_name, subscriber.email)
            if subscriber
            else None
        ),
        subscriptions=answers,
    )


def _explain_one(case: Case) -> SubscriptionAnswer:
    """The answer for one subscription."""
    own = case.own
    if own.copy is None and own.grace is not None:
        return explain_grace(case, own.grace)
    status = own.copy.status if own.copy else None
    code = decide(
        case.facts.issue, own, status, is_covered=own.is_covered, is_skipped=own.instead is not None
    )
    if own.copy is None or code is WhyCode.CANCELLED:
        return explain_no_copy(case, code)
    if code is WhyCode.DIGITAL_ONLY:
        return explain_digital(case, own.copy)
    if code is WhyCode.SENT:
        return explain_sent(case, own.copy)
    return explain_unsent(case, own.copy, code)
