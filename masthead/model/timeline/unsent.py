"""Why a copy is not sent yet."""

from collections.abc import Callable

from masthead.model.dispatch.runs import LeftReason, LineStatus
from masthead.model.timeline.answers import SubscriptionAnswer
from masthead.model.timeline.case import Case
from masthead.model.timeline.codes import WhyCode
from masthead.model.timeline.facts import WhyCopy
from masthead.model.timeline.words import selection_in_words, selects
from masthead.model.translations import gettext as _


def explain_unsent(case: Case, copy: WhyCopy, code: WhyCode) -> SubscriptionAnswer:
    """The first reason that applies. code: by default, whether the issue is out."""
    for rule in _RULES:
        if answer := rule(case, copy):
            return answer
    text = _("Not yet: issue {issue} for {name} is in no mailing yet. It is in the next one.")
    released = ""
    if code is WhyCode.NOT_OUT and case.facts.issue.released:
        text = _(
            "Not yet: issue {issue} is not out. It is released on {date}. Then {name} gets it."
        )
        released = case.day(case.facts.issue.released)
    elif code is WhyCode.NOT_OUT:
        text = _("Not yet: issue {issue} is not out. Then {name} gets it.")
    return case.say(code, case.fill(text, date=released))


def _frozen(case: Case, copy: WhyCopy) -> SubscriptionAnswer | None:
    line = case.line_in_run(copy)
    if line is None:
        return None
    run = case.runs[line.dispatch_id]
    sentence = case.fill(
        _(
            "Not yet: issue {issue} for {name} is in mailing {number}, prepared on {date}, to "
            "{address}. The mailing is not marked as sent yet."
        ),
        number=run.number,
        date=case.day(run.created_at),
        address=case.address(line),
    )
    if run.undone_at:
        undone = _("The marking as sent was undone on {date}.")
        sentence = f"{sentence} {undone.format(date=case.day(run.undone_at))}"
    return case.say(WhyCode.FROZEN, sentence, line=line)


def _held(case: Case, copy: WhyCopy) -> SubscriptionAnswer | None:
    hold = case.subscription_hold()
    if hold is None:
        return None
    text = _(
        "Not yet: issue {issue} for {name} waits, because a user has held the subscription "
        "since {since} ({reason}). It goes with the next mailing after the release."
    )
    if hold.invoice_number:
        text = _(
            "Not yet: issue {issue} for {name} has waited since {since}, because invoice "
            "{invoice} is not paid. It goes with the next mailing after the payment."
        )
    return case.say(
        WhyCode.HELD,
        case.fill(
            text, since=case.day(hold.created_at), reason=hold.reason, invoice=hold.invoice_number
        ),
        invoice_id=hold.invoice_id,
    )


def _on_hold(case: Case, copy: WhyCopy) -> SubscriptionAnswer | None:
    report = case.address_report()
    if report is None:
        return None
    return case.say(
        WhyCode.ADDRESS_ON_HOLD,
        case.fill(
            _(
                "Not yet: issue {issue} for {name} waits, because its address has been on hold "
                "since {since}. Ask for the correct address. The one that is entered is {address}."
            ),
            since=case.report_in_words(report),
            address=case.current_address(),
        ),
        report=report,
    )


def _late_order(case: Case, copy: WhyCopy) -> SubscriptionAnswer | None:
    run = case.last_run(lambda each: selects(each.selection, case.own, copy.country))
    if run is None:
        return None
    created_at = case.facts.issue.created_at
    assert created_at is not None
    frozen = case.day(run.created_at)
    if any(report.held_at(run.created_at) for report in case.own.reports):
        return case.say(
            WhyCode.WAITING,
            case.fill(
                _(
                    "Not yet: when mailing {number} of issue {issue} was prepared on {date}, the "
                    "address of {name} was on hold. The copy is in the next mailing."
                ),
                number=run.number,
                date=frozen,
            ),
        )
    if any(each.held_at(run.created_at) for each in case.own.holds):
        return case.say(
            WhyCode.WAITING,
            case.fill(
                _(
                    "Not yet: when mailing {number} of issue {issue} was prepared on {date}, the "
                    "subscription of {name} was held. The copy is in the next mailing."
                ),
                number=run.number,
                date=frozen,
            ),
        )
    text = _(
        "Not yet: issue {issue} for {name} was added or changed after mailing {number} was "
        "prepared on {date}. It is in the next mailing."
    )
    if max(copy.ordered_at, created_at) > run.created_at:
        text = _(
            "Not yet: issue {issue} for {name} was added after mailing {number} was prepared on "
            "{date}. It is in the next mailing."
        )
    return case.say(WhyCode.LATE_ORDER, case.fill(text, number=run.number, date=frozen))


def _excluded(case: Case, copy: WhyCopy) -> SubscriptionAnswer | None:
    run = case.last_run(lambda each: not each.selection.only_replacements)
    if run is None:
        return None
    return case.say(
        WhyCode.EXCLUDED_BY_FILTER,
        case.fill(
            _(
                "Not yet: mailing {number} of issue {issue} took only {selection}, so it left out "
                "{name}. The copy waits for another mailing."
            ),
            number=run.number,
            selection=selection_in_words(run.selection, case.own, copy.country),
        ),
    )


def _discarded(case: Case, copy: WhyCopy) -> SubscriptionAnswer | None:
    line = case.line(LineStatus.LEFT, LeftReason.DISCARDED)
    if line is None:
        return None
    run = case.runs[line.dispatch_id]
    assert run.discarded_at is not None
    later = case.last_run(lambda each: not each.selection.only_replacements)
    if later is not None and later.created_at > run.discarded_at:
        return None
    return case.say(
        WhyCode.RUN_DISCARDED,
        case.fill(
            _(
                "Not yet: issue {issue} for {name} was in mailing {number}, which was discarded on "
                "{date}. It is in the next mailing."
            ),
            number=run.number,
            date=case.day(run.discarded_at),
        ),
        left_run=run,
    )


_RULES: tuple[Callable[[Case, WhyCopy], SubscriptionAnswer | None], ...] = (
    _frozen,
    _held,
    _on_hold,
    _discarded,
    _late_order,
    _excluded,
)
