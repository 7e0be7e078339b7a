"""For the bookkeeper: what was sold by rate of VAT, what is owed, and the journal as files."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from itertools import groupby
from operator import attrgetter

from msgspec import Struct
from starlette.responses import Response

from masthead.model.billing.datev import ENCODING, datev_head, datev_lines, missing_number
from masthead.model.billing.journal import JournalEntry, Ledger
from masthead.model.billing.ledger_accounts import CHARTS, DATEV, account_of, list_names, propose
from masthead.model.billing.orders import Taxation
from masthead.model.billing.rate_changes import has_changes
from masthead.model.billing.resources import percent_text
from masthead.model.billing.sales import VatLine, sum_by_rate
from masthead.model.billing.vat import OneStopShop, TaxedPart, VatCategory, one_stop_shop
from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.file_names import file_name
from masthead.model.translations import current_language, gettext as _, gettext_noop
from masthead.model.types.countries import country_in_words
from masthead.model.types.money import money_text
from masthead.model.types.text import without_accents
from masthead.services.billing.journal import add_up_sales, list_taxed_entries
from masthead.services.billing.pricing import find_taxation_on
from masthead.services.billing.settings import save_numbers
from masthead.store.billing import settings as settings_store
from masthead.store.billing.journal_sums import list_changes
from masthead.store.billing.ledger_accounts import list_numbers
from masthead.store.engine.interface import Connection
from masthead.temporary_files import TemporaryFile
from masthead.web.kit.attachments import read_file
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import read_day
from masthead.web.kit.formatting import get_locale, rate_in
from masthead.web.kit.table_file import asked_ending, table_file
from masthead.web.revenue.statements import last_month_end

JOURNAL = (
    "day document text debit_account debit_number credit_account credit_number amount currency "
    "vat_category vat_rate country customer_number invoice"
).split()
MAX_DAYS = 366
_FIXED = {
    "receivables": gettext_noop("Receivables"),
    "paid_at_once": gettext_noop("Orders paid at once"),
    "bank": gettext_noop("Bank"),
    "cash": gettext_noop("Cash"),
    "written_off": gettext_noop("Written off"),
    "reminder_fees": gettext_noop("Reminder fees"),
    "clearing": gettext_noop("Clearing of credit"),
    "consultant": gettext_noop("Number of the consultant (Beraternummer)"),
    "client": gettext_noop("Number of the client (Mandantennummer)"),
    "length": gettext_noop("Digits of an account, 4 to 8"),
}
_TAXED = {
    "sales": gettext_noop("Sales"),
    "vat": gettext_noop("VAT"),
    "written_off": gettext_noop("Written off"),
}


class ShownDays(Struct, frozen=True):
    """The days of a page, both included."""

    first: date
    last: date


def read_days(context: PageContext) -> ShownDays:
    """The days in the query string; by default those of the last month. Raises: Invalid."""
    end = last_month_end(context.membership.daily_date)
    first, last = (context.query.get(name, "").strip() for name in ("from", "to"))
    until = read_day(last) if last else end
    days = ShownDays(read_day(first) if first else until.replace(day=1), until)
    if days.first > days.last:
        raise Invalid(_("The first day is after the last one."), field="from")
    if days.last - days.first > timedelta(days=MAX_DAYS - 1):
        raise Invalid(_("Choose a year at most."), field="to")
    return days


async def show_bookkeeping(context: PageContext) -> Response:
    """The sums of some days by rate of VAT, what is owed at their end, and the files."""
    return await _render(context, None, {})


async def _render(
    context: PageContext, problem: Invalid | None, typed: Mapping[str, str]
) -> Response:
    """The page. typed: the numbers of accounts in a form that was refused, for a reason."""
    try:
        days = read_days(context)
    except Invalid as reason:
        end = last_month_end(context.membership.daily_date)
        problem, days = reason, ShownDays(end.replace(day=1), end)
    async with context.db.read(aside=True) as db:
        shown = (db, context.account_id, days.first, days.last)
        lines = await context.count_once(db, ("sales", days), partial(add_up_sales, *shown))
        owed = await context.count_once(db, ("changes", days), partial(list_changes, *shown))
        numbers, names = await _numbers(db, context.account_id)
        taxation = await find_taxation_on(db, context.account_id, days.last)
    shop = shop_of(taxation)
    chart = context.query.get("chart", "")
    if chart in CHARTS:
        numbers = propose(chart, names) | numbers
    locale = get_locale(context.locale)
    currencies = {each.currency for each in lines} | {each.currency for each in owed}
    return context.render(
        "revenue/bookkeeping.html",
        problem=problem,
        days=days,
        sales=_by_currency(lines, context.membership.currency),
        owed=owed,
        numbers={**numbers, **typed},
        names=names,
        name_in_words=name_in_words,
        charts=CHARTS,
        chart=chart,
        datev=DATEV,
        percent=lambda rate: rate_in(rate, locale),
        rates_of=partial(sum_by_rate, shop=shop),
        category=category_in_words,
        country_in_words=country_in_words,
        has_other_currencies=bool(currencies - {context.membership.currency}),
        is_oss=lambda line: shop.has(line.tax, line.country),
        has_changed_rates=has_changes(taxation, days.last),
    )


def _by_currency(lines: Iterable[VatLine], own: str) -> list[tuple[str, list[VatLine]]]:
    """The lines of each currency, that of the account first."""
    found = groupby(sorted(lines, key=in_order), key=attrgetter("currency"))
    return sorted(((each, list(its)) for each, its in found), key=lambda pair: pair[0] != own)


def name_key(country: str) -> str:
    """The place of a country in a list by name, without accents: `Österreich` is under O."""
    return without_accents(country_in_words(country))


def category_in_words(tax: TaxedPart | None) -> str:
    """Why a sale has its rate, in the current language."""
    return tax.category.words if tax else _("no rate in the settings")


def in_order(line: VatLine) -> tuple[str, bool, str]:
    """Lines are sorted by currency and name of the country; those without one are the last."""
    return line.currency, not line.country, line.country and name_key(line.country)


def name_in_words(name: str) -> str:
    """An account of the journal in words: `Sales, taxed, 7%`, or `Sales, export`."""
    if name in _FIXED:
        return _(_FIXED[name])
    ledger, rest = next((each, name.removeprefix(each)) for each in _TAXED if name.startswith(each))
    name, _sep, rate = rest.removeprefix("_").rpartition("_")
    words = [_(_TAXED[ledger])]
    if rest == "_oss":
        return ", ".join([*words, _("one-stop shop (OSS)")])
    category = VatCategory(name)
    words.append(category.words)
    if category is VatCategory.STANDARD:
        words.append(rate_in(int(rate), current_language()))
    return ", ".join(words)


def _in_words(reason: Invalid) -> Invalid:
    """The reason with the name of an account as the page shows it."""
    if reason.code != "missing_number" or reason.field is None:
        return reason
    return missing_number(reason.field, name_in_words(reason.field))


async def _numbers(db: Connection, account_id: int) -> tuple[dict[str, str], list[str]]:
    """The numbers of the accounts, and the names of all accounts that there can be."""
    settings = await settings_store.find_settings(db, account_id)
    rates = await settings_store.list_rates(db, account_id)
    names = list_names(
        rates,
        small_business=settings.small_business if settings else {False},
        home=settings.country if settings else "",
    )
    return await list_numbers(db, account_id), names


def shop_of(taxation: Taxation | None) -> OneStopShop:
    """Which sales belong to the one-stop shop. taxation: of any day."""
    if taxation is None:
        return one_stop_shop((), "")
    return one_stop_shop(taxation.rates, taxation.settings.country)


async def save_accounts(context: PageContext) -> Response:
    """Store the numbers of the accounts."""
    numbers = {
        name.removeprefix("number_"): str(value).strip()
        for name, value in (context.form_data or {}).items()
        if name.startswith("number_")
    }
    try:
        await save_numbers(context.db, context.account_id, numbers, by=context.actor)
    except Invalid as reason:
        return await _render(context, reason, numbers)
    days = {name: context.query.get(name, "") for name in ("from", "to")}
    message = _("The accounts are saved.")
    return context.redirect(context.url("money", "bookkeeping", **days), message=message)


async def download_journal(context: PageContext) -> Response:
    """The entries of some days as a file, read and sent day by day. Raises: Invalid."""
    days = read_days(context)
    name = file_name(
        "journal-{first}-{last}.{ending}",
        first=days.first,
        last=days.last,
        ending=asked_ending(context),
    )

    async def parts() -> AsyncIterator[Sequence[Mapping[str, object]]]:
        async with context.db.read(aside=True) as db:
            numbers = await list_numbers(db, context.account_id)
            shop = shop_of(await find_taxation_on(db, context.account_id, days.last))
        async for entries in _read_entries(context, days):
            yield [_journal_row(each, numbers, shop) for each in entries]

    return await table_file(context, name, JOURNAL, parts(), title=_("Journal"))


async def _read_entries(
    context: PageContext, days: ShownDays
) -> AsyncIterator[Sequence[JournalEntry]]:
    """The entries of each day."""
    async with context.db.read(aside=True) as db:
        taxation = await find_taxation_on(db, context.account_id, days.first)
    for number in range((days.last - days.first).days + 1):
        day = days.first + timedelta(days=number)
        async with context.db.read(aside=True) as db:
            entries = await list_taxed_entries(db, context.account_id, day, day, taxation)
        yield entries


def _journal_row(
    entry: JournalEntry, numbers: Mapping[str, str], shop: OneStopShop
) -> dict[str, object]:
    def number(ledger: Ledger) -> str:
        return numbers.get(account_of(entry, ledger, shop), "")

    return {
        "day": entry.day,
        "document": entry.document,
        "text": entry.text,
        "debit_account": _(entry.debit),
        "debit_number": number(entry.debit),
        "credit_account": _(entry.credit),
        "credit_number": number(entry.credit),
        "amount": money_text(entry.amount, entry.currency),
        "currency": entry.currency,
        "vat_category": category_in_words(entry.tax) if entry.country else "",
        "vat_rate": percent_text(entry.tax.rate) if entry.tax else "",
        "country": entry.country,
        "customer_number": entry.customer,
        "invoice": entry.settles,
    }


async def download_datev(context: PageContext) -> Response:
    """The entries of some days for DATEV; the page with the reason if they cannot be written.

    They wait in a file until all are read, because an account may have no number. Raises: Invalid
    if the days are wrong.
    """
    days, file = read_days(context), TemporaryFile(".csv")
    name = f"EXTF_Buchungsstapel_{days.first}_{days.last}.csv"
    async with context.db.read(aside=True) as db:
        numbers = await list_numbers(db, context.account_id)
        shop = shop_of(await find_taxation_on(db, context.account_id, days.last))
    currency = context.membership.currency  # DATEV needs a rate of exchange for others
    try:
        head = datev_head(
            numbers, first=days.first, last=days.last, made_at=now(), currency=currency
        )
        with file.path.open("w", encoding=ENCODING, errors="replace", newline="") as stream:
            stream.write(head)
            async for entries in _read_entries(context, days):
                stream.writelines(
                    datev_lines(
                        (each for each in entries if each.currency == currency),
                        numbers,
                        shop=shop,
                    )
                )
    except Invalid as reason:
        return await _render(context, _in_words(reason), {})
    await context.record_download(name)
    return context.download(read_file(file), name, f"text/csv; charset={ENCODING}")
