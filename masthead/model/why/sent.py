"""What became of a copy that was sent."""

from masthead.model.claims.claims import ClaimStatus
from masthead.model.dispatch.runs import DispatchLine, LeftReason, LineStatus
from masthead.model.why.answers import SubscriptionAnswer, WhyCode
from masthead.model.why.case import Case
from masthead.model.why.facts import WhyClaim, WhyCopy, WhyReport
from masthead.model.why.words import dated


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
            f"{case.issue.capitalize()} was sent to {case.name}: "
            f"{case.run_of(line, copy.date_sent)}, "
            f"to {case.place(line)}.",
            line=line,
        )
    left = case.line(LineStatus.LEFT, LeftReason.MARKED)
    begin = f"{case.issue.capitalize()} was sent to {case.name}: it was marked as sent"
    begin += dated(copy.date_sent, case.day)
    if left:
        return case.say(
            WhyCode.SENT_OUTSIDE_RUN,
            f"{begin}, not with its run. It was in run {case.runs[left.dispatch_id].number} then, "
            f"to {case.place(left)}.",
            line=left,
        )
    return case.say(
        WhyCode.SENT_OUTSIDE_RUN,
        f"{begin}, outside any run, so the address of that day is not recorded. The address now "
        f"is {case.place_now()}.",
    )


def _claimed(case: Case, claim: WhyClaim) -> SubscriptionAnswer:
    begin = (
        f"{case.name} claimed {case.issue} on {case.day(claim.created_at.date())} "
        f"({claim.reason.label.lower()})."
    )
    line = next((each for each in reversed(case.own.lines) if each.claim_id == claim.id), None)
    if claim.status is ClaimStatus.SENT and line:
        return case.say(
            WhyCode.REPLACED,
            f"{begin} A replacement was sent: {case.run_of(line, claim.date_sent)}, "
            f"to {case.place(line)}.",
            line=line,
            date_sent=claim.date_sent,
            claim=claim,
        )
    if claim.status is ClaimStatus.HELD and line:
        run = case.runs[line.dispatch_id]
        return case.say(
            WhyCode.REPLACEMENT_FROZEN,
            f"{begin} The replacement is in run {run.number}, frozen on "
            f"{case.day(run.created_at.date())}, to {case.place(line)}. It is not marked as "
            "sent yet.",
            line=line,
            claim=claim,
        )
    if claim.status is ClaimStatus.OPEN:
        hold = case.hold()
        wait = f"waits, {case.hold_in_words(hold)}" if hold else "is in the next run"
        return case.say(
            WhyCode.REPLACEMENT_WAITING,
            f"{begin} The replacement {wait}.",
            claim=claim,
            report=hold,
        )
    return case.say(WhyCode.CLAIMED, f"{begin} No replacement was wanted.", claim=claim)


def _reported(case: Case, copy: WhyCopy, report: WhyReport) -> SubscriptionAnswer:
    line = next((each for each in case.own.lines if each.id == report.line_id), None)
    line = line or _line_of_sent(case, copy)
    went = f"{case.issue.capitalize()} was sent to {case.name}"
    if line:
        went += f": {case.run_of(line, copy.date_sent)}, to {case.place(line)}"
    else:
        went += dated(copy.date_sent, case.day)
    reason = f": {report.reason}" if report.reason else ""
    if report.kind == "undeliverable":
        code, end = WhyCode.RETURNED, f"It came back: the report of {case.day(report.day)} "
        end += f"says undeliverable{reason}."
    else:
        code, end = WhyCode.MOVED, f"The report of {case.day(report.day)} says that the "
        end += f"reader has moved{reason}."
        if report.status == "accepted":
            end += " The new address is accepted."
    return case.say(code, f"{went}. {end}", line=line, report=report)


def _line_of_sent(case: Case, copy: WhyCopy) -> DispatchLine | None:
    """The line with which a copy was sent; its date may have been changed later."""
    return case.line_in_run(copy) or case.line(LineStatus.LEFT, LeftReason.CHANGED)
