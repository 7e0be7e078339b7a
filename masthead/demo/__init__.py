"""The demo publication: its name, its sources, and the CSV files with its data."""

from datetime import date
from pathlib import Path

from masthead.model.billing.settings import BillingInput
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.orders.offers import Offer
from masthead.model.types.enums import Medium

NAME = "Lantern & Tide"
SUBDOMAIN = "demo"
CURRENCY = "EUR"
COUNTRY = "DE"  # from where issues are sent
TIME_ZONE = "Europe/Berlin"
LANGUAGES = dict.fromkeys(("DE", "AT", "CH", "LI"), "de")  # of recipients; English elsewhere
OWNER = "keeper@lantern-and-tide.example"

# name and type of each source; the subscriptions are imported into the one of type "import"
SOURCES = (
    ("Lantern & Tide checkout", "checkout"),
    ("Quay shop", "shop"),
    ("Old subscriber list", "import"),
)

# how subscribers reach the publisher, when an owner opens the page for subscribers
CONTACT = f"Questions? {OWNER}"

# what orders by phone and post are for, and what invoices say
PRODUCT = "Year subscription"
OFFER = Offer(
    length=4,
    prices={
        (medium, group): price
        for medium, prices in {
            Medium.PRINT: (4200, 5200, 6000),
            Medium.DIGITAL: (2800, 2800, 2800),
            Medium.PRINT_AND_DIGITAL: (5200, 6200, 7000),
        }.items()
        for group, price in zip(CountryGroup, prices, strict=True)
    },
)
POSTAL_ADDRESS = f"{NAME}\nKai 7\n20457 Hamburg"
VAT_SINCE, VAT_RATE = date(2020, 1, 1), 700  # hundredths of a percent
INVOICES = BillingInput(
    name=NAME,
    street="Kai 7",
    postcode="20457",
    city="Hamburg",
    country=COUNTRY,
    tax_number="22/815/08154",
    email=OWNER,
    bank="Bank of the examples",
    iban="DE02120300000000202051",
)

ISSUES_CSV = Path(__file__).parent / "issues.csv"
SUBSCRIPTIONS_CSV = Path(__file__).parent / "subscriptions.csv"
