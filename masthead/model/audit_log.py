"""The audit log page: its filters, and how it shows the fields that changed."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any

from msgspec import Meta

from masthead.model.inputs import ListQuery
from masthead.model.translations import gettext as _
from masthead.model.translations import gettext_noop
from masthead.model.types.fields import Day, Text

DATES = frozenset(
    "order_date period_start period_end date_sent release_date_actual date_as_start_issue"
    " recurring_charge_date daily_date".split()
)
FIELD_LABELS = {
    "address": gettext_noop("IP address"),
    "browser": gettext_noop("browser"),
    "expires_at": gettext_noop("expires at"),
    "file": gettext_noop("file"),
    "format": gettext_noop("format"),
    "is_active": gettext_noop("active"),
    "is_new_browser": gettext_noop("new browser"),
    "prefix": gettext_noop("starts with"),
    "profile": gettext_noop("export profile"),
    "replacement": gettext_noop("replacement"),
    "replacements": gettext_noop("replacements"),
    "requires_second_factor": gettext_noop("requires two-step sign-in"),
    "role": gettext_noop("role"),
    "scope": gettext_noop("scope"),
    "subject": gettext_noop("subject"),
    "text": gettext_noop("text"),
    "user": gettext_noop("user"),
}

Value = str | date | datetime


class AuditLogQuery(ListQuery, kw_only=True, frozen=True):
    """The filters of the audit log page. since, until: days in UTC, both included."""

    who: Annotated[Text, Meta(description="person, key or command")] | None = None
    action: Annotated[Text, Meta(description="what was done")] | None = None
    kind: Annotated[Text, Meta(description="kind of the record")] | None = None
    record: Annotated[Text, Meta(description="id of the record")] | None = None
    since: Annotated[Day, Meta(description="first day")] | None = None
    until: Annotated[Day, Meta(description="last day")] | None = None


def start_of(day: date) -> datetime:
    """The moment at which a day begins, in UTC."""
    return datetime.combine(day, time(), UTC)


def end_of(day: date) -> datetime:
    """The moment at which the next day begins, or the latest moment if there is no next day."""
    if day == date.max:
        return datetime.max.replace(tzinfo=UTC)
    return start_of(day + timedelta(days=1))


def differences(
    before: dict[str, Any] | None, after: dict[str, Any] | None
) -> list[tuple[str, Value, Value]]:
    """The fields of an audit entry, each with its label, its old value and its new value."""
    old, new = before or {}, after or {}
    return [
        (
            FIELD_LABELS.get(name, name.replace("_", " ")),
            _value(name, old.get(name)),
            _value(name, new.get(name)),
        )
        for name in old | new
    ]


def _value(name: str, value: object) -> Value:
    """The value of a field as the page shows it; an empty text for None."""
    match value:
        case None:
            return ""
        case bool():
            return _("yes") if value else _("no")
        case list():
            return "; ".join(map(str, value))
        case str() if name.endswith("_at"):
            return datetime.fromisoformat(value)
        case str() if name in DATES:
            return date.fromisoformat(value)
    return str(value)
