"""The lines of an invoice say in words what an order covers."""

from datetime import date

from msgspec import structs

from masthead.model.billing.orders import BillableOrder, Taxation, lines_of
from masthead.model.billing.settings import BillingSettings
from masthead.model.billing.vat import VatRate
from masthead.model.types.enums import Medium
from tests.services.billing.files.documents import PAYER, SELLER

MEMBERSHIP = BillableOrder(
    period_id=1,
    order_id="A",
    subscription_id="S",
    payer_id="P",
    order_reference="",
    due_days=14,
    amount=6000,
    currency="EUR",
    product_id="M",
    product_name="Mitglied",
    medium=Medium.PRINT,
    first_name="Erika",
    last_name="Müller",
    company=None,
    country="DE",
    first_issue=None,
    last_issue=None,
    period_start=date(2026, 5, 1),
    period_end=date(2027, 4, 30),
    supplied_from=date(2026, 5, 1),
    supplied_to=date(2027, 4, 30),
    first_billed=None,
)


def test_the_days_of_a_membership_are_in_words() -> None:
    settings = BillingSettings(**structs.asdict(SELLER))
    rate = VatRate(first_day=date(2020, 1, 1), place="home", rate=700)
    taxation = Taxation(settings=settings, rates=[rate], day=date(2026, 4, 1))
    [line] = lines_of([MEMBERSHIP], PAYER, taxation, "de")
    assert line.detail == "1. Mai 2026 bis 30. April 2027, für Erika Müller"


def test_the_product_of_orders_without_one_is_named_in_the_language_of_the_invoice() -> None:
    settings = BillingSettings(**structs.asdict(SELLER))
    rate = VatRate(first_day=date(2020, 1, 1), place="home", rate=700)
    taxation = Taxation(settings=settings, rates=[rate], day=date(2026, 6, 1))
    member = structs.replace(MEMBERSHIP, product_name="Imported subscription")
    subscriber = structs.replace(
        member, period_start=None, period_end=None, first_issue=12, last_issue=15
    )
    lines = lines_of([MEMBERSHIP, member, subscriber], PAYER, taxation, "de")
    assert [line.text.partition(",")[0] for line in lines] == [
        *("Mitglied", "Mitgliedschaft", "Abonnement")
    ]


def test_what_is_digital_is_sold_to_the_country_of_the_payer() -> None:
    """There it is taxed, so it is in the sales of that country, such as those of OSS."""
    settings = BillingSettings(**structs.asdict(SELLER))
    rates = [
        VatRate(first_day=date(2020, 1, 1), place=place, rate=rate)
        for place, rate in (("home", 700), ("FR", 210))
    ]
    taxation = Taxation(settings=settings, rates=rates, day=date(2026, 4, 1))
    french = structs.replace(PAYER, country="FR", vat_id="")
    digital = structs.replace(MEMBERSHIP, medium=Medium.DIGITAL)
    lines = lines_of([MEMBERSHIP, digital], french, taxation, "en")
    assert [(line.country, line.rate) for line in lines] == [("DE", 700), ("FR", 210)]


def test_print_and_digital_are_one_line_if_no_part_of_the_price_is_digital() -> None:
    rate = VatRate(first_day=date(2020, 1, 1), place="home", rate=700)
    bundle = structs.replace(MEMBERSHIP, medium=Medium.PRINT_AND_DIGITAL)
    named = []
    for percent in (0, 25):
        fields = {**structs.asdict(SELLER), "digital_percent": percent}
        settings = BillingSettings(**fields)
        taxation = Taxation(settings=settings, rates=[rate], day=date(2026, 4, 1))
        named.append([line.text for line in lines_of([bundle], PAYER, taxation, "en")])
    assert named == [
        ["Mitglied, Print + digital"],
        ["Mitglied, Print", "Mitglied, Digital"],
    ]
