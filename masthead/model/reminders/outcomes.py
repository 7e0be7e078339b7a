"""Why a reminder that was written does not go out after all."""

from enum import StrEnum

from masthead.model.translations import gettext as _


class ReminderSkip(StrEnum):
    """Why a reminder did not go out. Its invoices are as if it had never been written."""

    CHANGED = "changed"
    UNWANTED = "unwanted"
    STOPPED = "stopped"


def describe_skip(reason: ReminderSkip) -> str:
    """Why a reminder did not go out, in words."""
    return {
        ReminderSkip.CHANGED: _("an invoice was paid or changed meanwhile"),
        ReminderSkip.UNWANTED: _("reminders were stopped, or another day was agreed"),
        ReminderSkip.STOPPED: _("stopped before it went out"),
    }[reason]
