"""What became of a copy that was sent."""

from masthead.model.claims.rules import ClaimStatus
from masthead.model.dispatch.runs import DispatchLine, LeftReason, LineStatus
from masthead.model.timeline.answers import SubscriptionAnswer
from masthead.model.timeline.case import Case
from masthead.model.timeline.codes import WhyCode
from masthead.model.timeline.facts import WhyClaim, WhyCopy, WhyGrace, WhyReport
from masthead.model.timeline.words import dated
from masthead.model.translations import gettext as _


def explain_sent(case: Case, copy: WhyCopy) -> SubscriptionAnswer:
    """The run, address and day; or the newest claim or delivery report about the copy."""
    reports = [each for each in case.own.reports if each.copy_id == copy.id]
    claim = case.own.claims[-1] if case.own.claims else None
    report = reports[-1] if reports else None
    if claim and not (report and report.created_at > claim.created_at):
        return _claimed(case, claim)
    if report:
        return _reported(case, copy, report)
    if line := _line_of_sent(case, copy):
        return case.say(
            WhyCode.SENT,
            case.fill(
                _("Issue {issue} was sent to {name}: {run}, to {address}."),
                run=case.run_of(line, copy.date_sent),
                address=case.address(line),
            ),
            line=line,
        )
    left = case.line(LineStatus.LEFT, LeftReason.MARKED)
    text = _("Issue {issue} was sent to {name}: it was marked as sent {dated}")
    begin = case.fill(text, dated=dated(copy.date_sent, case.day))
    if left:
        rest = _("not with its mailing. It was in mailing {number} then, to {address}.")
        rest = rest.format(number=case.runs[left.dispatch_id].number, address=case.address(left))
        return case.say(WhyCode.SENT_OUTSIDE_RUN, f"{begin}, {rest}", line=left)
    rest = _(
        "outside any mailing, so the address of that day is not recorded. The address now is "
        "{address}."
    ).format(address=case.current_address())
    return case.say(WhyCode.SENT_OUTSIDE_RUN, f"{begin}, {rest}")


def _claimed(case: Case, claim: WhyClaim) -> SubscriptionAnswer:
    begin = case.fill(
        _("{name} claimed issue {issue} on {date} ({reason})."),
        date=case.day(claim.created_at),
        reason=claim.reason.words.lower(),
    )
    line = next((each for each in reversed(case.own.lines) if each.claim_id == claim.id), None)
    if claim.status is ClaimStatus.SENT and line:
        return case.say(
            WhyCode.REPLACED,
            f"{begin} "
            + _("A replacement was sent: {run}, to {address}.").format(
                run=case.run_of(line, claim.date_sent), address=case.address(line)
            ),
            line=line,
            date_sent=claim.date_sent,
            claim=claim,
        )
    if claim.status is ClaimStatus.IN_RUN and line:
        run = case.runs[line.dispatch_id]
        return case.say(
            WhyCode.REPLACEMENT_FROZEN,
            f"{begin} "
            + _(
                "The replacement is in mailing {number}, prepared on {date}, to {address}. It is "
                "not marked as sent yet."
            ).format(number=run.number, date=case.day(run.created_at), address=case.address(line)),
            line=line,
            claim=claim,
        )
    if claim.status is ClaimStatus.OPEN:
        report, hold = case.address_report(), case.subscription_hold()
        wait = _("The replacement is in the next mailing.")
        if hold:
            wait = _("The replacement waits, because the subscription is held.")
        elif report:
            wait = _("The replacement waits, because its address has been on hold since {since}.")
            wait = wait.format(since=case.report_in_words(report))
        return case.say(
            WhyCode.REPLACEMENT_WAITING,
            f"{begin} {wait}",
            claim=claim,
            report=report,
            invoice_id=hold.invoice_id if hold else None,
        )
    return case.say(WhyCode.CLAIMED, f"{begin} {_('No replacement was wanted.')}", claim=claim)


def _reported(case: Case, copy: WhyCopy, report: WhyReport) -> SubscriptionAnswer:
    line = next((each for each in case.own.lines if each.id == report.line_id), None)
    line = line or _line_of_sent(case, copy)
    if line:
        text = _("Issue {issue} was sent to {name}: {run}, to {address}.")
        run, address = case.run_of(line, copy.date_sent), case.address(line)
        went = case.fill(text, run=run, address=address)
    else:
        text = _("Issue {issue} was sent to {name} {dated}.")
        went = case.fill(text, dated=dated(copy.date_sent, case.day))
    reason = f": {report.reason}" if report.reason else ""
    if report.kind == "undeliverable":
        code = WhyCode.RETURNED
        end = _("It came back: the report of {date} says undeliverable{reason}.")
    else:
        code = WhyCode.MOVED
        end = _("The report of {date} says that the subscriber has moved{reason}.")
        if report.status == "accepted":
            end += " " + _("The new address is accepted.")
    end = end.format(date=case.day(report.day), reason=reason)
    return case.say(code, f"{went} {end}", line=line, report=report)


def explain_grace(case: Case, grace: WhyGrace) -> SubscriptionAnswer:
    """The issue came after the last paid one, as a grace copy; or it waits in a run."""
    line = grace.line
    words = {"last": case.own.last_issue, "address": case.address(line)}
    if line.status is LineStatus.SENT:
        text = _(
            "Issue {issue} was sent to {name} as a grace copy, after the last paid issue, {last}: "
            "{run}, to {address}."
        )
        sentence = case.fill(text, run=case.run_of(line, grace.date_sent), **words)
        return case.say(WhyCode.GRACE_COPY, sentence, line=line, date_sent=grace.date_sent)
    run = case.runs[line.dispatch_id]
    text = _(
        "Not yet: issue {issue} for {name} is a grace copy after the last paid issue, {last}. It "
        "is in mailing {number}, prepared on {date}, to {address}. The mailing is not marked as "
        "sent yet."
    )
    sentence = case.fill(text, number=run.number, date=case.day(run.created_at), **words)
    return case.say(WhyCode.GRACE_COPY, sentence, line=line)


def _line_of_sent(case: Case, copy: WhyCopy) -> DispatchLine | None:
    """The line with which a copy was sent; its date may have been changed later."""
    return case.line_in_run(copy) or case.line(LineStatus.LEFT, LeftReason.CHANGED)
