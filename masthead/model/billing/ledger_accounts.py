"""The numbers that accounts of the journal have in a bookkeeping program.

A bookkeeper types them. For the two charts of accounts that most publishers in Germany use, SKR03
and SKR04, masthead proposes the usual ones.
"""

from collections.abc import Collection, Iterable, Mapping

from masthead.model.billing.journal import JournalEntry, Ledger
from masthead.model.billing.vat import OneStopShop, TaxedPart, VatCategory, VatRate, one_stop_shop
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.text import is_digits

CONSULTANT, CLIENT, LENGTH = "consultant", "client", "length"  # what the header of DATEV needs
DATEV = (CONSULTANT, CLIENT, LENGTH)
FIRST_CUSTOMER = 10_000  # of the accounts of customers, if accounts have four digits
CUSTOMERS = 60_000  # how many of these there are: those of suppliers follow
MAX_DIGITS = 9

# The proposals: SKR03, SKR04
_PROPOSED: Mapping[str, tuple[str, str]] = {
    "receivables": ("1400", "1200"),
    "paid_at_once": ("1360", "1460"),
    "bank": ("1200", "1800"),
    "cash": ("1000", "1600"),
    "written_off": ("2400", "6930"),
    "reminder_fees": ("2700", "4830"),
    "clearing": ("1792", "3630"),
    "written_off_standard_700": ("2401", "6931"),
    "written_off_standard_1900": ("2406", "6936"),
    "sales_standard_700": ("8300", "4300"),
    "sales_standard_1900": ("8400", "4400"),
    "sales_exempt_0": ("8195", "4185"),
    "sales_reverse_charge_0": ("8336", "4336"),
    "sales_intra_community_0": ("8125", "4125"),
    "sales_export_0": ("8120", "4120"),
    "sales_outside_0": ("8338", "4338"),
    "sales_oss": ("8320", "4320"),
    "vat_oss": ("1767", "3817"),
    "vat_standard_700": ("1771", "3801"),
    "vat_standard_1900": ("1776", "3806"),
}
CHARTS = ("SKR03", "SKR04")
_FIXED = (
    *("receivables", "paid_at_once", "bank", "cash", "written_off", "reminder_fees", "clearing"),
)
_UNTAXED = (
    VatCategory.REVERSE_CHARGE,
    VatCategory.INTRA_COMMUNITY,
    VatCategory.EXPORT,
    VatCategory.OUTSIDE,
)


_TAXED = (Ledger.SALES, Ledger.VAT, Ledger.WRITTEN_OFF)


def name_of(ledger: Ledger, tax: TaxedPart | None, *, oss: bool = False) -> str:
    """The name of an account, under which its number is stored: `sales_standard_700`.

    oss: whether it is for sales in the one-stop shop, which have an account for all rates.
    """
    plain = ledger.name.lower()
    if oss and ledger in _TAXED:
        return f"{plain}_oss"
    if ledger is Ledger.WRITTEN_OFF and not (tax and tax.rate):
        return plain
    if ledger in _TAXED and tax is not None:
        return f"{plain}_{tax.category}_{tax.rate}"
    return plain


def list_names(
    rates: Collection[VatRate], *, small_business: Collection[bool], home: str
) -> list[str]:
    """The names of all accounts that the journal can have with these rates.

    small_business: whether the publisher is one, on one day or another. home: their country.
    """
    abroad = {country for country, _rate in one_stop_shop(rates, home).rates}
    taxed = {
        TaxedPart(VatCategory.STANDARD if each.rate else VatCategory.ZERO, each.rate)
        for each in rates
        if each.place not in abroad
    }
    free = [VatCategory.EXEMPT] * (True in small_business)
    free += [each for each in _UNTAXED if False in small_business]
    parts = [
        *sorted(taxed, key=lambda each: each.rate),
        *(TaxedPart(each, 0) for each in free),
    ]
    return [
        *_FIXED,
        *(name_of(Ledger.SALES, each) for each in parts),
        *(name_of(Ledger.VAT, each) for each in parts if each.rate),
        *(name_of(Ledger.WRITTEN_OFF, each) for each in parts if each.rate),
        *(name_of(each, None, oss=True) for each in _TAXED if abroad),
    ]


def propose(chart: str, names: Iterable[str]) -> dict[str, str]:
    """The usual numbers of a chart of accounts, by name. Others are left to the bookkeeper."""
    place = CHARTS.index(chart)
    return {name: _PROPOSED[name][place] for name in names if name in _PROPOSED}


def check_numbers(numbers: Mapping[str, str]) -> dict[str, str]:
    """The numbers that were typed, by name, without empty ones. Raises: Invalid."""
    for name, number in numbers.items():
        if number and not is_digits(number, at_most=MAX_DIGITS):
            raise Invalid(
                _("`{number}` is not a number of an account. It has digits only.").format(
                    number=number
                ),
                field=name,
                value=number,
            )
    return {name: number for name, number in numbers.items() if number}


def account_of(entry: JournalEntry, ledger: Ledger, shop: OneStopShop) -> str:
    """The name of an account of an entry."""
    return name_of(ledger, entry.tax, oss=shop.has(entry.tax, entry.country))
