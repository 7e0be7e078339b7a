"""Texts without what cannot be seen: one rule for bodies, forms and imports."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import Struct, structs
from starlette.datastructures import FormData
from wtforms import HiddenField, PasswordField, StringField, TextAreaField

from masthead.model.errors import Invalid
from masthead.model.imports.mapping import ImportMapping, Rule
from masthead.model.imports.targets import TARGETS
from masthead.model.input_fields import fields_of
from masthead.model.inputs import Change, Creation
from masthead.model.types.clean_text import VISIBLE, one_line, several_lines
from masthead.model.types.fields import required_text
from masthead.model.types.text import MAX_TEXT
from masthead.model.validation import decode_each
from masthead.web.kit.forms import BaseForm
from masthead.web.routes import ROUTES
from tests.support.cases import for_each
from tests.support.import_tables import prepared

NASTY = "\u202eA\x07da\u200b\tBell\r\nx\u2028y\x85z\u2066\u200d "
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")


@for_each(
    "text, clean",
    [
        *(("Ada", "Ada"), (" Ada \u00a0", "Ada"), ("Ada  Bell", "Ada  Bell"), ("", "")),
        *(("Ada\nBell", "Ada Bell"), ("Ada \r\n\t Bell\n", "Ada Bell"), ("Ro\x1bt", "Ro t")),
        *((f"Bad{sign}Ems", "Bad Ems") for sign in "\x0b\x0c\x1d\x85\u2028\u2029\x7f\x9b"),
        *(("\u202eKlein\u202c", "Klein"), ("A\u2066B\u2069", "AB"), ("M\xfc\xadller", "Müller")),
        *(("Schu\u200bster", "Schuster"), ("\ufeffAda\u2060", "Ada"), ("Ada\u200dBell", "AdaBell")),
        *((sign, "") for sign in "\u200b\u200c\u200d\u2800\u3164\ufe0f\u115f\U000e0041\u180e\x01"),
        ("A\U000e0067\U000e0067B", "AB"),
        # what scripts and emoji need
        *(
            (text, text)
            for text in ("می\u200cرزا", "क्\u200dष", "ශ්\u200dරී", "ᠠ\u180b", "葛\U000e0100")
        ),
        *((text, text) for text in ("👩\u200d👩\u200d👧", "👍🏽\u200d♂\ufe0f")),
        ("🏴\U000e0067\U000e0062\U000e007f", "🏴\U000e0067\U000e0062\U000e007f"),
        ("م\u200b\u200cر\u200c\u200c", "م\u200cر\u200c"),
        ("שלום\u200f", "שלום"),
    ],
)
def test_a_text_is_one_line_that_can_be_seen(text: str, clean: str) -> None:
    assert one_line(text) == clean
    assert one_line(clean) == clean


def test_two_signs_that_cannot_be_seen_are_no_text() -> None:
    unseen = [chr(code) for code in range(0xD800) if not re.search(VISIBLE, chr(code))]
    assert len(unseen) > 100
    assert [one for one in unseen for other in unseen if one_line(one + other)] == []
    assert one_line("\u1820\u180b\u200d") != "", "after a letter, they belong to it"


def test_several_lines_keep_their_breaks() -> None:
    assert several_lines("one\r\ntwo\rthree\u2028four\n\n  five\tsix\x07 \n") == (
        "one\ntwo\nthree\nfour\n\n  five\tsix"
    )
    assert several_lines("\n\u200b\r\n") == ""


def test_a_name_that_cannot_be_seen_is_missing() -> None:
    with pytest.raises(Invalid, match="is empty"):
        required_text("name", "\u200b\u2060 \x07")


def below(kind: type[Any]) -> Iterator[type[Any]]:
    """The classes of masthead that inherit from a class."""
    for each in kind.__subclasses__():
        if each.__module__.startswith("masthead."):
            yield each
        yield from below(each)


def require_clean(text: str, *, has_lines: bool, where: object) -> None:
    assert not UNSEEN.search(text), where
    assert has_lines or "\n" not in text, where


@pytest.mark.parametrize("kind", [Creation, Change])
def test_every_text_of_a_body_is_clean(kind: type[Struct]) -> None:
    for struct in below(kind):
        for name, field in fields_of(struct).items():
            if field.kind is str:
                values, _refusals = decode_each(struct, {name: NASTY})
                has_lines = field.max_length > MAX_TEXT
                for text in values.values():
                    require_clean(text, has_lines=has_lines, where=(struct, name))


def test_every_text_of_a_form_is_clean() -> None:
    forms = list(below(BaseForm))
    assert len(forms) > 30 < len(ROUTES)  # which import all forms
    for form in forms:
        names = [name for name in dir(form) if hasattr(getattr(form, name), "field_class")]
        for field in form(FormData(dict.fromkeys(names, NASTY))):
            if not isinstance(field, StringField) or not field.data:
                continue
            if isinstance(field, PasswordField | HiddenField):
                assert field.data == NASTY or field.name == "idempotency_key", (form, field.name)
            else:
                has_lines = isinstance(field, TextAreaField)
                require_clean(field.data, has_lines=has_lines, where=(form, field.name))


def test_every_text_of_an_import_is_clean() -> None:
    row = {"order_id": "A1", "first_name": "Ada", "country": "DE", "order_date": "2026-01-15"}
    row |= {"price": "42", "start_issue": "1", "length": "4"}
    taken = []
    for target in TARGETS:
        cells = {**row, target: NASTY}
        rules = {name: Rule(columns=(name,)) for name in cells}
        try:
            [read] = prepared([cells], ImportMapping(columns=rules))
        except Invalid:  # targets that exclude each other
            continue
        if read.order is None:
            continue
        taken.append(target)
        for name, value in structs.asdict(read.order).items():
            if isinstance(value, str):
                require_clean(value, has_lines=name == "notes", where=(target, name))
    assert {"order_id", "last_name", "city", "notes", "promo_code", "address1"} <= {*taken}
