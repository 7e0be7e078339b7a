"""Why a reminder that was written does not go out after all."""

from masthead.model.translations import gettext_noop
from masthead.model.types.enums import LabelledEnum


class ReminderSkip(LabelledEnum):
    """Why a reminder did not go out. Its invoices are as if it had never been written."""

    CHANGED = "changed", gettext_noop("an invoice was paid or changed meanwhile")
    UNWANTED = "unwanted", gettext_noop("reminders were stopped, or another day was agreed")
    STOPPED = "stopped", gettext_noop("stopped before it went out")
