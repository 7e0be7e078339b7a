"""Texts of emails with placeholders, and the names of locales."""

import pytest
from babel import Locale

from masthead.model.emails import (
    PLACEHOLDERS,
    filled,
    sample_words,
    subject_template,
    text_template,
)
from masthead.model.errors import Invalid
from masthead.model.types.regional_formats import DEFAULT, LOCALES, locale_code
from tests.support.cases import for_each

WORDS = {"name": "{magazine}", "magazine": "Acme", "start_issue": ""}


def test_every_occurrence_of_a_placeholder_is_replaced() -> None:
    assert filled("{magazine}: {magazine}, {start_issue}.", WORDS) == "Acme: Acme, ."


def test_a_placeholder_in_a_name_is_not_replaced() -> None:
    assert filled("Dear {name}", WORDS) == "Dear {magazine}"


@pytest.mark.parametrize("text", ["{", "}{", "a } b", "{\nname}", "{{}", "{unknown}"])
def test_other_words_in_braces_are_kept(text: str) -> None:
    assert filled(text, WORDS) == text


def test_every_placeholder_except_the_magazine_has_a_sample() -> None:
    assert sample_words().keys() | {"magazine"} == PLACEHOLDERS.keys()


@for_each("word", ["nmae", "Name", " name", "", "first_name"])
@for_each("template", [subject_template, text_template])
def test_an_unknown_placeholder_is_refused_and_the_message_lists_the_known_ones(
    word: str, template: object
) -> None:
    assert callable(template)
    with pytest.raises(Invalid) as refusal:
        template("text", f"Dear {{name}}, {{{word}}}")
    assert refusal.value.field == "text"
    assert f"`{{{word}}}`" in str(refusal.value)
    assert "`{name}`, `{magazine}`, `{start_issue}`" in str(refusal.value)


def test_a_subject_must_be_one_line() -> None:
    assert subject_template("subject", " Welcome\r\n to {magazine} ") == "Welcome to {magazine}"


def test_a_text_ends_with_one_line_break() -> None:
    assert text_template("text", "\r\nDear {name},\r\n\r\nwelcome.  \n\n") == (
        "Dear {name},\n\nwelcome.\n"
    )


@pytest.mark.parametrize("text", ["", " \r\n "])
def test_an_empty_subject_or_text_is_refused(text: str) -> None:
    for template in (subject_template, text_template):
        with pytest.raises(Invalid, match="is empty"):
            template("text", text)


def test_subjects_and_texts_have_a_maximum_length() -> None:
    assert subject_template("subject", "x" * 255)
    assert text_template("text", "x" * 9_999)
    with pytest.raises(Invalid, match="at most 255"):
        subject_template("subject", "x" * 256)
    with pytest.raises(Invalid, match="at most 10000"):
        text_template("text", "x" * 10_000)


@pytest.mark.parametrize(
    "text, code",
    [("en_GB", "en_GB"), ("de-at", "de_AT"), ("fr", "fr"), ("zh_CN", "zh_Hans_CN")],
)
def test_a_locale_is_normalized_like_in_babel(text: str, code: str) -> None:
    assert locale_code("locale", text) == code


@pytest.mark.parametrize("text", ["", "xx_YY", "english", "../etc/passwd", "en_GB\n", "e" * 300])
def test_a_locale_unknown_to_babel_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as refusal:
        locale_code("locale", text)
    assert refusal.value.field == "locale"


def test_each_locale_is_listed_with_its_name_in_its_own_language() -> None:
    for code, name in LOCALES.items():
        assert locale_code("locale", code) == code
        assert Locale.parse(code).get_display_name() == name
    assert DEFAULT in LOCALES
