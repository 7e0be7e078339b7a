"""An order: what opens a subscription or adds a period to one, whether typed in or imported."""

from datetime import date

import msgspec
from msgspec import Struct, structs

from masthead.model.errors import Invalid
from masthead.model.inputs import SubscriptionCreate, SubscriptionRow, require
from masthead.model.types.email_addresses import domain_key
from masthead.model.types.enums import Medium, SubscriptionStatus, SubscriptionType
from masthead.model.types.fields import storable_day
from masthead.model.types.money import minor_units
from masthead.model.types.text import is_digits
from masthead.model.validation import shown

STATED = (
    SubscriptionStatus.PAST_DUE,
    SubscriptionStatus.CANCELLED,
    SubscriptionStatus.RENEWALS_STOPPED,
)


class Order(Struct, kw_only=True, frozen=True):
    """An order whose fields have been checked, apart from the data that it refers to.

    price, discount_amount, refunded: in minor units of currency.
    status: what an import states, None if it follows from the data.
    sent: day of dispatch (None: no date) by issue number.
    renews: the order id of the subscription that gets another period; then the fields that
    describe the subscription are ignored and start_issue, length, interval_months, period_start
    and period_end may be None: they follow from the period before.
    """

    order_id: str
    order_date: date | None
    type: SubscriptionType = SubscriptionType.SUBSCRIPTION
    email: str | None = None
    first_name: str | None = None
    last_name: str | None = None
    company: str | None = None
    address1: str | None = None
    address2: str | None = None
    city: str | None = None
    state: str | None = None
    postcode: str | None = None
    country: str | None = None
    phone: str | None = None
    notes: str | None = None
    start_issue: int | None = None
    length: int | None = None
    interval_months: int | None = None
    period_start: date | None = None
    period_end: date | None = None
    is_recurring: bool = False
    is_comp: bool = False
    is_gift: bool = False
    gifter_name: str | None = None
    gifter_email: str | None = None
    medium: Medium = Medium.PRINT
    price: int
    currency: str
    discount_amount: int = 0
    refunded: int = 0
    promo_code: str | None = None
    transaction_id: str | None = None
    status: SubscriptionStatus | None = None
    sent: dict[int, date | None] = {}
    renews: str | None = None


# The fields that an order has from a body or a row, as they stand there
_SHARED = frozenset(Order.__struct_fields__) - {"sent", "currency"}


class Terms(Struct, frozen=True):
    """What holds for all orders of an account.

    currency: in which it sells. placeholder_domain: of the addresses of those who gave none.
    """

    currency: str
    placeholder_domain: str


def order_of(body: SubscriptionCreate, terms: Terms) -> Order:
    """The order that a manual subscription is. Raises: Invalid."""
    require_name(body.first_name, body.company)
    return _order(body, terms)


def order_of_row(row: SubscriptionRow, terms: Terms) -> Order:
    """The order that a row of an import is. Raises: Invalid."""
    if row.renews is None:
        _check_new(row)
    if not row.is_comp:
        require("price", row.price, "it is required; 0 with `is_comp` for complimentary ones")
    require("order_date", row.order_date)
    _check_status(row)
    return _order(row, terms, sent=_sent(row))


def _order(asked: SubscriptionCreate | SubscriptionRow, terms: Terms, **more: object) -> Order:
    """The order with the fields that were given, its amounts in minor units."""
    given = {
        name: value
        for name, value in structs.asdict(asked).items()
        if value is not None and name in _SHARED
    }
    for field in ("email", "gifter_email"):
        if field in given and domain_key(given[field]) == domain_key(terms.placeholder_domain):
            raise Invalid(
                f"`{field}` is `{given[field]}`, but addresses at `{terms.placeholder_domain}` "
                "stand for none at all. Leave it out if there is no address.",
                field=field,
                value=given[field],
            )
    currency = asked.currency or terms.currency
    amounts = {
        name: minor_units(name, given.get(name, "0"), currency)
        for name in ("price", "discount_amount", "refunded")
    }
    order = Order(**{**given, **amounts, "currency": currency, **more})
    if order.is_comp and order.price != 0:
        raise Invalid(
            f"`price` is `{given['price']}`, but `is_comp` is true: a complimentary subscription "
            "costs nothing. Send `price` 0, or leave `is_comp` out.",
            field="price",
            value=given["price"],
        )
    if order.refunded > order.price:
        raise Invalid("`refunded` is more than `price`.", field="refunded", value=given["refunded"])
    return order


def require_name(first_name: str | None, company: str | None) -> None:
    """Raises: Invalid unless there is someone to address."""
    if first_name is None and company is None:
        raise Invalid(
            "`first_name` and `company` are both missing; give one of them.", field="company"
        )


def _check_new(row: SubscriptionRow) -> None:
    """Raises: Invalid if a row that opens a subscription lacks what that takes."""
    require_name(row.first_name, row.company)
    require("country", row.country)
    if row.type is SubscriptionType.MEMBERSHIP:
        for name in ("interval_months", "period_start", "period_end"):
            require(name, getattr(row, name), "a membership needs it")
        for name in ("start_issue", "length"):
            if getattr(row, name) is not None:
                raise Invalid(f"`{name}` is for subscriptions; leave it empty.", field=name)
    else:
        require("start_issue", row.start_issue)
        require("length", row.length)
        for name in ("interval_months", "period_start", "period_end"):
            if getattr(row, name) is not None:
                raise Invalid(
                    f"`{name}` is for memberships; leave it empty, or set `type` to `membership`.",
                    field=name,
                )
    check_window(row.period_start, row.period_end)
    if row.is_gift:
        for name in ("gifter_name", "gifter_email"):
            require(name, getattr(row, name), "a gift needs it")
    elif row.gifter_name is not None or row.gifter_email is not None:
        raise Invalid(
            "A gifter is named, but `is_gift` is not true; set it, or leave the gifter empty.",
            field="is_gift",
        )


def check_window(period_start: date | None, period_end: date | None) -> None:
    """Raises: Invalid if the period ends before it starts."""
    if period_start is not None and period_end is not None and period_end < period_start:
        raise Invalid(
            f"`period_end` is {period_end}, before `period_start` {period_start}.",
            field="period_end",
            value=period_end,
        )


def _check_status(row: SubscriptionRow) -> None:
    if row.status is None:
        return
    if row.status not in STATED:
        allowed = ", ".join(f"`{each}`" for each in STATED)
        raise Invalid(
            f"`status` is `{row.status}`; an import may state {allowed}; the rest follows from the "
            "data: leave it empty.",
            field="status",
            value=row.status,
        )
    if row.renews is None and row.status is not SubscriptionStatus.CANCELLED:
        check_recurring(row.status, is_recurring=row.is_recurring or False)


def check_recurring(status: SubscriptionStatus, *, is_recurring: bool) -> None:
    """Raises: Invalid if a status that only recurring subscriptions have is stated of another."""
    if not is_recurring and status is not SubscriptionStatus.CANCELLED:
        raise Invalid(
            f"`status` is `{status}`, which only a recurring subscription can be; "
            "set `is_recurring`, or leave `status` empty.",
            field="status",
            value=status,
        )


def _sent(row: SubscriptionRow) -> dict[int, date | None]:
    """What `sent_issues` and `sent_dates` say. Raises: Invalid."""
    if not row.sent_issues and not row.sent_dates:
        return {}
    numbers = _split(row.sent_issues)
    days = _split(row.sent_dates)
    for number in numbers:
        if not is_digits(number, at_most=10):
            raise Invalid(
                f"`sent_issues` has {shown(number)}; expected issue numbers such as `3|4`.",
                field="sent_issues",
                value=row.sent_issues,
            )
    if days and len(days) != len(numbers):
        raise Invalid(
            f"`sent_dates` has {len(days)} entries for {len(numbers)} in `sent_issues`; "
            "expected one date for each, such as `2016-06-01|2016-09-01`, or none at all.",
            field="sent_dates",
            value=row.sent_dates,
        )
    return {
        int(number): _sent_day(row, day)
        for number, day in zip(numbers, days or [""] * len(numbers), strict=True)
    }


def _split(cell: str | None) -> list[str]:
    return [part.strip() for part in cell.split("|")] if cell else []


def _sent_day(row: SubscriptionRow, text: str) -> date | None:
    if not text:
        return None
    try:
        return storable_day("sent_dates", msgspec.convert(text, date))
    except msgspec.ValidationError:
        raise Invalid(
            f"`sent_dates` has {shown(text)}; expected dates as YYYY-MM-DD.",
            field="sent_dates",
            value=row.sent_dates,
        ) from None
