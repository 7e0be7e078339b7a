"""The fields of audit entries that changed, in words, with names instead of ids."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from masthead.model.audit_entries import EntryType
from masthead.model.dispatch.profile_words import settings_in_words
from masthead.model.history.entries import FieldChange, Record, RecordNames, Value
from masthead.model.history.labels import label_of_field
from masthead.model.history.words import MONEY_FIELDS, RECORDS, amount_in_words, in_words
from masthead.model.identity.rights import Right, role_in_words
from masthead.model.ids import is_id
from masthead.model.orders.offers import price_name
from masthead.model.orders.price_rises import rise_in_words, rise_name
from masthead.model.translations import format_day, gettext as _, gettext_noop, pgettext
from masthead.model.types.enums import Role

# Ids of records without a name, and what only a program compares
_NEVER = frozenset({"erasure", "fingerprint", "id", "note", "prices_from", "rises_from", "sha256"})
# What a field is called in the entries of an action, if it means something else there
_OWN_LABELS = {
    (EntryType.ACCOUNT_DELETE_OLD_DATA, "number"): gettext_noop("deleted"),
    (EntryType.IMPORT_BATCH_UNDO, "number"): gettext_noop("number of the import"),
    (EntryType.IMPORT_BATCH_UNDO, "undone"): gettext_noop("rows taken back"),
    (EntryType.IMPORT_BATCH_UNDO, "kept"): gettext_noop("rows still here"),
}
# Fields that say nothing to a reader of a history
_HIDDEN = _NEVER | {"copy", "copy_id", "is_billed", "marked"}
_AMOUNTS = frozenset(
    {"amount", "discount_amount", "fee", "least_amount", "price", "refunded", "total"}
)

Fields = Mapping[str, Any]


def changes_of(before: Fields, after: Fields, names: RecordNames) -> list[FieldChange]:
    """The fields that changed, in words. Of a new record, only fields that have a value.

    What is only before, such as a merge that was undone, is shown as it was.
    """
    is_new = not before
    return [
        FieldChange(label, None if is_new or name not in before else was, now)
        for name, label, was, now in _words_of(*_shown(before, after), names)
        if name not in _HIDDEN and was != now and (now != "" or not is_new)
    ]


def _shown(before: Fields, after: Fields) -> tuple[Fields, Fields]:
    """The values before and after, without a change if there is nothing after."""
    return (before, after) if after else ({}, before)


def same_for_each_copy(fields: Fields | None) -> Fields:
    """The fields that are the same for several copies of one order, which share the rest."""
    return {name: value for name, value in (fields or {}).items() if name != "order_id"}


def changes_in_log(
    action: str, before: Fields | None, after: Fields | None, names: RecordNames
) -> list[FieldChange]:
    """The fields of an audit entry in words. A field that stays the same has only one value.

    Prices, rises and settings have a line for each that changed.
    """
    return [
        *_listed(action, *_shown(before or {}, after or {}), names),
        *([] if names.hides_money else _lines("prices", before, after, _prices)),
        *([] if names.hides_money else _lines("rises", before, after, _rises)),
        *_lines("settings", before, after, settings_in_words),
    ]


def _listed(
    action: str, before: Fields, after: Fields, names: RecordNames
) -> Iterator[FieldChange]:
    for name, label, was, now in _words_of(before, after, names):
        if name in _NEVER or name in ("prices", "rises", "settings"):
            continue
        old, new = before.get(name), after.get(name)
        if name == "rights" and isinstance(old, list) and isinstance(new, list):
            yield from _rights(old, new, names)
            continue
        if (action, name) in _OWN_LABELS:
            label = _(_OWN_LABELS[EntryType(action), name])
        if name in before and (was != now or name not in after):
            yield FieldChange(label, was, now)
        elif now != "":
            yield FieldChange(label, None, now)


def _rights(old: list[str], new: list[str], names: RecordNames) -> Iterator[FieldChange]:
    """What was given and what was taken away, instead of two long lists."""
    for label, found in (
        (_("rights given"), [each for each in new if each not in old]),
        (_("rights taken away"), [each for each in old if each not in new]),
    ):
        if found:
            yield FieldChange(label, None, in_words("rights", found, names))


def _words_of(
    before: Fields, after: Fields, names: RecordNames
) -> Iterator[tuple[str, str, Value, Value]]:
    """Each field: its name, its label, its old and its new value. Amounts have their currency."""
    fields = {**before, **after}
    currency = fields.get("currency") if fields.keys() & _AMOUNTS else None
    for name in fields:
        if names.hides_money and name in MONEY_FIELDS:
            continue
        if name in _AMOUNTS and currency:
            texts = [f"{it[name]} {currency}" if it.get(name) else "" for it in (before, after)]
            old, new = map(amount_in_words, texts)
            yield name, label_of_field(name), old, new
        elif name == "role":
            yield name, label_of_field(name), _role(before), _role(after)
        elif name != "currency" or not currency:
            was, now = (in_words(name, it.get(name), names) for it in (before, after))
            yield name, label_of_field(name), was, now


def _role(fields: Fields) -> str:
    """The role of a user; with chosen rights, it is not all that its name says."""
    role, chosen = fields.get("role"), fields.get("rights")
    if role not in list(Role):
        return str(role or "")
    own = None if chosen is None else frozenset(each for each in Right if each in chosen)
    return role_in_words(Role(role), own)


def _lines(
    name: str,
    before: Fields | None,
    after: Fields | None,
    read: Callable[[Fields], Iterable[tuple[str, str]]],
) -> Iterator[FieldChange]:
    """A line for each part of a field that has several, unless it stays the same."""
    old, new = (dict(read(it[name])) if it and name in it else {} for it in (before, after))
    days = (it.get(f"{name}_from") if it else None for it in (before, after))
    old_day, new_day = days
    for label in {**old, **new}:
        was, now = old.get(label, ""), new.get(label, "")
        if was != now or (old_day and old_day != new_day):
            was, now = _from_days(was, now, old_day, new_day)
            yield FieldChange(label, was if before and name in before else None, now)


def _prices(prices: Fields) -> Iterator[tuple[str, str]]:
    for offered, amount in prices.items():
        yield price_name(offered), amount_in_words(amount)


def _rises(rises: Fields) -> Iterator[tuple[str, str]]:
    for raised, by in rises.items():
        yield rise_name(raised), rise_in_words(by)


def _from_days(was: str, now: str, old: str | None, new: str | None) -> tuple[str, str]:
    """Two amounts with the days from which they hold. The first has none if it is the same."""
    if new:
        day = format_day(date.fromisoformat(new))
        now = _("{price} from {day}").format(price=now or pgettext("price", "none"), day=day)
    if old and old != new and was:
        day = format_day(date.fromisoformat(old))
        was = _("{price} from {day}").format(price=was, day=day)
    return was, now


def records_in(fields: Fields | None) -> set[Record]:
    """The records whose names the fields show."""
    return {
        (RECORDS[name], str(value))
        for name, value in (fields or {}).items()
        if name in RECORDS and (isinstance(value, int) or (isinstance(value, str) and is_id(value)))
    }
