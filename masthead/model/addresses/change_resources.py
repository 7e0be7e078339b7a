"""Changes of addresses as the API takes and shows them."""

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct, structs

from masthead.model.addresses.changes import (
    AddressChange,
    ChangeStatus,
    NewAddress,
    TemporaryAddresses,
)
from masthead.model.errors import Invalid, excerpt
from masthead.model.inputs import Change, Creation, ListQuery
from masthead.model.resources import Moment
from masthead.model.types.fields import CountryCode, Day, IssueNumber, Name, PostalName, PostalText
from masthead.model.types.filters import SubscriberId, SubscriptionId

MAX_SUBSCRIPTIONS = 100


class AddressChangeCreate(Creation, kw_only=True):
    """A change of address of subscriptions of one subscriber: all of them, or none.

    subscriptions: ids of the subscriptions.
    first_issue: number of the first issue that goes to the new address; without it, the address
        changes now.
    last_issue: number of the last one; without it, the address changes for good.
    first_day: instead of `first_issue`: the first issue that comes out on this day or later.
    last_day: instead of `last_issue`: the last one that comes out by this day.
    first_name: without names, those of the subscription stay.
    phone: phone number with country code; without it, that of the subscription stays.
    """

    subscriptions: Annotated[list[Name], Meta(min_length=1, max_length=MAX_SUBSCRIPTIONS)]
    first_issue: IssueNumber | None = None
    last_issue: IssueNumber | None = None
    first_day: Day | None = None
    last_day: Day | None = None
    first_name: PostalText | None = None
    last_name: PostalText | None = None
    company: PostalText | None = None
    address1: PostalName
    address2: PostalText | None = None
    city: PostalText | None = None
    state: PostalText | None = None
    postcode: PostalText | None = None
    country: CountryCode
    phone: PostalText | None = None

    @classmethod
    def list_conflicts(cls, given: Mapping[str, Any], refused: Collection[str]) -> list[Invalid]:
        """The errors of the span, the place and the name; only pages accept a last name alone."""
        known, found = {*given, *refused}, list(_span_conflicts(given, refused))
        if not {"city", "postcode"} & known:
            text = "`city` and `postcode` are both missing; at least one is required."
            found.append(Invalid(text, field="city"))
        if "last_name" in known and not {"first_name", "company"} & known:
            text = (
                "`first_name` and `company` are both missing, but `last_name` is set. Send one of "
                "them, or no name to keep that of the subscription."
            )
            found.append(Invalid(text, field="first_name"))
        return found

    @property
    def address(self) -> NewAddress:
        """The new address."""
        return NewAddress.of(self)


def _span_conflicts(given: Mapping[str, Any], refused: Collection[str]) -> Iterator[Invalid]:
    """The errors of the first and the last issue or day of a change."""
    known = {*given, *refused}
    if {"first_day", "last_day"} & known and {"first_issue", "last_issue"} & known:
        text = (
            "`first_day` and `last_day` cannot be used with `first_issue` or `last_issue`. Send "
            "days or issues, not both."
        )
        yield Invalid(text, field="first_day", value=given.get("first_day", ""))
        return
    for first, last in (("first_issue", "last_issue"), ("first_day", "last_day")):
        if last in known and first not in known:
            text = f"`{first}` is missing; with `{last}`, it is required."
            yield Invalid(text, field=first)
        elif {first, last} <= given.keys() and given[last] < given[first]:
            text = f"`{last}` is {given[last]}, before `{first}`, which is {given[first]}."
            yield Invalid(text, field=last, value=given[last])


class AddressChangeCancel(Change, kw_only=True):
    """What else ends; the body can be left out.

    temporary_addresses: required if an address for some issues is planned within this change for
        good. `keep` sends its issues there, and all others to the present address; `cancel` cancels
        it, too.
    """

    temporary_addresses: TemporaryAddresses | None = None


class AddressChangeQuery(ListQuery, kw_only=True, frozen=True):
    """Filters of the planned addresses."""

    subscriber: SubscriberId | None = None
    subscription: SubscriptionId | None = None


class PlannedAddress(Struct, frozen=True):
    """An address that issues of a subscription go to.

    first_name, last_name, company: null if those of the subscription stay.
    phone: null if that of the subscription stays.
    """

    first_name: str | None
    last_name: str | None
    company: str | None
    address1: str | None
    address2: str | None
    city: str | None
    state: str | None
    postcode: str | None
    country: str
    phone: str | None


class AddressChangeResource(Struct, frozen=True):
    """A change of the address of a subscription.

    first_issue: number of the first issue that goes to the new address.
    last_issue: number of the last one; null for a change for good. It is the one before
        `first_issue` while no issue comes out in the days of the change.
    status: `planned`, `done` (it was made for good, or its issues are sent) or `cancelled`.
    address: the new address.
    created_at: when it was planned.
    ended_at: when it was done or cancelled; null while it is planned.
    """

    id: str
    subscriber_id: str
    subscription_id: str
    first_issue: int
    last_issue: int | None
    status: ChangeStatus
    address: PlannedAddress
    created_at: Moment
    ended_at: Moment | None

    @classmethod
    def of(cls, change: AddressChange) -> "AddressChangeResource":
        """The shape of a change."""
        return cls(
            id=change.id,
            subscriber_id=change.subscriber_id,
            subscription_id=change.subscription_id,
            first_issue=change.begins,
            last_issue=change.last_issue,
            status=change.status,
            address=PlannedAddress(**structs.asdict(change.address)),
            created_at=change.created_at,
            ended_at=change.ended_at,
        )


class AddressChangeResult(Struct, frozen=True):
    """What a change of address did.

    changed: number of subscriptions that have the new address now.
    items: the changes that are planned, one for each subscription.
    """

    changed: int
    items: list[AddressChangeResource]


def unknown_subscription(id: str) -> Invalid:
    """The error for a subscription that does not exist."""
    return Invalid(
        f"`subscriptions` has `{excerpt(id)}`, which is not a subscription of this account. Use "
        "the `id` of one from `GET /v1/subscriptions/`.",
        code="unknown_subscription",
        field="subscriptions",
        value=id,
    )
