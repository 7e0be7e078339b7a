"""`masthead invoice settings`, `rate`, `vat` and `exchange-rate`: what invoices are made by."""

from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec import structs, to_builtins

from masthead.cli.command import CommandError, Json, command_actor, on_account, parse_date
from masthead.cli.output import print_done, print_record
from masthead.model.billing.exchange_rates import read_exchange_rate
from masthead.model.billing.settings import BillingInput, BillingSettings
from masthead.model.billing.terms import require_settings
from masthead.model.billing.vat import VAT_COLUMNS, VatRate
from masthead.model.types.enums import Medium
from masthead.model.validation import decode_input
from masthead.services.billing import exchange_rates, settings as service
from masthead.store.accounts import Account
from masthead.store.billing import settings as settings_store
from masthead.store.engine.interface import Database

_CHANGED = {*BillingInput.__struct_fields__}.difference(VAT_COLUMNS)


@on_account
async def change_settings(
    db: Database,
    account: Account,
    *,
    name: str | None = None,
    street: str | None = None,
    postcode: str | None = None,
    city: str | None = None,
    country: str | None = None,
    vat_id: str | None = None,
    tax_number: str | None = None,
    email: str | None = None,
    phone: str | None = None,
    bank: str | None = None,
    iban: str | None = None,
    bic: str | None = None,
    due_days: int | None = None,
    series: str | None = None,
    json: Json = False,
) -> None:
    """Change the settings of invoices, or show them. What is not given stays as it is.

    An empty text, such as `--phone ""`, removes what is set.

    Parameters
    ----------
    name
        name of the publisher
    country
        ISO 3166-1 alpha-2 code
    vat_id
        VAT id; an invoice must have it or the tax number
    email
        email address for questions; XRechnung needs it
    phone
        phone for questions; XRechnung needs it
    due_days
        days until an invoice is due
    series
        beginning of the numbers, such as `{year}-`
    """
    known = await settings_store.find_settings(db, account.id)
    given = {
        "name": name,
        "street": street,
        "postcode": postcode,
        "city": city,
        "country": country,
        "vat_id": vat_id,
        "tax_number": tax_number,
        "email": email,
        "phone": phone,
        "bank": bank,
        "iban": iban,
        "bic": bic,
        "due_days": due_days,
        "series": series,
    }
    changed = {name: value for name, value in given.items() if value is not None}
    if changed:
        fields = {
            name: value
            for name, value in {**_shown(known), **changed}.items()
            if value != "" and name in _CHANGED
        }
        asked = decode_input(BillingInput, fields)
        by = command_actor("invoice settings")
        await service.save_settings(db, account.id, asked, by=by)
        known = await settings_store.find_settings(db, account.id)
    if known is None:
        raise CommandError("This account has no settings of invoices yet. Give at least the name.")
    print_record(_shown(known), json=json)


def _shown(settings: BillingSettings | None) -> dict[str, Any]:
    return to_builtins(settings) if settings else {}


@on_account
async def save_rate(
    db: Database,
    account: Account,
    *,
    first_day: Annotated[str, Parameter(name="--from")],
    place: str,
    percent: str,
    medium: Medium | None = None,
    product: str | None = None,
    json: Json = False,
) -> None:
    """Set a rate of VAT from a day on.

    Parameters
    ----------
    first_day
        first day, as YYYY-MM-DD
    place
        `home`, `eu`, `other`, or the ISO code of a country
    percent
        rate in percent, such as `7` or `5.5`
    medium
        Print or Digital; for both by default
    product
        id of the product; for all by default
    """
    try:
        hundredths = Decimal(percent) * 100
    except InvalidOperation:
        raise CommandError(f"`{percent}` is no rate; expected a number such as 7.") from None
    if hundredths != int(hundredths):
        raise CommandError(f"`{percent}` has more than two decimals.")
    rate = VatRate(
        first_day=parse_date(first_day),
        product_id=product,
        medium=medium,
        place=place,
        rate=int(hundredths),
    )
    await service.save_rate(db, account.id, rate, by=command_actor("invoice rate"))
    print_done(structs.asdict(rate), f"The rate holds from {first_day} on.", json=json)


@on_account
async def save_vat_setting(
    db: Database,
    account: Account,
    *,
    first_day: Annotated[str, Parameter(name="--from")],
    small_business: bool | None = None,
    digital_percent: Annotated[int | None, Parameter(validator=Number(gte=0, lte=100))] = None,
    json: Json = False,
) -> None:
    """Change the exemption of small businesses, or the digital part of bundles, from a day on.

    What is not given stays as it is on that day. Days before it keep theirs.

    Parameters
    ----------
    first_day
        first day, as YYYY-MM-DD
    small_business
        whether you are a small business, exempt from VAT
    digital_percent
        how much of the price of print + digital is for the digital copies
    """
    day = parse_date(first_day)
    settings = require_settings(await settings_store.find_settings(db, account.id))
    given = {"is_small_business": small_business, "digital_percent": digital_percent}
    changed = {name: value for name, value in given.items() if value is not None}
    setting = structs.replace(settings.vat_on(day), first_day=day, **changed)
    await service.save_vat_setting(db, account.id, setting, by=command_actor("invoice vat"))
    print_done(structs.asdict(setting), f"This holds from {first_day} on.", json=json)


@on_account
async def save_exchange_rate(
    db: Database,
    account: Account,
    *,
    first_day: Annotated[str, Parameter(name="--from")],
    base: str,
    quote: str,
    rate: str,
    json: Json = False,
) -> None:
    """Set an exchange rate from a day on, for the VAT of invoices in another currency.

    One of both currencies is that of the publisher's country.

    Parameters
    ----------
    first_day
        first day, as YYYY-MM-DD
    base
        currency of which one unit is meant, such as EUR
    quote
        the other currency, such as CHF
    rate
        what one unit is in the other currency, such as `0.9342`
    """
    settings = require_settings(await settings_store.find_settings(db, account.id))
    day = parse_date(first_day)
    asked = read_exchange_rate(day, base, quote, rate, home=settings.country)
    by = command_actor("invoice exchange-rate")
    await exchange_rates.save_exchange_rate(db, account.id, asked, by=by)
    print_done(to_builtins(asked), f"From {first_day} on, {asked.text}.", json=json)
