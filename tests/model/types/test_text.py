"""Normal forms of Unicode text, and the time to compute them."""

import ast
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

import masthead
from masthead.model.dispatch.postal.seen_addresses import comparable
from masthead.model.errors import Invalid, excerpt
from masthead.model.identity.passwords import MAX_TYPED, new_password, plain_password
from masthead.model.orders.known_subscribers import name_key
from masthead.model.search import phone_terms, search_terms, search_text
from masthead.model.types import text as module
from masthead.model.types.email_addresses import email_address, email_key
from masthead.model.types.text import (
    MAX_LONG_TEXT,
    Form,
    casefold,
    caseless,
    fold,
    fold_all,
    fold_letters,
    fold_searched,
    is_digits,
    normalize,
    short_text,
)
from tests.support.cases import for_each

FORMS: list[Form] = ["NFC", "NFKC", "NFKD"]
MARKS = "\u0315\u0316\u0301\u0323\u0344\u0345\u0f73\u0f75\u0f81\uff9e\uff9f\u3099\u05b0\u1d165"
LETTERS = "aéßΐǰﷺŁİ한가각\u1100\u1161\u11a8がｶ\u0345\u1f82 \n"
PACKAGE = Path(masthead.__file__).parent


# --- The result is Unicode's ----------------------------------------------------------------------


@given(st.sampled_from(FORMS), st.text(st.sampled_from(MARKS + LETTERS) | st.characters()))
@example("NFC", "a" + "\u0315\u0316" * 50)
@example("NFKD", "\uff9e\u0301" * 50)
@example("NFC", "\u0f73\u0301" * 50 + "e")
def test_a_normal_form_is_the_one_of_unicode(form: Form, text: str) -> None:
    for sample in (text, text * 8):
        assert normalize(form, sample) == unicodedata.normalize(form, sample)


@given(
    st.text(
        st.sampled_from(MARKS + LETTERS) | st.characters() | st.characters(max_codepoint=0x5FF)
    ).map(lambda text: text * 8)
)
def test_texts_are_compared_in_the_forms_of_unicode(text: str) -> None:
    normal = unicodedata.normalize
    assert caseless(text) == normal("NFC", normal("NFC", text).casefold())
    folded = normal("NFKD", normal("NFKD", text).casefold()).translate(module._ACCENTS)
    assert fold_letters(text) == normal("NFC", folded.translate(module._PLAIN_LETTERS))
    folded = normal("NFKD", normal("NFKD", text.replace("´", "'")).casefold())
    searched = normal("NFC", folded.translate(module._FOLDED))
    assert fold_searched(text) == searched
    assert fold(text) == searched.replace("'", "")
    for texts in ([text[:40], "É"], [text[:40], "", text[:9], "漢"], []):
        assert fold_all(texts) == list(map(fold, texts))


@for_each("name", [f"O{sign}Brien" for sign in "'’‘`´ʼ′＇｀ʹʻ‛"] + ["OBrien", "O\u200b’Brien"])
def test_apostrophes_are_left_out(name: str) -> None:
    assert fold(name) == fold_letters("OBrien") == "obrien"
    assert name_key("Pat", name) == "obrien pat"
    assert comparable(name) == "obrien"


@for_each("sign", "-‐‑‒–—−﹣－")
def test_there_is_one_hyphen(sign: str) -> None:
    assert fold(f"Müller{sign}Lüdenscheidt") == "muller-ludenscheidt"


@for_each("sign", "\xad\u200b\u200c\u200d\u200e\u2060\u2063\ufeff\ufe0f\u034f\U000e0001")
def test_invisible_signs_are_left_out(sign: str) -> None:
    assert fold(f"Lüden{sign}scheidt") == "ludenscheidt"


@for_each("blank", "\t\xa0\u2007\u2009\u202f\u3000\u2800\u2028")
def test_blanks_of_all_kinds_divide_words(blank: str) -> None:
    assert search_terms(f"Anna{blank}Berg") == search_text(f"Anna{blank}Berg").split()
    assert search_terms(f"Anna{blank}Berg") == ["anna", "berg"]


@for_each(
    "search, terms, phones",
    [
        ("Straßer-Oßwald, Zoë", ["strasser-osswald", "zoe"], []),
        ("a, ; b", ["a", ";", "b"], []),
        ("+49421123456", ["+49421123456"], ["421123456"]),
        ("+49 421 123456", ["+49", "421", "123456"], ["421123456"]),
        ("Zoe (0421) 12-34.56 X", ["zoe", "(0421)", "12-34.56", "x"], ["zoe", "421123456", "x"]),
        ("0421/123456", ["0421/123456"], ["421123456"]),
        ("030 12345", ["030", "12345"], ["3012345"]),
        ("(212) 555-1234", ["(212)", "555-1234"], ["2125551234"]),
        ("01.02.2026", ["01.02.2026"], []),
        ("1001-2345678", ["1001-2345678"], []),
        ("+49", ["+49"], []),
    ],
)
def test_the_terms_of_a_search(search: str, terms: list[str], phones: list[str]) -> None:
    assert search_terms(search) == terms
    assert phone_terms(terms) == phones


def test_marks_that_a_character_contains_are_only_marks() -> None:
    for letter in map(chr, range(sys.maxunicode + 1)):
        parts = unicodedata.normalize("NFKD", letter)
        if unicodedata.combining(parts[0]):
            assert all(map(unicodedata.combining, parts)), letter


# --- Its length is checked ------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["0", "7", "007", "999"])
def test_ascii_digits_are_an_integer(text: str) -> None:
    assert is_digits(text, at_most=3)


@for_each("text", ["", "1234", "-1", "+1", "1.0", " 1", "1\n", "1_0", "²", "１"])
def test_other_texts_are_not_integers(text: str) -> None:
    assert not is_digits(text, at_most=3)


def test_a_text_that_is_too_long_is_refused_and_quoted_in_part() -> None:
    assert short_text("city", "x" * 255) == "x" * 255
    with pytest.raises(Invalid, match="`city` has 300000 characters; at most 255") as refusal:
        short_text("city", "x" * 300_000)
    assert refusal.value.value == excerpt("x" * 300_000)
    assert len(excerpt("x" * 300_000)) == 255


@pytest.mark.parametrize("take", [casefold, caseless, fold, lambda text: normalize("NFC", text)])
@pytest.mark.parametrize("letter", ["a", "ä"])
def test_a_text_whose_length_was_not_checked_is_not_processed(take: Any, letter: str) -> None:
    assert take(letter * MAX_LONG_TEXT)
    with pytest.raises(ValueError, match="10001 characters"):
        take(letter * (MAX_LONG_TEXT + 1))


def test_an_email_address_has_at_most_255_characters_at_every_input() -> None:
    for take in (lambda text: email_address("email", text), email_key):
        with pytest.raises(Invalid, match="has 300 characters; at most 255"):
            take("é" * 300)


def test_only_texts_longer_than_any_password_are_truncated() -> None:
    longest = "\u1f82" * 128  # each has four characters when it is typed in parts
    typed = unicodedata.normalize("NFD", longest)
    assert len(typed) == MAX_TYPED
    assert plain_password(typed) == longest
    assert len(plain_password(typed + "a\u0301" * 9000)) > 128
    with pytest.raises(Invalid, match="has 18512 characters; 12 to 128"):
        new_password(typed + "a\u0301" * 9000, "ann@acme.test")


# --- The work is linear ---------------------------------------------------------------------------


class Counting:
    """`unicodedata`, with a count of the steps of sorting marks.

    longest: of the texts that were given to it. swaps: how often a mark passed another.
    """

    def __init__(self) -> None:
        self.longest = self.swaps = 0

    combining = staticmethod(unicodedata.combining)

    def normalize(self, form: Form, text: str) -> str:
        """The text in a normal form."""
        self.longest = max(self.longest, len(text))
        decomposition: Form = "NFKD" if "K" in form else "NFD"
        run: list[int] = []
        for letter in text:
            for mark in unicodedata.normalize(decomposition, letter):
                order = unicodedata.combining(mark)
                run = [*run, order] if order else []
                if order:
                    self.swaps += sum(before > order for before in run)
        return unicodedata.normalize(form, text)


HOSTILE = [
    "a" + "\u0315" * 400 + "\u0316" * 400,
    "a" + "\u0315\u0316" * 400,
    "é" + "\u0344\u0316" * 400,
    "\u0f73\u0301" * 400,
    "\uff9e\u0301" * 400,
    "\u0345\u0301\u0316" * 300,
]


@for_each("text", HOSTILE)
@for_each("take", [caseless, fold, lambda text: normalize("NFC", text)])
def test_few_marks_have_to_be_sorted(take: Any, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counting = Counting()
    monkeypatch.setattr(module, "unicodedata", counting)
    take(text)
    assert counting.swaps <= 4 * len(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_without_the_check_very_many_marks_have_to_be_sorted(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Counting()
    monkeypatch.setattr(module, "unicodedata", counting)
    monkeypatch.setattr(module, "_with_marks_in_order", lambda form, text: text)
    normalize("NFKD", text)
    assert counting.swaps > 25 * len(text)


def test_texts_longer_than_notes_are_not_normalized(monkeypatch: pytest.MonkeyPatch) -> None:
    counting = Counting()
    monkeypatch.setattr(module, "unicodedata", counting)
    search_text("é" * MAX_LONG_TEXT, None, "ö" * 255)
    search_terms("é " * 127)
    plain_password("é" * 1_000_000)
    assert counting.longest <= 18 * MAX_LONG_TEXT  # one letter decomposes to at most 18


# --- No other module does such work ---------------------------------------------------------------

OWNERS = {
    "unicodedata": {
        "model/types/text.py",
        # names and kinds of single characters
        "model/dispatch/address_checks.py",
        "model/dispatch/postal/rules.py",
        "services/dispatch/writers/characters.py",
        "services/dispatch/writers/fonts/__init__.py",
        "web/kit/charts.py",
        # names of countries, which are our own
        "model/types/collation.py",
    },
    "casefold": {"model/types/text.py", "model/types/collation.py"},
    "normalize": {"model/types/collation.py"},
    "difflib": {"model/types/messages.py"},
    "email_validator": {"model/types/email_addresses.py"},
    "argon2": {"services/identity/passwords.py"},
    "parse_qsl": {
        "web/kit/form_data.py",
        # addresses of databases, which the operator writes
        "store/engine/moving/backup_files.py",
        "store/engine/moving/postgres_tools.py",
    },
}
"""The modules that may call work that is not linear, by its name."""


def names_in(tree: ast.AST) -> Iterator[str]:
    """The names that a module imports or calls as a method."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (each.name.partition(".")[0] for each in names)
            case ast.ImportFrom(module=str(origin), names=names):
                yield origin.partition(".")[0]
                if not origin.startswith("masthead"):
                    yield from (each.name for each in names)
            case ast.Attribute(value=owner, attr=name):
                if not (isinstance(owner, ast.Name) and owner.id == "unicodedata"):
                    yield name


def strangers() -> set[tuple[str, str]]:
    """The modules that do such work, although another module is responsible for it."""
    return {
        (path, name)
        for found in PACKAGE.rglob("*.py")
        if any(name in (text := found.read_text()) for name in OWNERS)
        for name in set(names_in(ast.parse(text)))
        if name in OWNERS and (path := str(found.relative_to(PACKAGE))) not in OWNERS[name]
    }


def test_texts_are_normalized_and_folded_in_one_module() -> None:
    assert strangers() == set()


def test_cookies_are_read_in_one_module() -> None:
    read = [path.name for path in PACKAGE.rglob("*.py") if "request.cookies" in path.read_text()]
    assert read == []


def test_the_check_finds_a_module_that_breaks_the_rule() -> None:
    found = set(names_in(ast.parse("import unicodedata\n'x'.casefold()\nfrom argon2 import hash")))
    assert {"unicodedata", "casefold", "argon2"} <= found
