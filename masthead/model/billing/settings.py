"""What an account needs for its invoices: who sells, at which rates, and how numbers look."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from msgspec import Meta

from masthead.model.billing.documents import Seller
from masthead.model.billing.tax_ids import check_bic, check_iban, check_vat_id
from masthead.model.billing.vat import EU_PLACE, HOME, OTHER, VatRate, VatSetting
from masthead.model.errors import Invalid, excerpt
from masthead.model.inputs import Creation
from masthead.model.translations import gettext as _
from masthead.model.types.countries import country_code
from masthead.model.types.fields import CountryCode, DueDays, EmailText, Name, Notes, Text

MAX_FOOTER = 4  # lines
MAX_RATE = 5_000  # 50 %, more than any country has
FIRST_SERIES = "{year}-"
MIN_PHONE = 3  # digits, as XRechnung asks for (BR-DE-27)
DIGITS = 5  # of a number within its series
Percent = Annotated[int, Meta(ge=0, le=100)]


class BillingSettings(Seller, frozen=True, kw_only=True):
    """The settings of an account for its invoices: the publisher, and how invoices are made.

    prices_include_vat: whether prices are entered with VAT; without, it is added to the
    price of an order that is billed. is_small_business, digital_percent: what holds before the
    first of the vat_settings, which are sorted by day: ask `vat_on`. series: what numbers begin
    with; `{year}` becomes the year. The letterhead is set by itself.
    """

    is_small_business: bool = False
    prices_include_vat: bool = True
    digital_percent: int = 0
    due_days: int = 14
    series: str = FIRST_SERIES
    vat_settings: tuple[VatSetting, ...] = ()

    @property
    def seller(self) -> Seller:
        """The publisher, as a document says it."""
        return Seller(**{name: getattr(self, name) for name in Seller.__struct_fields__})

    def vat_on(self, day: date) -> VatSetting:
        """What decides about VAT on a day, beside the rates."""
        begun = [each for each in self.vat_settings if each.first_day <= day]
        if begun:
            return begun[-1]
        return VatSetting(
            first_day=date.min,
            is_small_business=self.is_small_business,
            digital_percent=self.digital_percent,
        )

    @property
    def small_business(self) -> set[bool]:
        """Whether the publisher is a small business, on one day or another."""
        return {self.is_small_business, *(each.is_small_business for each in self.vat_settings)}

    def adds_vat_on(self, day: date) -> bool:
        """Whether VAT is added to the prices of orders that are billed on a day."""
        return not (self.prices_include_vat or self.vat_on(day).is_small_business)

    def series_on(self, day: date) -> str:
        """The series of the numbers that are given on a day."""
        return self.series.replace("{year}", str(day.year))


def document_number(series: str, number: int) -> str:
    """A number as it is printed: `2026-00012`."""
    return f"{series}{number:0{DIGITS}}"


class BillingInput(Creation, kw_only=True):
    """The settings for invoices, as they are typed."""

    noun = "settings"

    name: Name
    street: Name
    postcode: Name
    city: Name
    country: CountryCode
    vat_id: Text | None = None
    tax_number: Text | None = None
    email: EmailText | None = None
    phone: Text | None = None
    bank: Text | None = None
    iban: Text | None = None
    bic: Text | None = None
    footer: Notes | None = None
    is_small_business: bool | None = None
    prices_include_vat: bool | None = None
    digital_percent: Percent | None = None
    due_days: DueDays | None = None
    series: Text | None = None


def check_settings(asked: BillingInput) -> BillingSettings:
    """The settings, with ids and numbers in their short form. Raises: Invalid."""
    given: dict[str, Any] = {
        name: value
        for name in BillingSettings.__struct_fields__
        if (value := getattr(asked, name, None)) is not None
    }
    if not (asked.vat_id or asked.tax_number):
        raise Invalid(
            _("Type the VAT ID or the tax number. Every invoice must have one of them."),
            field="vat_id",
        )
    if asked.vat_id:
        given["vat_id"] = check_vat_id("vat_id", asked.vat_id)
    if asked.iban:
        given["iban"] = check_iban("iban", asked.iban)
    if asked.bic:
        given["bic"] = check_bic("bic", asked.bic)
    if asked.phone and sum(map(str.isdigit, asked.phone)) < MIN_PHONE:
        raise Invalid(
            _("`{phone}` is not a phone number.").format(phone=excerpt(asked.phone)),
            field="phone",
            value=asked.phone,
        )
    if (asked.footer or "").count("\n") >= MAX_FOOTER:
        raise Invalid(
            _("The end of a page has place for {count} lines.").format(count=MAX_FOOTER),
            field="footer",
        )
    if asked.series is not None:
        _check_series(asked.series)
    return BillingSettings(**given)


def _check_series(series: str) -> None:
    """Raises: Invalid if numbers with this beginning could be mistaken for others."""
    plain = series.replace("{year}", "")
    if len(series) > 20 or any(not (each.isalnum() or each in "-/.") for each in plain):
        raise Invalid(
            _(
                "`{series}` cannot begin a number. Use up to 20 letters, digits, `-`, `/` and `.`, "
                "and `{{year}}` for the year."
            ).format(series=excerpt(series)),
            field="series",
            value=series,
        )
    if series and series[-1].isdigit():
        raise Invalid(
            _("`{series}` ends with a digit, so numbers could not be told apart. Add `-`.").format(
                series=excerpt(series)
            ),
            field="series",
            value=series,
        )


def check_rate(rate: VatRate, *, products: Mapping[str, str]) -> None:
    """Raises: Invalid if a rate is none, or is for a place or a product that does not exist."""
    if rate.place not in (HOME, EU_PLACE, OTHER):
        country_code("place", rate.place)
    if not 0 <= rate.rate <= MAX_RATE:
        raise Invalid(_("A rate is from 0 to 50%."), field="rate", value=rate.rate)
    if rate.product_id is not None and rate.product_id not in products:
        raise Invalid(_("This product does not exist any more."), field="product_id")
