"""Delivery reports: what the carrier says of a copy, and what became of that."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct, structs

from masthead.model.types.full_names import Named
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.model.types.text import fold


class ReportKind(StrEnum):
    """What the carrier says. A copy of a moved subscriber has a new address; others are on hold."""

    UNDELIVERABLE = "undeliverable"
    MOVED = "moved"


class ReportStatus(StrEnum):
    """What became of a report.

    open: it needs a decision; an undeliverable address is on hold. accepted: the subscription
    has the new address. corrected: its address was changed, so the hold ended. dismissed: somebody
    decided to keep the address. outdated: the subscriber changed the address in the meantime.
    """

    OPEN = "open"
    ACCEPTED = "accepted"
    CORRECTED = "corrected"
    DISMISSED = "dismissed"
    OUTDATED = "outdated"


class PostalAddress(Struct, frozen=True, kw_only=True):
    """The parts of an address that a move changes. country: ISO code."""

    address1: str | None
    address2: str | None
    city: str | None
    state: str | None
    postcode: str | None
    country: str

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "PostalAddress":
        """The address in the row of a line or a subscription; what is empty or missing is null."""
        parts = {name: row.get(name) or None for name in ADDRESS_FIELDS[:-1]}
        return cls(**parts, country=row["country"])

    @property
    def lines(self) -> list[str]:
        """The address in lines, with the country code last."""
        town = " ".join(part for part in (self.postcode, self.city) if part)
        parts = (self.address1, self.address2, town, self.state, self.country)
        return [part for part in parts if part]

    @property
    def fields(self) -> dict[str, str | None]:
        """The parts by the names that they have in a subscription."""
        return structs.asdict(self)


def is_same_address(one: PostalAddress, other: PostalAddress) -> bool:
    """Whether two addresses are the same, apart from case, accents, blanks and punctuation."""
    return _comparable(one) == _comparable(other)


def _comparable(address: PostalAddress) -> list[str]:
    texts = (text or "" for text in address.fields.values())
    return ["".join(filter(str.isalnum, fold(text))) for text in texts]


class DeliveryReport(Named, frozen=True, kw_only=True):
    """A report on a copy, for one subscription.

    key: the key of the copy, null if it was reported by its id. reason: in the carrier's words.
    old_address: the address that the copy was sent to. new_address: null unless they moved.
    date: the date of the report, null if the carrier gave none.
    """

    id: str
    kind: ReportKind
    status: ReportStatus
    line_id: int | None
    copy_id: int
    subscription_id: str
    subscriber_id: str
    issue_number: int
    reason: str | None
    report_date: date | None
    old_address: PostalAddress
    new_address: PostalAddress | None
    created_at: datetime
    actor_kind: str
    actor_id: str
    resolved_at: datetime | None


def one_of_each_address(reports: Iterable[DeliveryReport]) -> list[DeliveryReport]:
    """The first of the reports that say the same of one address."""
    found: dict[tuple[object, ...], DeliveryReport] = {}
    for each in reports:
        new = _comparable(each.new_address) if each.new_address else []
        key = each.kind, *_comparable(each.old_address), *new
        found.setdefault(key, each)
    return list(found.values())
