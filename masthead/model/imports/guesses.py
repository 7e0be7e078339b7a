"""Guesses what the columns of an unknown file mean, by their names."""

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from masthead.model.debits.imported import COLUMNS as MANDATE
from masthead.model.imports.column_words import (
    BESIDE,
    BILLING,
    HOUSE_ADDITIONS,
    HOUSE_NUMBERS,
    NAME_PARTS,
    NAMES_AND_ADDRESSES,
    NOISE,
    OTHER_LANGUAGES,
    OTHERS,
    PAYERS,
    SHIPPING,
)
from masthead.model.imports.mapping import ImportMapping, Rule
from masthead.model.imports.subscription_row import PAYER
from masthead.model.imports.targets import COLUMNS
from masthead.model.types.text import WITHOUT_UMLAUTS, fold

_MAX_NAME = 64  # characters that are compared; the known names have half as many
_UMLAUTS = str.maketrans(WITHOUT_UMLAUTS)
_AMOUNTS = ("refunded", "discount_amount")  # with a question mark, they say yes or no
_PERSON = ("full_name", "first_name", "last_name")
_WHO = {"email", "full_name", "first_name", "last_name", "company", "billing_full_name"}
_WHAT = {
    "order_date",
    "price",
    "product",
    "period_end",
    "next_payment_date",
    "start_issue",
    "last_issue",
    "length",
}
_REPEATED = re.compile(r"(.+) \([0-9]+\)")  # the name that the second of two equal ones gets
_CAPITAL_INSIDE = re.compile(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])")


def _ranks(names: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, int]]:
    """The field of each name, and its rank among the names of that field."""
    return {
        name: (field, rank)
        for field, own in names.items()
        for rank, name in enumerate((*own, *OTHER_LANGUAGES.get(field, "").split(", ")))
        if name
    }


_ADDRESS, _OTHER = _ranks(NAMES_AND_ADDRESSES), _ranks(OTHERS)
_OTHER |= {
    key: (name, -1)
    for name in COLUMNS
    if name not in {*NAMES_AND_ADDRESSES, *PAYER} - {"payer_number", "payer_vat_id"}
    and (key := name.replace("_", " ")) not in _OTHER
}
# What of the address of a payer has no column of its own
_OF_PAYER = {"full_name": "payer_name", "phone": ""}


def column_words(name: str) -> str:
    """The name of a column as words: `Straße/Hausnr.` is `strasse hausnr`."""
    text = _CAPITAL_INSIDE.sub(" ", name[:_MAX_NAME]).lower()
    text = fold(text.translate(_UMLAUTS))
    return " ".join(re.findall(r"[a-z0-9]+", text))


def guess_mapping(columns: Sequence[str]) -> ImportMapping:
    """A mapping for the columns whose names say what they are; the other columns are left.

    The second of two columns with the same name is left, too: `Address (2)` is no second line.
    """
    found: dict[str, list[tuple[int, str]]] = {}
    known = {name.lower() for name in columns}
    blocks = {
        name: _block_and_field(column_words(name))
        for name in columns
        if not ((match := _REPEATED.fullmatch(name)) and match[1].lower() in known)
    }
    _require_neighbours(blocks)
    fields = {(block, field) for block, field, _ in blocks.values()}
    for name, (block, field, rank) in blocks.items():
        if not field or (field in _AMOUNTS and name.rstrip().endswith("?")):
            continue
        field = _field_in_block(block, field, fields)
        found.setdefault(field, []).append((rank, name))
    found.pop("", None)
    rules = {
        field: Rule(columns=tuple(name for _, name in sorted(names, key=lambda each: each[0])))
        for field, names in found.items()
    }
    _join_house_number(columns, rules)
    _join_payer_name(rules)
    _settle_names(rules)
    _join_name_parts(columns, rules)
    _settle_dates(rules)
    if "is_billed" not in rules:
        rules.pop("payer_number", None)  # a paid order has none, so each row would be refused
    if not {"iban", "mandate_date"} <= rules.keys():  # a bank account alone is no mandate
        for name in MANDATE.values():
            rules.pop(name, None)
    has_names = (any(f"{block}{each}" in rules for each in _PERSON) for block in ("", "billing_"))
    return ImportMapping(columns=rules, gifts="ask" if all(has_names) else "")


def _field_in_block(block: str, field: str, fields: Collection[tuple[str, str]]) -> str:
    """The field of an order for that of an address. fields: those of all columns, by their block.

    Who gets an invoice is a payer only if the file says which orders get one: all others have a
    billing address, from which the name of the giver, or a missing address, is taken.
    """
    is_billed = ("none", "is_billed") in fields
    if field == "email":
        is_other = block in ("billing", "payer") and is_billed and ("none", "email") in fields
        return "payer_email" if is_other else "email"
    if block == "payer" and is_billed:
        return _OF_PAYER.get(field, f"payer_{field}")
    if block in ("billing", "payer") or (block == "none" and ("shipping", field) in fields):
        return f"billing_{field}"
    return field


def field_of(column: str) -> str:
    """The field that the name of a column says; empty if it says none."""
    return _block_and_field(column_words(column))[1]


def is_guessable(columns: Sequence[str]) -> bool:
    """Whether the names of the columns say enough: who ordered, and what or when.

    Files with our own columns are not guessed: a misspelled column is an error in them.
    """
    if len(set(columns) & set(COLUMNS)) * 2 >= len(columns):
        return False
    found = guess_mapping(columns).columns.keys()
    return bool(found & _WHO) and bool(found & _WHAT)


def _block_and_field(words: str) -> tuple[str, str, int]:
    """The kind of address, the field and the rank of a column; "" if the field is not known."""
    if words in _OTHER:
        return ("none", *_OTHER[words])
    if words in _ADDRESS:
        return ("none", *_ADDRESS[words])
    if words in PAYERS:
        return "payer", "full_name", 0
    for block, prefixes in (("payer", PAYERS), ("shipping", SHIPPING), ("billing", BILLING)):
        for prefix in prefixes:
            rest = _without(words, prefix)
            if rest in _ADDRESS:
                return (block, *_ADDRESS[rest])
            if rest in _OTHER and _OTHER[rest][0] == "email":
                return ("none" if block == "shipping" else block, *_OTHER[rest])
    rest = " ".join(word for word in words.split() if word not in NOISE)
    if rest == "name" and "subscription" in words:
        return "none", "", 0  # the number or the kind of a subscription, and no person
    if rest != words and rest in (*_OTHER, *_ADDRESS):
        field, rank = _OTHER.get(rest) or _ADDRESS[rest]
        return "none", field, rank + 1
    return "none", "", 0


def _without(words: str, prefix: str) -> str:
    """The words without a prefix such as `shipping`, which may be their end too."""
    if words.startswith(f"{prefix} "):
        return words.removeprefix(f"{prefix} ").strip()
    if words.endswith(f" {prefix}"):
        return words.removesuffix(f" {prefix}").strip()
    return ""


def _require_neighbours(blocks: dict[str, tuple[str, str, int]]) -> None:
    """Leave the columns whose word means this only beside another one that the file lacks."""
    words = {name: column_words(name) for name in blocks}
    for name, word in words.items():
        if word in BESIDE and not BESIDE[word] & set(words.values()):
            blocks[name] = "none", "", 0


def _join_payer_name(rules: dict[str, Rule]) -> None:
    """The name of a payer in one text."""
    parts = [rules.pop(f"payer_{each}", None) for each in ("first_name", "last_name")]
    names = [rule.columns[0] for rule in parts if rule]
    if names:
        rules.setdefault("payer_name", Rule(join=tuple(names)))


def _join_name_parts(columns: Sequence[str], rules: dict[str, Rule]) -> None:
    """Join the parts of a name that have columns of their own, such as `van den`."""
    words = {column_words(name): name for name in reversed(columns)}
    for field, parts in NAME_PARTS.items():
        before, after = (
            [words[each] for each in part.split(", ") if each in words] for part in parts
        )
        for target in (field, f"billing_{field}"):
            own = rules[target].columns if target in rules else ()
            if (before or after) and len(own) == 1 and column_words(own[0]) in _ADDRESS:
                rules[target] = Rule(join=(*before, *own, *after))


def _join_house_number(columns: Sequence[str], rules: dict[str, Rule]) -> None:
    """Join the street and the house number, if that is the next column, and its addition."""
    following = dict(pairwise(columns))
    for target in ("address1", "billing_address1", "payer_address1"):
        street = rules[target].columns if target in rules else ()
        number = following.get(street[0], "") if len(street) == 1 else ""
        if any(column_words(number).endswith(name) for name in HOUSE_NUMBERS):
            addition = following.get(number, "")
            is_addition = column_words(addition).endswith(HOUSE_ADDITIONS)
            rules[target] = Rule(join=(street[0], number, *([addition] if is_addition else [])))


def _settle_names(rules: dict[str, Rule]) -> None:
    """A column `Name` beside one for the first name has the last name."""
    for block in ("", "billing_"):
        full, first, last = f"{block}full_name", f"{block}first_name", f"{block}last_name"
        if full in rules and first in rules:
            whole = rules.pop(full)
            rules.setdefault(last, whole)


def _settle_dates(rules: dict[str, Rule]) -> None:
    """Without the end of a period, its beginning says with which issue an order begins."""
    ends = ("period_end", "next_payment_date", "interval_months", "billing_period")
    if "period_start" in rules and not any(name in rules for name in ends):
        rules["start_date"] = rules.pop("period_start")
    if "order_date" not in rules:
        for name in ("start_date", "period_start", "last_payment_date"):
            if name in rules:
                rules["order_date"] = rules[name]
                return
