"""Runs and previews as the commands print them."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import structs

from masthead.model.dispatch.preview import DispatchPreview, ProblemLine
from masthead.model.dispatch.run_resources import DispatchRun
from masthead.model.dispatch.runs import DispatchStatus


def run_record(run: DispatchRun) -> dict[str, Any]:
    """A run as the commands print it: `issue` is the number of the issue."""
    return {**structs.asdict(run), "issue": run.issue.number}


def preview_record(preview: DispatchPreview) -> dict[str, Any]:
    """A preview as the command prints it, with the same names as a run."""
    selection, not_taken = preview.selection, preview.not_taken
    return {
        "issue": preview.issue.number,
        "number": preview.number,
        "copies": preview.copies,
        "replacements": preview.replacements,
        "grace_copies": preview.grace_copies,
        "lines": preview.lines,
        "postal": preview.postal,
        "digital": preview.digital,
        "countries": selection.countries,
        "media": selection.media,
        "sources": selection.sources,
        "only_replacements": selection.only_replacements,
        "by_group": {each.group: each.lines for each in preview.groups},
        "by_country": {each.country: each.lines for each in preview.countries},
        "by_medium": {each.medium: each.lines for each in preview.media},
        "release_date": preview.release_date,
        "is_released": preview.is_released,
        "not_taken": {
            "in_runs": sum(run.copies for run in not_taken.runs),
            "sent": not_taken.sent,
            "cancelled": not_taken.cancelled,
            "on_hold": not_taken.on_hold,
            "held": not_taken.held,
            "not_selected": not_taken.not_selected,
            "replacements": not_taken.replacements,
        },
    }


def list_problems(preview: DispatchPreview) -> list[dict[str, Any]]:
    """What to look at before the run is frozen; `count` is a number of copies or addresses.

    first: the first lines with a problem of their address, by copy; empty for other problems.
    """
    not_taken, changed = preview.not_taken, preview.changed.count
    frozen = [run for run in not_taken.runs if run.status is DispatchStatus.FROZEN]
    waiting = sum(run.copies for run in frozen)
    names = ", ".join(run.id for run in frozen)
    found = [
        (
            "on_hold",
            not_taken.on_hold,
            "copy waits because its address is undeliverable.",
            "copies wait because their address is undeliverable.",
        ),
        (
            "held",
            not_taken.held,
            "copy waits because an invoice is not paid, or a user holds it.",
            "copies wait because invoices are not paid, or a user holds them.",
        ),
        (
            "in_frozen_runs",
            waiting,
            f"copy is already in a frozen run; mark or discard it: {names}.",
            f"copies are already in frozen runs; mark or discard those: {names}.",
        ),
        (
            "changed",
            changed,
            "address changed in the last seven days.",
            "addresses changed in the last seven days.",
        ),
        (
            "moved",
            preview.moved_reports,
            "new address from the carrier is not accepted yet.",
            "new addresses from the carrier are not accepted yet.",
        ),
    ]
    problems = [
        _problem(code, count, f"{count} {one if count == 1 else many}")
        for code, count, one, many in found
        if count
    ]
    problems += [
        _problem(each.kind, each.count, f"{each.label}: {each.count}", each.first)
        for each in preview.problems
    ]
    if not preview.is_released:
        day = f"; its release date is {preview.release_date}" if preview.release_date else ""
        problems.append(_problem("not_released", preview.lines, f"The issue is not out yet{day}."))
    if not preview.lines:
        message = "Nothing is left to send with these choices."
        problems.append(_problem("nothing_to_send", 0, message))
    return problems


def _problem(
    code: str, count: int, message: str, first: Sequence[ProblemLine] = ()
) -> dict[str, Any]:
    lines = [structs.asdict(line) for line in first]
    return {"code": code, "count": count, "message": message, "first": lines}


def as_text(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record with its lists and counts as text."""
    texts = dict(record)
    for name, value in record.items():
        if isinstance(value, dict):
            texts[name] = ", ".join(f"{key} {count}" for key, count in value.items())
        elif isinstance(value, list | tuple):
            texts[name] = ", ".join(value)
    return texts
