"""The responses as Pydantic models, which FastAPI converts to JSON."""

import json
from datetime import date

from pydantic import BaseModel

from bench.peers.fast.tables import Copy, Period, Source, Subscription
from masthead.model.subscriptions.lifecycle import next_charge_date
from masthead.model.types.countries import country_name
from masthead.model.types.enums import SubscriptionStatus
from masthead.model.types.full_names import full_name
from masthead.model.types.money import money_text


class AccountRef(BaseModel):
    """The account of a key."""

    name: str
    subdomain: str


class MeAnswer(BaseModel):
    """The user of an API key."""

    email: str
    account: AccountRef
    scope: str


class Address(BaseModel):
    """The address for copies."""

    company: str | None
    address1: str | None
    address2: str | None
    city: str | None
    state: str | None
    postcode: str | None
    country: str
    country_name: str | None
    phone: str | None


class Person(BaseModel):
    """Who gave a gift."""

    full_name: str
    email: str


class SubscriberRef(BaseModel):
    """The subscriber, in short."""

    id: str
    full_name: str
    email: str


class Named(BaseModel):
    """A source, in short."""

    id: str
    name: str


class IssueRef(BaseModel):
    """An issue, in short."""

    id: str
    number: int
    name: str


class ProductRef(BaseModel):
    """What was bought."""

    id: str
    name: str
    benefits: list[str]


class PeriodAnswer(BaseModel):
    """One order of a subscription."""

    id: int
    order_date: date | None
    is_complete: bool
    length: int | None
    interval_months: int | None
    period_start: date | None
    period_end: date | None
    issue_list: list[int]
    order_id: str
    transaction_id: str | None
    price: str
    currency: str
    discount_amount: str
    refunded: str
    source: Named


class SubscriptionAnswer(BaseModel):
    """A subscription in full."""

    id: str
    type: str
    status: str
    medium: str
    first_name: str | None
    last_name: str | None
    shipping_address: Address
    length: int | None
    interval_months: int | None
    total_length: int
    notes: str | None
    is_recurring: bool
    current_period_start: date | None
    current_period_end: date | None
    next_charge_date: date | None
    is_comp: bool
    is_gift: bool
    gifter: Person | None
    promo_code: str | None
    discount_amount: str
    refunded: str
    currency: str
    price: str
    order_date: date | None
    start_issue: IssueRef | None
    issue_list: list[int]
    periods: list[PeriodAnswer]
    subscriber: SubscriberRef
    source: Named
    product: ProductRef


class PageAnswer(BaseModel):
    """A page of subscriptions."""

    items: list[SubscriptionAnswer]
    has_more: bool
    cursor: str | None


class CopyAnswer(BaseModel):
    """A copy."""

    id: int
    date_sent: date | None
    status: str
    country: str
    issue: IssueRef
    subscriber_id: str
    subscription_id: str


class MarkedAnswer(BaseModel):
    """The copies that were marked."""

    error: bool = False
    updated_count: int
    items: list[CopyAnswer]


def period_answer(row: Period, first: Source, granted: dict[int, list[int]]) -> PeriodAnswer:
    """A period. first: the source of the subscription. granted: issues with a copy, by period."""
    source = row.source or first
    issues = granted.get(row.id, [])
    if row.first_issue is not None and row.length is not None:
        issues = list(range(row.first_issue, row.first_issue + row.length))
    return PeriodAnswer(
        id=row.id,
        order_date=row.order_date,
        is_complete=row.is_complete,
        length=row.length,
        interval_months=row.interval_months,
        period_start=row.period_start,
        period_end=row.period_end,
        issue_list=issues,
        order_id=row.order_id,
        transaction_id=row.transaction_id,
        price=money_text(row.price, row.currency),
        currency=row.currency,
        discount_amount=money_text(row.discount_amount, row.currency),
        refunded=money_text(row.refunded, row.currency),
        source=Named(id=source.id, name=source.name),
    )


def subscription_answer(row: Subscription, granted: dict[int, list[int]]) -> SubscriptionAnswer:
    """A subscription with all related data."""
    current = row.periods[-1]
    periods = [period_answer(period, row.source, granted) for period in row.periods]
    subscriber = row.subscriber
    return SubscriptionAnswer(
        id=row.id,
        type=row.type,
        status=row.status,
        medium=row.medium,
        first_name=row.first_name,
        last_name=row.last_name,
        shipping_address=Address(
            company=row.company,
            address1=row.address1,
            address2=row.address2,
            city=row.city,
            state=row.state,
            postcode=row.postcode,
            country=row.country,
            country_name=country_name(row.country),
            phone=row.phone,
        ),
        length=current.length,
        interval_months=current.interval_months,
        total_length=row.total_length,
        notes=row.notes,
        is_recurring=row.is_recurring,
        current_period_start=current.period_start,
        current_period_end=current.period_end,
        next_charge_date=next_charge_date(
            SubscriptionStatus(row.status),
            is_recurring=row.is_recurring,
            period_end=current.period_end,
            charge_date=row.next_issue.recurring_charge_date if row.next_issue else None,
        ),
        is_comp=row.is_comp,
        is_gift=row.is_gift,
        gifter=(
            Person(full_name=row.gifter_name or "", email=row.gifter_email or "")
            if row.is_gift
            else None
        ),
        promo_code=current.promo_code,
        discount_amount=money_text(current.discount_amount, current.currency),
        refunded=money_text(current.refunded, current.currency),
        currency=current.currency,
        price=money_text(current.price, current.currency),
        order_date=row.periods[0].order_date,
        start_issue=(
            IssueRef(
                id=row.first_issue.id, number=row.first_issue.number, name=row.first_issue.name
            )
            if row.first_issue
            else None
        ),
        issue_list=sorted(number for period in periods for number in period.issue_list),
        periods=periods,
        subscriber=SubscriberRef(
            id=subscriber.id,
            full_name=full_name(
                subscriber.first_name, subscriber.last_name, subscriber.company, subscriber.email
            ),
            email=subscriber.email,
        ),
        source=Named(id=row.source.id, name=row.source.name),
        product=ProductRef(
            id=row.product.id, name=row.product.name, benefits=json.loads(row.product.benefits)
        ),
    )


def copy_answer(row: Copy) -> CopyAnswer:
    """A copy with its issue."""
    return CopyAnswer(
        id=row.id,
        date_sent=row.date_sent,
        status=row.status,
        country=row.country,
        issue=IssueRef(id=row.issue.id, number=row.issue.number, name=row.issue.name),
        subscriber_id=row.subscriber_id,
        subscription_id=row.subscription_id,
    )
