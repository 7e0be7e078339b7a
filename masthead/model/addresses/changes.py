"""A change of address: for some issues of a subscription, or for good."""

from collections.abc import Iterable
from datetime import date, datetime
from enum import StrEnum

from msgspec import Struct, structs

from masthead.model.dispatch.address_layout import address_lines, build_layout
from masthead.model.errors import Invalid
from masthead.model.ids import LAST_NUMBER
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Medium
from masthead.model.types.postal_fields import ADDRESS_FIELDS, PostalFields

# Codes of errors that only pages show
OVERLAPS = "address_change_overlaps"
ISSUES_ARE_OVER = "issues_are_over"
SAME_ADDRESS = "same_address"
ALREADY_CANCELLED = "already_cancelled"
ALREADY_DONE = "already_done"
TEMPORARY_PLANNED = "temporary_address_planned"

NAMES = ("first_name", "last_name", "company")


class ChangeStatus(StrEnum):
    """What became of a change.

    planned: it applies to its issues. done: it was made for good, or its issues are sent.
    cancelled: somebody cancelled it; copies that a run holds keep the address.
    """

    PLANNED = "planned"
    DONE = "done"
    CANCELLED = "cancelled"


class TemporaryAddresses(StrEnum):
    """What becomes of an address for some issues when the change for good around it is cancelled.

    keep: its issues go there, and the others to the present address. cancel: it ends, too.
    """

    KEEP = "keep"
    CANCEL = "cancel"


class NewAddress(PostalFields, frozen=True, kw_only=True):
    """The address that a change gives to its issues.

    first_name, last_name, company: all None to keep the name of the subscription.
    phone: None to keep that of the subscription.
    """

    phone: str | None = None

    @property
    def has_name(self) -> bool:
        """Whether the change is of the name, too."""
        return any(getattr(self, name) is not None for name in NAMES)

    def without_known_name(self, row: StoredSubscription) -> "NewAddress":
        """The address, without a name that a subscription has already. row: its columns."""
        if any(getattr(self, name) != getattr(row, name) for name in NAMES):
            return self
        return structs.replace(self, first_name=None, last_name=None, company=None)

    def columns_for(self, row: StoredSubscription) -> dict[str, str | None]:
        """The columns of a subscription that the change would change. row: its columns now."""
        new = {name: getattr(self, name) for name in ADDRESS_FIELDS}
        if self.has_name:
            new |= {name: getattr(self, name) for name in NAMES}
        if self.phone is not None:
            new["phone"] = self.phone
        return {name: to for name, to in new.items() if getattr(row, name) != to}


class AddressChange(Struct, frozen=True, kw_only=True):
    """A change of the address of a subscription.

    group_id: of the changes that were planned together. last_issue: None for a change for good.
    move_first_issue: the first issue of the whole change for good, if an address for some issues
    divides it (`splits.py`); otherwise None. first_day, last_day: if it was planned for days; then
    its issues are those that come out in them, even if their release dates change. While none comes
    out in them, last_issue is the one before first_issue.
    """

    id: str
    group_id: str
    subscriber_id: str
    subscription_id: str
    first_issue: int
    last_issue: int | None
    address: NewAddress
    status: ChangeStatus
    created_at: datetime
    actor_kind: str
    actor_id: str
    ended_at: datetime | None
    move_first_issue: int | None = None
    first_day: date | None = None
    last_day: date | None = None

    @property
    def begins(self) -> int:
        """The first issue of the whole change."""
        return self.first_issue if self.move_first_issue is None else self.move_first_issue

    @property
    def is_part(self) -> bool:
        """Whether it is a part of a change for good, and not the one that stands for it."""
        return self.move_first_issue is not None and self.last_issue is not None

    @property
    def is_temporary(self) -> bool:
        """Whether it is for some issues, after which the address of before is used again."""
        return self.last_issue is not None and not self.is_part

    @property
    def has_issues(self) -> bool:
        """Whether an issue comes out in its days, if it is for some days."""
        return self.last_issue is None or self.last_issue >= self.first_issue

    @property
    def issues_in_words(self) -> str:
        """The issues of the whole change."""
        return describe_issues(self.begins, self.last_issue)

    def covers(self, number: int) -> bool:
        """Whether an issue goes to the new address, while the change is planned."""
        return self.first_issue <= number <= _last(self.last_issue)

    def overlaps(self, first: int, last: int | None) -> bool:
        """Whether the whole change is about one of these issues. last: None for all that follow."""
        return self.has_issues and self.begins <= _last(last) and first <= _last(self.last_issue)


def _last(number: int | None) -> int:
    return LAST_NUMBER if number is None else number


def find_change(changes: Iterable[AddressChange], number: int) -> AddressChange | None:
    """The planned change that an issue follows; one for some issues goes before one for good."""
    planned = sorted(
        (each for each in changes if each.status is ChangeStatus.PLANNED),
        key=lambda each: not each.is_temporary,
    )
    return next((each for each in planned if each.covers(number)), None)


def can_reach(row: StoredSubscription, first: int, last: int | None) -> bool:
    """Whether a subscription can get one of these issues. last: None for all that follow."""
    ends = LAST_NUMBER if row.has_no_end else _last(row.last_issue)
    return first <= ends and (row.start_issue or 1) <= _last(last)


def one_line(address: PostalFields) -> str:
    """An address in one line as its country writes it, without the name and the country."""
    unnamed = PostalFields(**{name: getattr(address, name) for name in ADDRESS_FIELDS})
    layout = build_layout([address.country], address.country)
    rules = structs.replace(layout.countries[address.country], upper="")  # without capitals
    layout = structs.replace(layout, countries={address.country: rules})
    return ", ".join(address_lines(unnamed, layout))


def describe_issues(first: int, last: int | None) -> str:
    """The issues of a change in words."""
    if last is None:
        return _("from issue {first} on").format(first=first)
    if last < first:
        return _("no issue comes out in these days")
    if first == last:
        return _("only issue {first}").format(first=first)
    return _("issues {first} to {last}").format(first=first, last=last)


def require_issues(first: int | None, last: int | None) -> None:
    """Raises: Invalid unless a change can be for these issues. first: None for a change now."""
    if first is None and last is not None:
        raise Invalid(_("Type the first issue that goes to the new address."), field="first_issue")
    if first is not None and last is not None and last < first:
        raise Invalid(
            _("The last issue is {last}, before the first one, {first}.").format(
                last=last, first=first
            ),
            field="last_issue",
            value=last,
        )


def require_place(address: NewAddress, rows: Iterable[StoredSubscription]) -> None:
    """Raises: Invalid unless a postman can use the address, or all subscriptions are digital."""
    if all(row.medium == Medium.DIGITAL for row in rows):
        return
    if not address.address1:
        raise Invalid(_("Type the street or the PO box of the new address."), field="address1")
    if not (address.city or address.postcode):
        raise Invalid(_("Type the town or the postcode of the new address."), field="city")
