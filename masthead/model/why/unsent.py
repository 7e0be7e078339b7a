"""Why a copy is not sent yet."""

from collections.abc import Callable

from masthead.model.dispatch.runs import LeftReason, LineStatus
from masthead.model.why.answers import SubscriptionAnswer, WhyCode
from masthead.model.why.case import Case
from masthead.model.why.facts import WhyCopy
from masthead.model.why.words import selection_in_words, selects


def explain_unsent(case: Case, copy: WhyCopy) -> SubscriptionAnswer:
    """The first reason that applies."""
    for rule in _RULES:
        if answer := rule(case, copy):
            return answer
    return case.say(
        WhyCode.WAITING,
        f"Not yet: {case.issue} for {case.name} is in no run yet. It is in the next one.",
    )


def _frozen(case: Case, copy: WhyCopy) -> SubscriptionAnswer | None:
    line = case.line_in_run(copy)
    if line is None:
        return None
    run = case.runs[line.dispatch_id]
    undone = ""
    if run.undone_at:
        undone = f" The marking as sent was undone on {case.day(run.undone_at.date())}."
    return case.say(
        WhyCode.FROZEN,
        f"Not yet: {case.issue} for {case.name} is in run {run.number}, frozen on "
        f"{case.day(run.created_at.date())}, to {case.place(line)}. The run is not marked as "
        f"sent yet.{undone}",
        line=line,
    )


def _on_hold(case: Case, copy: WhyCopy) -> SubscriptionAnswer | None:
    hold = case.hold()
    if hold is None:
        return None
    return case.say(
        WhyCode.ADDRESS_ON_HOLD,
        f"Not yet: {case.issue} for {case.name} waits, {case.hold_in_words(hold)}. Ask for "
        f"the correct address. It is now {case.place_now()}.",
        report=hold,
    )


def _late_order(case: Case, copy: WhyCopy) -> SubscriptionAnswer | None:
    run = case.last_run(lambda each: selects(each.selection, case.own, copy.country))
    if run is None:
        return None
    assert case.facts.issue is not None
    frozen = case.day(run.created_at.date())
    if any(report.held_at(run.created_at) for report in case.own.reports):
        return case.say(
            WhyCode.WAITING,
            f"Not yet: when run {run.number} of {case.issue} was frozen on {frozen}, the "
            f"address of {case.name} was on hold. The copy is in the next run.",
        )
    what = "was added or changed"
    if max(copy.ordered_at, case.facts.issue.created_at) > run.created_at:
        what = "was added"
    return case.say(
        WhyCode.LATE_ORDER,
        f"Not yet: {case.issue} for {case.name} {what} after run {run.number} was frozen on "
        f"{frozen}. It is in the next run.",
    )


def _excluded(case: Case, copy: WhyCopy) -> SubscriptionAnswer | None:
    run = case.last_run(lambda each: not each.selection.only_replacements)
    if run is None:
        return None
    return case.say(
        WhyCode.EXCLUDED_BY_FILTER,
        f"Not yet: run {run.number} of {case.issue} took only "
        f"{selection_in_words(run.selection, case.own, copy.country)}, so it left out "
        f"{case.name}. The copy waits for another run.",
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
        f"Not yet: {case.issue} for {case.name} was in run {run.number}, which was discarded "
        f"on {case.day(run.discarded_at.date())}. It is in the next run.",
        left_run=run,
    )


def _not_out(case: Case, copy: WhyCopy) -> SubscriptionAnswer | None:
    issue = case.facts.issue
    if issue is None or issue.is_out:
        return None
    due = ""
    if issue.release_date:
        due = f" It is released on {case.day(issue.release_date)}."
    return case.say(
        WhyCode.NOT_OUT, f"Not yet: {case.issue} is not out.{due} {case.name} has a copy of it."
    )


_RULES: tuple[Callable[[Case, WhyCopy], SubscriptionAnswer | None], ...] = (
    _frozen,
    _on_hold,
    _discarded,
    _late_order,
    _excluded,
    _not_out,
)
