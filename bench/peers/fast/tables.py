"""masthead's tables for SQLAlchemy's ORM: the columns that the four endpoints need."""

from datetime import date, datetime
from typing import ClassVar

from sqlalchemy import BigInteger, ForeignKey, ForeignKeyConstraint, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
from sqlalchemy.types import TIMESTAMP


class Base(DeclarativeBase):
    """The column types of texts and numbers."""

    type_annotation_map: ClassVar = {str: Text, int: BigInteger, datetime: TIMESTAMP(timezone=True)}


def to(table: str, column: str) -> ForeignKeyConstraint:
    """A reference to a record of the same account."""
    return ForeignKeyConstraint(
        ["account_id", column], [f"{table}.account_id", f"{table}.id"], name=f"{table}_{column}"
    )


class Account(Base):
    """A publisher."""

    __tablename__ = "account"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    subdomain: Mapped[str]
    is_active: Mapped[bool]


class User(Base):
    """The user of an API key."""

    __tablename__ = "app_user"
    id: Mapped[str] = mapped_column(primary_key=True)
    email: Mapped[str]


class AccountState(Base):
    """An account's counters; every write locks its row."""

    __tablename__ = "account_state"
    account_id: Mapped[int] = mapped_column(primary_key=True)
    last_entry: Mapped[int]


class ApiKey(Base):
    """A key's digest."""

    __tablename__ = "api_key"
    account_id: Mapped[int] = mapped_column(ForeignKey("account.id"), primary_key=True)
    id: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("app_user.id"))
    scope: Mapped[str]
    digest: Mapped[str]
    revoked_at: Mapped[datetime | None]
    account: Mapped[Account] = relationship(lazy="raise")
    user: Mapped[User] = relationship(lazy="raise")


class Source(Base):
    """Where orders come from."""

    __tablename__ = "source"
    account_id: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]


class Product(Base):
    """What was bought."""

    __tablename__ = "product"
    account_id: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    benefits: Mapped[str]


class Issue(Base):
    """An issue of the magazine."""

    __tablename__ = "issue"
    account_id: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int]
    name: Mapped[str]
    recurring_charge_date: Mapped[date | None]


class Subscriber(Base):
    """A subscriber."""

    __tablename__ = "subscriber"
    account_id: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(primary_key=True)
    email: Mapped[str]
    first_name: Mapped[str | None]
    last_name: Mapped[str | None]
    company: Mapped[str | None]


class Subscription(Base):
    """A subscription with all fields that are shown."""

    __tablename__ = "subscription"
    __table_args__ = (
        to("subscriber", "subscriber_id"),
        to("source", "source_id"),
        to("product", "product_id"),
    )
    account_id: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(primary_key=True)
    subscriber_id: Mapped[str]
    source_id: Mapped[str]
    product_id: Mapped[str]
    type: Mapped[str]
    status: Mapped[str]
    medium: Mapped[str]
    first_name: Mapped[str | None]
    last_name: Mapped[str | None]
    company: Mapped[str | None]
    address1: Mapped[str | None]
    address2: Mapped[str | None]
    city: Mapped[str | None]
    state: Mapped[str | None]
    postcode: Mapped[str | None]
    country: Mapped[str]
    phone: Mapped[str | None]
    notes: Mapped[str | None]
    is_recurring: Mapped[bool]
    is_comp: Mapped[bool]
    is_gift: Mapped[bool]
    gifter_name: Mapped[str | None]
    gifter_email: Mapped[str | None]
    start_issue: Mapped[int | None]
    last_issue: Mapped[int | None]
    total_length: Mapped[int]
    subscriber: Mapped[Subscriber] = relationship(viewonly=True, lazy="raise")
    source: Mapped[Source] = relationship(viewonly=True, lazy="raise")
    product: Mapped[Product] = relationship(viewonly=True, lazy="raise")
    first_issue: Mapped[Issue | None] = relationship(
        primaryjoin="and_(foreign(Subscription.account_id) == Issue.account_id,"
        " foreign(Subscription.start_issue) == Issue.number)",
        viewonly=True,
        lazy="raise",
    )
    next_issue: Mapped[Issue | None] = relationship(
        primaryjoin="and_(foreign(Subscription.account_id) == Issue.account_id,"
        " foreign(Subscription.last_issue) + 1 == Issue.number)",
        viewonly=True,
        lazy="raise",
    )
    periods: Mapped[list["Period"]] = relationship(
        order_by="Period.id", viewonly=True, lazy="raise"
    )


class Period(Base):
    """An order and the issues or days that it covers."""

    __tablename__ = "period"
    __table_args__ = (to("subscription", "subscription_id"), to("source", "source_id"))
    account_id: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[int] = mapped_column(primary_key=True)
    subscription_id: Mapped[str]
    source_id: Mapped[str | None]
    order_id: Mapped[str]
    transaction_id: Mapped[str | None]
    order_date: Mapped[date | None]
    is_complete: Mapped[bool]
    first_issue: Mapped[int | None]
    last_issue: Mapped[int | None]
    length: Mapped[int | None]
    interval_months: Mapped[int | None]
    period_start: Mapped[date | None]
    period_end: Mapped[date | None]
    price: Mapped[int]
    discount_amount: Mapped[int]
    refunded: Mapped[int]
    currency: Mapped[str]
    promo_code: Mapped[str | None]
    source: Mapped[Source | None] = relationship(viewonly=True, lazy="raise")


class Copy(Base):
    """One issue for one subscription."""

    __tablename__ = "copy"
    __table_args__ = (to("issue", "issue_id"),)
    account_id: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[int] = mapped_column(primary_key=True)
    subscription_id: Mapped[str]
    period_id: Mapped[int]
    subscriber_id: Mapped[str]
    issue_id: Mapped[str]
    issue_number: Mapped[int]
    status: Mapped[str]
    date_sent: Mapped[date | None]
    country: Mapped[str]
    issue: Mapped[Issue] = relationship(viewonly=True, lazy="raise")


class Audit(Base):
    """An entry of the audit trail."""

    __tablename__ = "audit"
    account_id: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[int] = mapped_column(primary_key=True)
    happened_at: Mapped[datetime]
    actor_kind: Mapped[str]
    actor_id: Mapped[str]
    action: Mapped[str]
    subject_type: Mapped[str]
    subject_id: Mapped[str]
    before: Mapped[str]
    after: Mapped[str]
