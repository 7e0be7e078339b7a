"""VAT: which rate an order has, and how much of its price is VAT.

Rates are hundredths of a percent (700 is 7 %), amounts minor units of their currency. The rules
are those of the VAT directive of the EU, 2006/112/EC: articles 33, 58, 138, 146, 196 and 282.
"""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from msgspec import Struct

from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.countries import country_in_words
from masthead.model.types.enums import LabelledEnum, Medium

# Where the VAT directive applies. Northern Ireland (XI) belongs to it for goods only: left out
EU = frozenset(
    "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split()
)
HOME, EU_PLACE, OTHER = "home", "eu", "other"  # places of rates beside countries
FULL = 10_000  # 100 %


class VatCategory(LabelledEnum):
    """Why a line has its rate. The e-invoice has a code for each: see `CODES`."""

    STANDARD = "standard", gettext_noop("taxed")
    ZERO = "zero", gettext_noop("zero rate")
    EXEMPT = "exempt", gettext_noop("exempt as a small business")
    REVERSE_CHARGE = "reverse_charge", gettext_noop("reverse charge")
    INTRA_COMMUNITY = "intra_community", gettext_noop("intra-Community supply")
    EXPORT = "export", gettext_noop("export")
    OUTSIDE = "outside", gettext_noop("not subject to VAT here")


# The codes of UNTDID 5305, as EN 16931 uses them
CODES = {
    VatCategory.STANDARD: "S",
    VatCategory.ZERO: "Z",
    VatCategory.EXEMPT: "E",
    VatCategory.REVERSE_CHARGE: "AE",
    VatCategory.INTRA_COMMUNITY: "K",
    VatCategory.EXPORT: "G",
    VatCategory.OUTSIDE: "O",
}


class VatRate(Struct, frozen=True, kw_only=True):
    """A rate that holds from a day on.

    product_id, medium: what it is for; None for all. medium is never `Print + digital`, which
    counts as two. place: an ISO country code, or `home`, `eu` or `other`, seen from the publisher.
    """

    first_day: date
    product_id: str | None = None
    medium: Medium | None = None
    place: str
    rate: int


class VatSetting(Struct, frozen=True, kw_only=True):
    """What decides about VAT beside the rates, from a day on.

    digital_percent: how much of the price of print and digital together is for the digital copies.
    """

    first_day: date
    is_small_business: bool = False
    digital_percent: int = 0


# Whose invoices must have the VAT ids of both: articles 138 and 226 of directive 2006/112/EC
NEED_VAT_IDS = (VatCategory.REVERSE_CHARGE, VatCategory.INTRA_COMMUNITY)
VAT_COLUMNS = tuple(name for name in VatSetting.__struct_fields__ if name != "first_day")


class TaxedPart(Struct, frozen=True):
    """What VAT a sale has. rate: 0 if the category is none with a rate."""

    category: VatCategory
    rate: int


class Sale(Struct, frozen=True, kw_only=True):
    """What is sold to whom.

    country: where the copies go, or where the payer is, for digital ones. has_vat_id: whether the
    payer is a business of another EU country, with a valid VAT id of that country.
    """

    day: date
    product_id: str
    medium: Medium
    country: str
    has_vat_id: bool


def find_rate(rates: Iterable[VatRate], sale: Sale, *, home: str) -> VatRate | None:
    """The rate of a sale; None if no rate is for it.

    Of several, that of its country comes before that of its place, then that of its product, then
    that of its medium; and of these, the newest that has begun. home: country of the publisher.
    """
    place = place_of(sale.country, home)
    fitting = [
        each
        for each in rates
        if each.first_day <= sale.day
        and each.product_id in (None, sale.product_id)
        and each.medium in (None, sale.medium)
        and each.place in (sale.country, place)
    ]
    return max(
        fitting,
        key=lambda each: (
            each.place == sale.country,
            each.product_id is not None,
            each.medium is not None,
            each.first_day,
        ),
        default=None,
    )


def split_days(first: date, last: date, turns: Iterable[date]) -> list[tuple[date, date]]:
    """Some days in parts, so that a turn is always the first day of a part; both days included."""
    starts = [first, *sorted({day for day in turns if first < day <= last})]
    ends = [*(day - timedelta(days=1) for day in starts[1:]), last]
    return list(zip(starts, ends, strict=True))


def place_of(country: str, home: str) -> str:
    """The place of a country, seen from the publisher: `home`, `eu` or `other`."""
    if country == home:
        return HOME
    return EU_PLACE if {country, home} <= EU else OTHER


class OneStopShop(Struct, frozen=True, kw_only=True):
    """Which sales belong in the return of the one-stop shop of the EU.

    home: country of the publisher. rates: the countries of the EU that have rates of their own,
    each with such a rate. Below 10,000 € a year, article 59c of directive 2006/112/EC leaves sales
    to other countries at the rates of the own one: these are the rates for all of them together.
    """

    home: str
    rates: frozenset[tuple[str, int]]

    def has(self, tax: TaxedPart | None, country: str) -> bool:
        """Whether a sale belongs in it."""
        taxed = (VatCategory.STANDARD, VatCategory.ZERO)
        return tax is not None and tax.category in taxed and (country, tax.rate) in self.rates


def one_stop_shop(rates: Iterable[VatRate], home: str) -> OneStopShop:
    """The one-stop shop of a publisher; nothing belongs in it outside the EU."""
    abroad = EU - {home} if home in EU else frozenset[str]()
    return OneStopShop(
        home=home,
        rates=frozenset((each.place, each.rate) for each in rates if each.place in abroad),
    )


def place_in_words(place: str) -> str:
    """A place of a rate in the current language."""
    match place:
        case "home":
            return _("in the publisher’s country")
        case "eu":
            return _("in other countries of the EU")
        case "other":
            return _("in all other countries")
    return country_in_words(place)


def tax_of(
    rates: Sequence[VatRate], sale: Sale, *, home: str, is_small_business: bool
) -> TaxedPart | None:
    """The VAT of a sale; None if it needs a rate and none is set.

    A small business is exempt. Businesses with a VAT id in another EU country owe the VAT
    themselves. Outside the EU, printed copies are exports; digital ones are taxed where the
    subscriber is, so they are outside the scope; a rate for the place or the country comes first.
    """
    if is_small_business:
        return TaxedPart(VatCategory.EXEMPT, 0)
    place = place_of(sale.country, home)
    is_digital = sale.medium is Medium.DIGITAL
    if place == EU_PLACE and sale.has_vat_id:
        kind = VatCategory.REVERSE_CHARGE if is_digital else VatCategory.INTRA_COMMUNITY
        return TaxedPart(kind, 0)
    found = find_rate(rates, sale, home=home)
    if found is not None:
        kind = VatCategory.STANDARD if found.rate else VatCategory.ZERO
        return TaxedPart(kind, found.rate)
    if place == OTHER:
        return TaxedPart(VatCategory.OUTSIDE if is_digital else VatCategory.EXPORT, 0)
    return None


def vat_in(gross: int, rate: int) -> int:
    """The VAT in one amount that includes it, rounded half up. gross: 0 or more.

    `documents.with_vat` decides what is rounded: once for each rate of a document.
    """
    return (2 * gross * rate + FULL + rate) // (2 * (FULL + rate))


def vat_on(net: int, rate: int) -> int:
    """The VAT on one amount without it, rounded half up. net: 0 or more."""
    return (2 * net * rate + FULL) // (2 * FULL)
