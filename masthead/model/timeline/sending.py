"""The lines of the history of a subscription about runs that were marked or undone."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from masthead.model.audit_entries import EntryType
from masthead.model.translations import gettext as _


def describe_sending(
    action: str,
    after: Mapping[str, Any],
    *,
    issue: int,
    run: int,
    is_replacement: bool,
    is_grace: bool = False,
    day: Callable[[date], str] = date.isoformat,
) -> str:
    """The line that the history of a subscription shows for a run that was marked or undone.

    after: the fields of the run that changed, with their new values. day: writes a date.
    """
    sent_on = after.get("date_sent")
    if action == EntryType.DISPATCH_UNDO and is_replacement:
        text = _("Replacement of issue {issue} is no longer marked as sent (mailing {run})")
    elif action == EntryType.DISPATCH_UNDO and is_grace:
        text = _("Grace copy of issue {issue} is no longer marked as sent (mailing {run})")
    elif action == EntryType.DISPATCH_UNDO:
        text = _("Copy of issue {issue} is no longer marked as sent (mailing {run})")
    elif is_replacement:
        text = _("Replacement of issue {issue} sent (mailing {run})")
        if sent_on:
            text = _("Replacement of issue {issue} sent on {date} (mailing {run})")
    elif is_grace:
        text = _("Grace copy of issue {issue} sent (mailing {run})")
        if sent_on:
            text = _("Grace copy of issue {issue} sent on {date} (mailing {run})")
    else:
        text = _("Copy of issue {issue} sent (mailing {run})")
        if sent_on:
            text = _("Copy of issue {issue} sent on {date} (mailing {run})")
    written = day(date.fromisoformat(sent_on)) if sent_on else ""
    return text.format(issue=issue, run=run, date=written)
