"""What the audit log is asked, and its words for what was done."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any

from msgspec import Meta, Struct

from masthead.model.inputs import ListQuery
from masthead.model.types.fields import Day, Text

DATES = frozenset(
    "order_date period_start period_end date_sent release_date_actual date_as_start_issue"
    " recurring_charge_date daily_date".split()
)


class Entry(Struct, frozen=True):
    """One change. before, after: the fields that changed, None where there was or is nothing."""

    action: str
    subject_type: str
    subject_id: str | int
    before: Mapping[str, object] | None
    after: Mapping[str, object] | None


# What was done, by the name that it has in the trail
DEEDS = {
    "account.activate": "Account activated",
    "account.confirm_clock": "Clock confirmed",
    "account.create": "Account made",
    "account.deactivate": "Account deactivated",
    "account.download": "Renewal list downloaded",
    "account.letter": "Welcome letter changed",
    "account.redo_daily_pass": "Daily pass repeated",
    "account.test_letter": "Test letter sent",
    "account.update": "Account changed",
    "copy.mark_sent": "Copy marked as sent",
    "issue.create": "Issue created",
    "issue.download": "Addresses downloaded",
    "issue.update": "Issue changed",
    "key.create": "API key made",
    "key.revoke": "API key revoked",
    "key.roll": "API key rolled",
    "letter.retry": "Letter tried again",
    "product.activate": "Product activated",
    "product.create": "Product added",
    "product.deactivate": "Product deactivated",
    "product.update": "Product changed",
    "source.activate": "Source activated",
    "source.create": "Source added",
    "source.deactivate": "Source deactivated",
    "source.rename": "Source renamed",
    "subscription.cancel": "Subscription cancelled",
    "subscription.create": "Subscription added",
    "subscription.renew": "Subscription renewed",
    "subscription.reopen": "Status reverted",
    "subscription.settle": "Status moved on",
    "subscription.stop_renewals": "Renewals stopped",
    "subscription.update": "Subscription changed",
    "user.accept_invitation": "Invitation accepted",
    "user.add": "User added",
    "user.add_app": "Authenticator app added",
    "user.add_passkey": "Passkey added",
    "user.attack": "Many failed sign-ins",
    "user.change_role": "Role changed",
    "user.fail_second_step": "Second step of sign-in failed",
    "user.invite": "User invited",
    "user.make_recovery_codes": "Recovery codes made",
    "user.remove": "User removed",
    "user.remove_app": "Authenticator app removed",
    "user.remove_passkey": "Passkey removed",
    "user.rename_passkey": "Passkey renamed",
    "user.reset": "Link for a new password made",
    "user.reset_factors": "Two-step sign-in reset",
    "user.set_password": "Password set",
    "user.sign_in": "Signed in",
    "user.sign_out": "Signed out",
    "user.sign_out_everywhere": "Signed out everywhere",
    "user.use_recovery_code": "Recovery code used",
}


def deed(action: str) -> str:
    """What was done, in words."""
    return DEEDS.get(action, action)


class LogAsked(ListQuery, kw_only=True, frozen=True):
    """Which entries of the log. since, until: days (UTC), both included."""

    who: Annotated[Text, Meta(description="person, key or command")] | None = None
    action: Annotated[Text, Meta(description="what was done")] | None = None
    kind: Annotated[Text, Meta(description="kind of the record")] | None = None
    record: Annotated[Text, Meta(description="id of the record")] | None = None
    since: Annotated[Day, Meta(description="first day")] | None = None
    until: Annotated[Day, Meta(description="last day")] | None = None


def start_of(day: date) -> datetime:
    """The moment at which a day begins."""
    return datetime.combine(day, time(), UTC)


def end_of(day: date) -> datetime:
    """The moment at which the next one begins; of the calendar's last day, its last."""
    if day == date.max:
        return datetime.max.replace(tzinfo=UTC)
    return start_of(day + timedelta(days=1))


Value = str | date | datetime

FIELDS = {
    "is_new_browser": "new browser",
    "requires_second_factor": "requires two-step sign-in",
}


def differences(
    before: dict[str, Any] | None, after: dict[str, Any] | None
) -> list[tuple[str, Value, Value]]:
    """The fields that an entry tells of, each with what was there and what is there now."""
    old, new = before or {}, after or {}
    return [
        (
            FIELDS.get(name, name.replace("_", " ")),
            _value(name, old.get(name)),
            _value(name, new.get(name)),
        )
        for name in old | new
    ]


def _value(name: str, value: object) -> Value:
    """A value of the trail as it is to be shown; no text for none. name: of its field."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case list():
            return "; ".join(map(str, value))
        case str() if name.endswith("_at"):
            return datetime.fromisoformat(value)
        case str() if name in DATES:
            return date.fromisoformat(value)
    return str(value)
