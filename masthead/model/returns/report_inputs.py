"""Structs of input about delivery reports."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Annotated, Any

from msgspec import Meta, Struct

from masthead.model import advice
from masthead.model.errors import Invalid
from masthead.model.inputs import Creation, ListQuery
from masthead.model.returns.delivery_reports import ReportKind, ReportStatus
from masthead.model.types.fields import CountryCode, Day, PostalText, Text
from masthead.model.types.filters import SubscriberId, SubscriptionId

MAX_REPORTS = 500  # in one request
MAX_COPY_ID = 2**53 - 1


class CarrierReportKind(StrEnum):
    """What a carrier says of a copy."""

    SHIPPED = "shipped"
    UNDELIVERABLE = "undeliverable"
    MOVED = "moved"


class DeliveryReportCreate(Creation, kw_only=True):
    """What the carrier says of one copy. Give `key` or `copy`.

    key: copy key, as it is printed on the label; case, `#` and blanks do not matter.
    copy: id of the copy.
    kind: `moved` needs the new address, at least `address1` and `city` or `postcode`.
    date: date of shipping or of the report, from 2000 to 31 days after today; shipped copies are
        sent today if it is absent.
    reason: in the carrier's words.
    address1: first line of the new address.
    address2: second line of the new address.
    city: of the new address.
    state: of the new address.
    postcode: of the new address.
    country: of the new address; defaults to that of the old one.
    """

    key: Text | None = None
    copy: Annotated[int, Meta(ge=1, le=MAX_COPY_ID)] | None = None
    kind: CarrierReportKind
    date: Day | None = None
    reason: Text | None = None
    address1: PostalText | None = None
    address2: PostalText | None = None
    city: PostalText | None = None
    state: PostalText | None = None
    postcode: PostalText | None = None
    country: CountryCode | None = None

    @classmethod
    def list_conflicts(cls, given: Mapping[str, Any], refused: Collection[str]) -> list[Invalid]:
        """The errors of a report without a copy, or without the new address."""
        known, found = {*given, *refused}, []
        is_moved = given.get("kind") is CarrierReportKind.MOVED
        if is_moved and not ("address1" in known and {"city", "postcode"} & known):
            text = (
                "There is no new address; `moved` needs `address1`, and `city` or `postcode`. A "
                "subscriber whose new address is not known is `undeliverable`."
            )
            missing = "city" if "address1" in known else "address1"
            found.append(Invalid(text, field=missing))
        if not {"key", "copy"} & known:
            text = "`key` and `copy` are both missing; one of them is required."
            found.append(Invalid(text, field="key"))
        return found


class DeliveryReportsCreate(Creation, kw_only=True):
    """Reports on copies; each has its own result."""

    elsewhere = advice.REPORTS

    reports: Annotated[
        list[DeliveryReportCreate],
        Meta(min_length=1, max_length=MAX_REPORTS, description="one for each copy"),
    ]

    @classmethod
    def list_conflicts(cls, given: Mapping[str, Any], refused: Collection[str]) -> list[Invalid]:
        """The errors of the reports."""
        return [
            each.within(f"reports[{place}]")
            for place, report in enumerate(given.get("reports", ()))
            for each in report.conflicts
        ]


class DeliveryReportQuery(ListQuery, kw_only=True, frozen=True):
    """Filters of the delivery reports."""

    kind: Annotated[ReportKind, Meta(description="kind of the reports")] | None = None
    status: Annotated[ReportStatus, Meta(description="status of the reports")] | None = None
    subscriber: SubscriberId | None = None
    subscription: SubscriptionId | None = None


class CopyReportQuery(ListQuery, kw_only=True, frozen=True):
    """The reports on one copy of a subscription."""

    copy: int
    subscription: str


class CarrierReportOutcome(StrEnum):
    """What became of a report in a request."""

    RECORDED = "recorded"
    MARKED = "marked"
    ALREADY_SENT = "already_sent"
    OUTDATED = "outdated"
    UNCHANGED = "unchanged"
    UNMATCHED = "unmatched"


class CarrierReportResult(Struct, frozen=True):
    """The result of one report, in the order of the request.

    result: `recorded`: an undeliverable address is on hold, or a new one waits to be accepted;
        `marked`: the shipped copy is Sent now; `already_sent`: it was Sent before; `outdated`: only
        recorded, because the address was changed since; `unchanged`: it was recorded before;
        `unmatched`: nothing was changed, and `message` says why.
    id: of the delivery report that was added, null if none was.
    message: null unless the result is `unmatched`.
    """

    result: CarrierReportOutcome
    id: str | None
    message: str | None


class CarrierReportResults(Struct, frozen=True):
    """The results of a request.

    error: always false.
    items: one for each report, in the same order.
    """

    error: bool
    items: list[CarrierReportResult]
