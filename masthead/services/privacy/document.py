"""Everything about a subscriber as a document to read and to print: in words, and as HTML."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from html import escape
from typing import Any
from zoneinfo import ZoneInfo

from babel.dates import format_datetime

from masthead.model.privacy.data_sheet import DataSheet, SheetSection
from masthead.model.privacy.erasures import Record
from masthead.model.translations import gettext as _, in_language, language_of
from masthead.model.types.money import decimal_in_words
from masthead.model.types.recipient_languages import locale_in, spoken_in
from masthead.services.privacy.readable import fields_of
from masthead.store.accounts import Account
from masthead.store.subscribers.corrections import StoredSubscriber

_STYLE = """
body { font: 11pt/1.4 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.2rem; margin-top: 2rem; break-after: avoid }
dl { display: grid; grid-template-columns: minmax(7rem, 13rem) 1fr; gap: 0 1rem; margin: 0 0 1rem;
  padding: .4rem 0; border-top: 1px solid #bbb; break-inside: avoid }
dt { color: #555 } dd { margin: 0; overflow-wrap: anywhere; white-space: pre-line }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr } dd { margin-bottom: .4rem } }
@media (prefers-color-scheme: dark) { body { background: #161616; color: #eee } dt { color: #aaa } }
@media print { body { margin: 0; max-width: none; background: none; color: black } }
"""


def document_locale(subscriber: StoredSubscriber, account: Account, language: str = "") -> str:
    """The locale of the document for a subscriber. language: that a user chose.

    Without a choice, and unless the account says which languages its recipients have, somebody
    who has no language gets that of their country.
    """
    country = subscriber.country or subscriber.latest_country
    wanted: str | None = language
    if not language and not subscriber.language and not account.country_languages and country:
        wanted = spoken_in(country)
    if wanted:
        return locale_in(wanted, account.locale, country)
    return subscriber.locale_in(account)


def make_sheet(everything: Mapping[str, Any], locale: str, zone: str) -> DataSheet:
    """The document in the language of a locale. everything: of `collect_everything`.

    zone: the time zone of its moments.
    """
    with in_language(locale):
        return _sheet(_in_zone(everything, ZoneInfo(zone)), locale, zone)


def make_document(everything: Mapping[str, Any], locale: str, zone: str) -> str:
    """The document as HTML. Arguments: as `make_sheet`."""
    return "\n".join(_lines(make_sheet(everything, locale, zone)))


def _in_zone(value: Any, zone: ZoneInfo) -> Any:
    """A value whose moments, and those in it, are in a time zone."""
    if isinstance(value, datetime):
        return value.astimezone(zone)
    if isinstance(value, Mapping):
        return {name: _in_zone(each, zone) for name, each in value.items()}
    return [_in_zone(each, zone) for each in value] if isinstance(value, list) else value


def _sheet(everything: Mapping[str, Any], locale: str, zone: str) -> DataSheet:
    name, account = everything["name"], everything["account"]["name"]
    moment = _moment(everything["exported_at"], locale)
    notes = [_("Written on {moment} ({zone}).").format(moment=moment, zone=zone)]
    if everything["erased_at"]:
        erased = _moment(everything["erased_at"], locale)
        text = _("The data about this person was erased on {moment}. What follows was kept.")
        notes.append(text.format(moment=erased))
    currencies = {each["id"]: each["currency"] for each in everything[Record.ORDERS.value]}
    titled = [(record.value, record.words, everything[record.value]) for record in Record]
    titled += [
        ("files", _("Stored files that may name them"), everything["files"]),
        (
            "revenue_statements",
            _("Revenue statements with their orders, by id and amount"),
            everything["revenue_statements"],
        ),
    ]
    sections = list[SheetSection]()
    for kind, title, rows in titled:
        fields = [fields_of(kind, row, currencies, locale) for row in rows]
        if kind == Record.SUBSCRIBERS.value and fields and everything["paid"]:
            fields[0].append((_("Paid so far"), _paid(everything["paid"])))
        # A record whose fields are all for programs says nothing
        if any(fields):
            sections.append(SheetSection(title, [each for each in fields if each]))
    return DataSheet(
        language=language_of(locale),
        title=_("What {account} keeps about {name}").format(account=account, name=name),
        notes=notes,
        sections=sections,
        written_at=everything["exported_at"],
    )


def _moment(value: object, locale: str) -> str:
    """A moment; a text, as it is."""
    if isinstance(value, datetime):
        return str(format_datetime(value, "medium", locale=locale))
    return str(value)


def _paid(by_currency: Mapping[str, str]) -> str:
    """What they paid in each currency, as the page of the subscriber has it."""
    return ", ".join(decimal_in_words(text, currency) for currency, text in by_currency.items())


def _lines(sheet: DataSheet) -> Iterator[str]:
    yield "<!doctype html>"
    yield f'<html lang="{sheet.language}">'
    yield '<head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(sheet.title)}</title><style>{_STYLE}</style></head>"
    yield f"<body><h1>{escape(sheet.title)}</h1>"
    for note in sheet.notes:
        yield f"<p>{escape(note)}</p>"
    for section in sheet.sections:
        yield f"<section><h2>{escape(section.title)} ({len(section.records)})</h2>"
        for record in section.records:
            yield "<dl>"
            for label, text in record:
                yield f"<dt>{escape(label)}</dt><dd>{escape(text)}</dd>"
            yield "</dl>"
        yield "</section>"
    yield "</body></html>"
