"""Checks of the fields of an import row together; they find all errors of a row at once."""

from collections.abc import Collection, Iterator
from datetime import date
from decimal import Decimal

import msgspec

from masthead.model.billing.imported import billing_refusals, imported_terms
from masthead.model.debits.imported import imported_mandate, mandate_refusals
from masthead.model.errors import Invalid
from masthead.model.imports.mapping import ImportMapping
from masthead.model.imports.subscription_row import SubscriptionRow
from masthead.model.orders.period_coverage import check_window, require_issue
from masthead.model.orders.references import check_recurring
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Medium, SubscriptionStatus, SubscriptionType
from masthead.model.types.messages import shown
from masthead.model.types.plausible_days import order_day, sent_day
from masthead.model.types.text import is_digits

STATED = (
    SubscriptionStatus.PAST_DUE,
    SubscriptionStatus.CANCELLED,
    SubscriptionStatus.RENEWALS_STOPPED,
)

_ISSUES: tuple[str, ...] = ("start_issue", "length")
_MONTHS = ("interval_months", "period_start", "period_end")


def row_refusals(row: SubscriptionRow, *, refused: Collection[str] = ()) -> Iterator[Invalid]:
    """The errors of fields that are missing or do not fit each other.

    refused: the names of fields with invalid values, which are not missing.
    """
    if row.renews is None:
        yield from _new_refusals(row, refused)
    if not row.is_comp:
        yield from _missing(row, refused, _("it is required unless `is_comp` is true"), "price")
    yield from _missing(row, refused, _("it is required"), "order_date")
    yield from _status_refusals(row, refused)
    if "is_billed" not in refused:
        yield from billing_refusals(row)
    if not row.sent_issues and not row.sent_dates:
        return
    yield from _sent_refusals(row)


def _missing(
    row: SubscriptionRow, refused: Collection[str], why: str, *names: str
) -> Iterator[Invalid]:
    for name in names:
        if getattr(row, name) is None and name not in refused:
            text = _("`{field}` is missing; {why}.").format(field=name, why=why)
            yield Invalid(text, field=name)


def _new_refusals(row: SubscriptionRow, refused: Collection[str]) -> Iterator[Invalid]:
    """The errors of a row that creates a subscription."""
    is_digital = row.medium is Medium.DIGITAL
    names = (row.first_name, row.last_name, row.company, row.email if is_digital else None)
    if not any(names) and not {"first_name", "last_name", "company", "email"} & {*refused}:
        text = _("`first_name`, `last_name` and `company` are missing; at least one is required.")
        if is_digital:
            text = _("`email` and the name are missing; a digital subscription needs one of them.")
        yield Invalid(text, field="email" if is_digital else "company")
    why = _("it is required")
    if is_digital:
        why = _("digital orders take that of the account, which has none; set it in the settings")
    yield from _missing(row, refused, why, "country")
    if row.type is SubscriptionType.MEMBERSHIP:
        yield from _missing(row, refused, _("a membership needs it"), *_MONTHS)
        wrong, advice = _ISSUES, _("`{field}` is for subscriptions; leave it empty.")
    else:
        yield from _missing(row, refused, _("it is required"), *_ISSUES)
        wrong, advice = (
            _MONTHS,
            _("`{field}` is for memberships; leave it empty, or set `type` to `membership`."),
        )
    for name in wrong:
        if getattr(row, name) is not None and "type" not in refused:
            yield Invalid(advice.format(field=name), field=name)
    yield from _raised(check_window, row.period_start, row.period_end)
    if row.is_gift:
        yield from _missing(row, refused, _("a gift needs it"), "gifter_name", "gifter_email")
    elif (row.gifter_name or row.gifter_email) and "is_gift" not in refused:
        yield Invalid(
            _(
                "`gifter_name` or `gifter_email` is set, but `is_gift` is not true; set "
                "`is_gift`, or leave both empty."
            ),
            field="is_gift",
        )


def issue_refusals(row: SubscriptionRow, issues: Collection[int]) -> Iterator[Invalid]:
    """The error of a new subscription that begins with an issue that does not exist.

    issues: the numbers of those that exist; empty if issues are created.
    """
    if issues and row.start_issue is not None and row.renews is None:
        yield from _raised(require_issue, row.start_issue, issues)


def _raised(check, *values, **named) -> Iterator[Invalid]:  # type: ignore[no-untyped-def]
    try:
        check(*values, **named)
    except Invalid as refusal:
        yield refusal


def _status_refusals(row: SubscriptionRow, refused: Collection[str]) -> Iterator[Invalid]:
    if row.cancelled_date is not None and "status" not in refused:
        yield from _cancelled_refusals(row, row.cancelled_date)
    if row.status in STATED and row.renews is None and "is_recurring" not in refused:
        assert row.status is not None
        yield from _raised(check_recurring, row.status, is_recurring=row.is_recurring or False)


def _cancelled_refusals(row: SubscriptionRow, day: date) -> Iterator[Invalid]:
    """The error unless the row is cancelled, on a day on which its order existed."""
    if row.status is not SubscriptionStatus.CANCELLED:
        text = _(
            "`cancelled_date` is for cancelled subscriptions; leave it empty, or set `status` to "
            "`Cancelled`."
        )
        yield Invalid(text, field="cancelled_date", value=day)
    elif row.order_date is not None and day < row.order_date:
        text = _("`cancelled_date` is `{day}`, which is before `order_date`, `{order_date}`.")
        text = text.format(day=day, order_date=row.order_date)
        yield Invalid(text, field="cancelled_date", value=day)


def _sent_refusals(row: SubscriptionRow) -> Iterator[Invalid]:
    """The errors of the issues already sent and their dates."""
    numbers, days = split_list(row.sent_issues), split_list(row.sent_dates)
    for number in numbers:
        if not is_digits(number, at_most=10):
            text = _("`sent_issues` contains {value}; expected issue numbers such as `3|4`.")
            text = text.format(value=shown(number))
            yield Invalid(text, field="sent_issues", value=row.sent_issues)
    if days and len(days) != len(numbers):
        text = _(
            "`sent_dates` has {days} entries, but `sent_issues` has {issues}; expected one date "
            "for each issue, such as `2016-06-01|2016-09-01`, or an empty cell."
        ).format(days=len(days), issues=len(numbers))
        yield Invalid(text, field="sent_dates", value=row.sent_dates)


def split_list(cell: str | None) -> list[str]:
    """The entries of a cell such as `3|4`."""
    return [part.strip() for part in cell.split("|")] if cell else []


def doubtful_refusals(
    row: SubscriptionRow, sent: Collection[date | None], mapping: ImportMapping, *, today: date
) -> Iterator[Invalid]:
    """The errors of a mandate, and of values that no order of a shop has, but damaged files do.

    today: in the time zone of the account.
    """
    yield from mandate_refusals(row, today=today)
    for field, day in (("order_date", row.order_date), ("cancelled_date", row.cancelled_date)):
        if day is not None:
            yield from _raised(order_day, field, day, today=today)
    for day in sent:
        if day is not None:
            yield from _raised(sent_day, "sent_dates", day, today=today)
    if mapping.price_after_discount or not row.discount_amount or not row.price:
        return
    price = Decimal(row.price)
    if 0 < price < Decimal(row.discount_amount):  # a discount of all of it leaves a price of 0
        text = _(
            "`discount_amount` is `{discount}`, which is more than `price`, `{price}`. Correct "
            "them, or leave `discount_amount` empty."
        ).format(discount=row.discount_amount, price=row.price)
        yield Invalid(text, field="discount_amount", value=row.discount_amount)


def stated(row: SubscriptionRow) -> dict[str, object]:
    """The fields of the order that a row states in words of its own: its status, who pays."""
    return {
        "status": stated_status(row),
        "billing": imported_terms(row),
        "payer_number": None if row.is_billed else row.payer_number,
        "mandate": imported_mandate(row),
    }


def stated_status(row: SubscriptionRow) -> SubscriptionStatus | None:
    """The status that the order gets; None if it follows from the data."""
    return row.status if row.status in STATED else None


def sent_dates(row: SubscriptionRow) -> dict[int, date | None]:
    """The dates in `sent_dates` by the numbers in `sent_issues`. Raises: Invalid."""
    if not row.sent_issues:
        return {}
    numbers, days = split_list(row.sent_issues), split_list(row.sent_dates)
    return {
        int(number): _sent_day(row, day)
        for number, day in zip(numbers, days or [""] * len(numbers), strict=True)
    }


def _sent_day(row: SubscriptionRow, text: str) -> date | None:
    if not text:
        return None
    try:
        return msgspec.convert(text, date)
    except msgspec.ValidationError:
        raise Invalid(
            f"`sent_dates` contains {shown(text)}; expected dates as YYYY-MM-DD.",
            field="sent_dates",
            value=row.sent_dates,
        ) from None
