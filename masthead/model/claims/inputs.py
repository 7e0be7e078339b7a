"""The input of claims, and of the question why a subscriber did not get an issue."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any

from msgspec import Meta

from masthead.model import advice
from masthead.model.claims.rules import ClaimReason, ClaimStatus
from masthead.model.errors import Invalid
from masthead.model.inputs import Creation, ListQuery, Query
from masthead.model.types.fields import Notes, Text
from masthead.model.types.filters import (
    Country,
    IssueId,
    SubscriberId,
    SubscriberIdOrEmail,
    SubscriptionId,
)

MAX_COPY = 2**53 - 1
CopyId = Annotated[int, Meta(ge=1, le=MAX_COPY, description="id of the copy")]


def copy_or_key() -> Invalid:
    """The error of a claim that names no copy, or one in two ways."""
    return Invalid(
        "Send either `copy`, the id of a copy, or `key`, the key printed on its label.",
        field="copy",
    )


class ClaimCreate(Creation, kw_only=True):
    """A claim, for a copy that was sent.

    copy: id of the copy; leave it out if you send `key`.
    key: the key printed on the label of the copy or of its replacement, in place of `copy`.
    notes: internal notes; subscribers do not see them.
    replacement: whether the subscriber gets a replacement; by default, yes.
    """

    elsewhere = advice.CLAIM
    noun = "claim"

    copy: CopyId | None = None
    key: Text | None = None
    reason: ClaimReason
    notes: Notes | None = None
    replacement: bool | None = None

    @classmethod
    def list_conflicts(cls, given: Mapping[str, Any], refused: Collection[str]) -> list[Invalid]:
        """The error of a claim that names no copy, or one in two ways."""
        return [] if len({"copy", "key"} & {*given, *refused}) == 1 else [copy_or_key()]


class ClaimQuery(ListQuery, kw_only=True, frozen=True):
    """Filters of the claims."""

    status: Annotated[ClaimStatus, Meta(description="status of the claims")] | None = None
    reason: Annotated[ClaimReason, Meta(description="reason of the claims")] | None = None
    issue: IssueId | None = None
    subscriber: SubscriberId | None = None
    subscription: SubscriptionId | None = None
    country: Country | None = None
    copy: CopyId | None = None


class WhyQuery(Query, kw_only=True, frozen=True):
    """The subscriber in question."""

    subscriber: SubscriberIdOrEmail
