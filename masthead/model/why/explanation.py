"""Explain why a subscriber got an issue or did not."""

from datetime import date

from masthead.model.resources import IssueRef, SubscriberRef
from masthead.model.translations import gettext as _
from masthead.model.types.enums import CopyStatus, Medium
from masthead.model.why.answers import (
    Day,
    IssueAnswer,
    SubscriptionAnswer,
    WhyCode,
    join_answers,
)
from masthead.model.why.case import Case
from masthead.model.why.facts import Facts
from masthead.model.why.no_copy import (
    explain_cancelled,
    explain_digital,
    explain_no_copy,
)
from masthead.model.why.sent import explain_sent
from masthead.model.why.unsent import explain_unsent

iso: Day = date.isoformat


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
        issue_number=facts.number,
        issue=IssueRef(id=issue.id, number=issue.number, name=issue.name) if issue else None,
        subscriber=(
            SubscriberRef(subscriber.id, subscriber.full_name, subscriber.email)
            if subscriber
            else None
        ),
        subscriptions=answers,
    )


def _explain_one(case: Case) -> SubscriptionAnswer:
    """The answer for one subscription."""
    copy = case.own.copy
    if copy is None:
        return explain_no_copy(case)
    if copy.status is CopyStatus.CANCELLED:
        return explain_cancelled(case)
    if case.own.medium is Medium.DIGITAL:
        return explain_digital(case, copy)
    if copy.status is CopyStatus.SENT:
        return explain_sent(case, copy)
    return explain_unsent(case, copy)
