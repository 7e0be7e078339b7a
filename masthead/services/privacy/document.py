"""Everything about a subscriber as a document to read and to print: in words, and as HTML."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from html import escape
from typing import Any
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_datetime

from masthead.model.audit_entries import label_of as describe_action
from masthead.model.privacy.data_sheet import DataSheet, SheetSection
from masthead.model.privacy.erasures import Record
from masthead.model.privacy.labels import label_of
from masthead.model.translations import gettext as _, in_language, language_of
from masthead.model.types.countries import country_in_words

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


# Keys of other records, which only the JSON has
_LEFT_OUT = frozenset(
    "subscriber_id subscription_id source_id product_id period_id issue_id copy_id batch_id "
    "dispatch_id letter_id claim_id line_id bundle_id kept_id merged_id subject_id made "
    "moved".split()
)
_TRANSLATED = frozenset("status medium type subject_type outcome".split())


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
    moment = _text("exported_at", everything["exported_at"], locale)
    notes = [_("Written on {moment} ({zone}).").format(moment=moment, zone=zone)]
    if everything["erased_at"]:
        erased = _text("erased_at", everything["erased_at"], locale)
        text = _("The data about this person was erased on {moment}. What follows was kept.")
        notes.append(text.format(moment=erased))
    titled = [(record.words, everything[record.value]) for record in Record]
    titled += [
        (_("Stored files that may name them"), everything["files"]),
        (
            _("Revenue statements with their orders, by id and amount"),
            everything["revenue_statements"],
        ),
    ]
    return DataSheet(
        language=language_of(locale),
        title=_("What {account} keeps about {name}").format(account=account, name=name),
        notes=notes,
        sections=[
            SheetSection(title, [_fields(row, locale) for row in rows])
            for title, rows in ((title, list(rows)) for title, rows in titled)
            if rows
        ],
        written_at=everything["exported_at"],
    )


def _fields(row: Mapping[str, Any], locale: str) -> list[tuple[str, str]]:
    """The fields of a record that have a value."""
    return [
        (label_of(name), _text(name, value, locale))
        for name, value in row.items()
        if value not in (None, "", [], {}) and name not in _LEFT_OUT
    ]


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


def _text(name: str, value: object, locale: str) -> str:
    """A value in the language of the document."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, datetime):
        return str(format_datetime(value, "medium", locale=locale))
    if isinstance(value, date):
        return str(format_date(value, "medium", locale=locale))
    if name in _TRANSLATED and isinstance(value, str) and value:
        return _(value)
    if name.endswith("country"):
        return country_in_words(str(value))
    if name == "action":
        return describe_action(str(value))
    if isinstance(value, dict):
        filled = {key: each for key, each in value.items() if each not in (None, "", [])}
        return "\n".join(
            f"{label_of(key)}: {_text(key, each, locale)}" for key, each in filled.items()
        )
    if isinstance(value, list):
        return ", ".join(_text(name, each, locale) for each in value)
    return str(value)
