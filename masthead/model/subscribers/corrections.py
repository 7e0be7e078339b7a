"""Corrections of the name and the email address of a subscriber."""

from msgspec import UNSET, UnsetType

from masthead.model import advice
from masthead.model.inputs import Change
from masthead.model.types.fields import EmailText, Text

NAMES = ("first_name", "last_name", "company")
CORRECTABLE = (*NAMES, "email")

EMAIL_TAKEN = (
    "email_taken"  # the code if the email belongs to another subscriber, whose id is `value`
)
MERGED_MEANWHILE = (
    "merged_meanwhile"  # the code if the subscriber was merged; `value`: into which one
)


class SubscriberCorrection(Change, kw_only=True):
    """The fields of a subscriber to change; null clears a field.

    email: without one, the subscriber gets a placeholder address, which receives no emails.
    """

    first_name: Text | None | UnsetType = UNSET
    last_name: Text | None | UnsetType = UNSET
    company: Text | None | UnsetType = UNSET
    email: EmailText | None | UnsetType = UNSET


class SubscriberUpdate(SubscriberCorrection, kw_only=True):
    """The fields of a subscriber to change; null clears a field.

    first_name, company: one of the names, the company or the email address must remain.
    company: name of the company; it is shown as `full_name` if there are no names.
    email: without one, the subscriber gets a placeholder address, which receives no emails.
    with_subscriptions: whether the subscriptions that have the old name get the new one too; by
        default, they do not.
    """

    elsewhere = advice.SUBSCRIBER
    noun = "subscriber"

    with_subscriptions: bool | UnsetType = UNSET


def placeholder_address(id: str, domain: str) -> str:
    """The placeholder email address of a subscriber. domain: of all placeholders."""
    return f"subscriber-{id.lower()}@{domain}"
