"""Why a subscriber got an issue or did not: one answer for each subscription, and one sentence.

The sentences are what the desk reads to a caller on the phone.
"""

from collections.abc import Callable
from datetime import date

from msgspec import Struct

from masthead.model.dispatch.runs import DispatchStatus
from masthead.model.resources import IssueRef, SubscriberRef
from masthead.model.timeline.codes import WhyCode
from masthead.model.translations import counted, gettext as _
from masthead.model.types.enums import CopyStatus

Day = Callable[[date], str]  # writes a date, or that of a moment
MAX_SENTENCES = 3  # in the sentence about all subscriptions


class DispatchRef(Struct, frozen=True):
    """A dispatch run, in brief. number: within its issue.

    date_frozen: date in UTC on which it was frozen.
    date_sent: date with which it was marked as sent; null if it is not marked, or without a date.
    """

    id: str
    number: int
    status: DispatchStatus
    date_frozen: date
    date_sent: date | None


class SubscriptionAnswer(Struct, frozen=True, kw_only=True):
    """The answer for one subscription.

    code: the kind of answer, for programs.
    sentence: the answer in words, for people; the wording may change.
    copy_id: the copy of the issue; null if there is none.
    date_sent: date on which the copy, or its replacement, was sent.
    run: the dispatch run that the copy, or its replacement, is in; null if it is in none: also if
        it came after a run was frozen, or a run left it out.
    left_run: the dispatch run that the copy was in last, if it is in none now: the copy was
        cancelled or marked as sent by itself, or the run was discarded.
    address: where the copy or its replacement went or will go, in one line, as it was frozen with
        the run.
    key: the key that is printed on its label, without the `#` around it; null if it is in no run.
    claim_id: the claim that the answer is about.
    delivery_report_id: the delivery report that the answer is about.
    invoice_id: the unpaid invoice for which the copy waits; null if it waits for no invoice.
    """

    subscription_id: str
    code: WhyCode
    sentence: str
    copy_id: int | None
    copy_status: CopyStatus | None
    date_sent: date | None
    run: DispatchRef | None
    left_run: DispatchRef | None
    address: str | None
    key: str | None
    claim_id: str | None
    delivery_report_id: str | None
    invoice_id: str | None

    @property
    def can_be_claimed(self) -> bool:
        """Whether a copy can be claimed: it was sent by post, and no replacement waits."""
        waits = (WhyCode.REPLACEMENT_FROZEN, WhyCode.REPLACEMENT_WAITING, WhyCode.DIGITAL_ONLY)
        return self.copy_status is CopyStatus.SENT and self.code not in waits


class IssueAnswer(Struct, frozen=True, kw_only=True):
    """Whether a subscriber got an issue, and why not.

    code: of the subscription that says most; a copy that was sent comes first.
    sentence: the answer for all subscriptions in words, for people; the wording may change.
    issue: null if there is no issue with this number.
    subscriber: null if there is no such subscriber.
    subscriptions: the answer for each subscription, those that say most first; at most 500.
    """

    code: WhyCode
    sentence: str
    issue_number: int
    issue: IssueRef | None
    subscriber: SubscriberRef | None
    subscriptions: list[SubscriptionAnswer]


def join_answers(answers: list[SubscriptionAnswer]) -> tuple[WhyCode, str]:
    """The code and the sentence for a subscriber with these subscriptions, which it sorts.

    Subscriptions without a copy are left out if another one has a copy.
    """
    answers.sort(key=lambda each: each.code.rank)
    having = [each for each in answers if each.copy_id is not None] or answers[:1]
    sentences = list(dict.fromkeys(each.sentence for each in having))
    text = " ".join(sentences[:MAX_SENTENCES])
    more = len(having) - sum(each.sentence in sentences[:MAX_SENTENCES] for each in having)
    if more:
        also = counted(
            "{count} more copy is listed below.", "{count} more copies are listed below.", more
        )
        text += f" {also}"
    if len(answers) > len(having):
        also = _("(The subscriber has {count} subscriptions.)").format(count=len(answers))
        text += f" {also}"
    return answers[0].code, text
