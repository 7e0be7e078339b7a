"""One subscription and an issue: what the rules look up, and how they answer."""

from collections.abc import Callable
from datetime import date

from masthead.model.dispatch.address_layout import build_layout
from masthead.model.dispatch.copy_keys import key_of
from masthead.model.dispatch.runs import (
    Dispatch,
    DispatchLine,
    DispatchStatus,
    LeftReason,
    LineStatus,
)
from masthead.model.holds import Hold
from masthead.model.timeline.answers import Day, DispatchRef, SubscriptionAnswer
from masthead.model.timeline.codes import WhyCode
from masthead.model.timeline.facts import Facts, WhyClaim, WhyCopy, WhyReport, WhySubscription
from masthead.model.timeline.words import address_text, recipient
from masthead.model.translations import gettext as _


class Case:
    """One subscription and the issue. name: the recipient."""

    def __init__(self, facts: Facts, subscription: WhySubscription, day: Day) -> None:
        self.facts, self.own, self.day = facts, subscription, day
        self.name = recipient(subscription, facts.subscriber)
        self.runs = {run.id: run for run in facts.runs}

    def say(
        self,
        code: WhyCode,
        sentence: str,
        *,
        line: DispatchLine | None = None,
        left_run: Dispatch | None = None,
        date_sent: date | None = None,
        claim: WhyClaim | None = None,
        report: WhyReport | None = None,
        invoice_id: str | None = None,
    ) -> SubscriptionAnswer:
        """The answer, with what it is about. date_sent: by default, that of the copy."""
        copy = self.own.copy
        run = self.runs[line.dispatch_id] if line else None
        if line and line.status is LineStatus.LEFT and line.left_reason is not LeftReason.CHANGED:
            run, left_run = None, run
        return SubscriptionAnswer(
            subscription_id=self.own.id,
            code=code,
            sentence=sentence,
            copy_id=copy.id if copy else None,
            copy_status=copy.status if copy else None,
            date_sent=date_sent or (copy.date_sent if copy else None),
            run=_run_ref(run) if run else None,
            left_run=_run_ref(left_run) if left_run else None,
            address=self.address(line) if line else None,
            key=key_of(self.facts.account_id, line.id) if line else None,
            claim_id=claim.id if claim else None,
            delivery_report_id=report.id if report else None,
            invoice_id=invoice_id,
        )

    def fill(self, text: str, **words: object) -> str:
        """A sentence with its words. Its {name} is the recipient, its {issue} the number."""
        return text.format(name=self.name, issue=self.facts.issue.number, **words)

    def address(self, line: DispatchLine) -> str:
        """The frozen address of a line."""
        return address_text(line, self.runs[line.dispatch_id].layout)

    def current_address(self) -> str:
        """The present address of the subscription for the issue."""
        return address_text(self.own, build_layout([self.own.country], self.facts.home))

    def subscription_hold(self) -> Hold | None:
        """The hold of the subscription; of several, the first one because of an invoice."""
        found = [each for each in self.own.holds if each.is_open]
        return next((each for each in found if each.invoice_id), found[0] if found else None)

    def address_report(self) -> WhyReport | None:
        """The open report because of which the address is on hold."""
        return next((each for each in self.own.reports if each.is_hold), None)

    def report_in_words(self, report: WhyReport) -> str:
        """Since when copies to the address wait, and why."""
        reason = f" ({report.reason})" if report.reason else ""
        return f"{self.day(report.day)}{reason}"

    def last_run(self, wanted: Callable[[Dispatch], bool]) -> Dispatch | None:
        """The last live run of the issue that is wanted."""
        found = (each for each in reversed(self.facts.runs) if each.is_live and wanted(each))
        return next(found, None)

    def line(self, status: LineStatus, reason: LeftReason | None = None) -> DispatchLine | None:
        """The newest line of the copy itself with this status."""
        found = (
            each
            for each in reversed(self.own.lines)
            if not each.claim_id and each.status is status and each.left_reason is reason
        )
        return next(found, None)

    def line_in_run(self, copy: WhyCopy) -> DispatchLine | None:
        """The line of the copy in its run."""
        found = (
            each
            for each in self.own.lines
            if not each.claim_id and each.dispatch_id == copy.dispatch_id
        )
        return next(found, None)

    def run_of(self, line: DispatchLine, sent_on: date | None) -> str:
        """The run of a line with the day on which it was sent."""
        run = self.runs[line.dispatch_id]
        if not sent_on:
            return _("mailing {number}, without a date").format(number=run.number)
        return _("mailing {number} of {date}").format(number=run.number, date=self.day(sent_on))


def _run_ref(run: Dispatch) -> DispatchRef:
    is_marked = run.status is DispatchStatus.MARKED
    return DispatchRef(
        id=run.id,
        number=run.number,
        status=run.status,
        date_frozen=run.created_at.date(),
        date_sent=run.date_sent if is_marked else None,
    )
