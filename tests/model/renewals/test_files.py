"""The rows of a mail merge."""

from datetime import date

from masthead.model.renewals.files import FileFacts, merge_rows
from masthead.model.renewals.lapsed import Candidate
from masthead.model.renewals.prices import RenewalPrices
from masthead.model.types.enums import Medium, SubscriptionStatus, SubscriptionType

FACTS = FileFacts(
    home="DE",
    locale="de_DE",
    placeholder_domain="none.example",
    prices=RenewalPrices(products={}, rises={}, day=date(2026, 11, 1), home="DE"),
)


def test_the_longest_address_has_a_line_for_each_of_its_parts() -> None:
    [row] = merge_rows([IN_IRELAND], FACTS)
    assert [row[f"address_line_{number}"] for number in range(1, 9)] == [
        *("Ann Lee", "Acme", "1 Main Street", "Flat 2", "CORK", "Munster", "T12 AB34", "IRLAND"),
    ]
    assert "address_line_9" not in row
    assert (row["period_end"], row["renewal_price"]) == ("31. März 2027", "42.00")


IN_IRELAND = Candidate(
    period_id=1,
    order_id="ORDER1",
    order_date=date(2026, 1, 15),
    subscription_id="S1",
    status=SubscriptionStatus.ACTIVE,
    subscriber_id="R1",
    type=SubscriptionType.MEMBERSHIP,
    email="ann@example.org",
    is_placeholder=False,
    is_unsubscribed=False,
    has_bounced=False,
    subscriber_first_name="Ann",
    subscriber_last_name="Lee",
    subscriber_company="Acme",
    first_name="Ann",
    last_name="Lee",
    company="Acme",
    address1="1 Main Street",
    address2="Flat 2",
    city="Cork",
    state="Munster",
    postcode="T12 AB34",
    country="IE",
    medium=Medium.PRINT,
    product_id="P1",
    source_id="Q1",
    source_name="Shop",
    is_comp=False,
    is_gift=False,
    gifter_name=None,
    gifter_email=None,
    last_issue=None,
    period_end=date(2027, 3, 31),
    length=None,
    interval_months=12,
    price=4200,
    currency="EUR",
)
