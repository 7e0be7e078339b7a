"""Texts in the language of the reader."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from masthead.model import translations
from masthead.model.translations import (
    format_number,
    gettext,
    gettext_noop,
    in_language,
    language_of,
    list_languages,
    load_catalogue,
    ngettext,
    pgettext,
    set_language,
)
from masthead.model.types.issue_names import own_name, shown_name
from masthead.model.types.money import money_in_words
from masthead.web.kit.rendering import templates

CATALOGUE = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=2; plural=(n != 1);\\n"

msgid "Subscribers"
msgstr "Leser"

msgid "{count} copy"
msgid_plural "{count} copies"
msgstr[0] "{count} Exemplar"
msgstr[1] "{count} Exemplare"

msgid "Cancelled"
msgstr "Gekündigt"

msgctxt "copy"
msgid "Cancelled"
msgstr "Gestrichen"

msgid "Issue {number}"
msgstr "Ausgabe {number}"
"""


@pytest.fixture(autouse=True)
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    file = tmp_path / "de" / "LC_MESSAGES" / "masthead.po"
    file.parent.mkdir(parents=True)
    file.write_text(CATALOGUE)
    monkeypatch.setattr(translations, "CATALOGUES", tmp_path)
    shared = tmp_path / "shared"
    shared.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(shared))
    forget()
    yield
    forget()


def forget() -> None:
    load_catalogue.cache_clear()
    list_languages.cache_clear()


def test_texts_are_in_english_without_a_language() -> None:
    assert gettext("Subscribers") == "Subscribers"
    assert [ngettext("one", "many", count) for count in (0, 1, 2)] == ["many", "one", "many"]


@pytest.mark.parametrize("locale", ["de", "de_DE", "de_AT"])
def test_a_locale_chooses_the_catalogue_of_its_language(locale: str) -> None:
    with in_language(locale):
        assert gettext("Subscribers") == "Leser"
        assert ngettext("{count} copy", "{count} copies", 1) == "{count} Exemplar"
        assert ngettext("{count} copy", "{count} copies", 5) == "{count} Exemplare"
    assert gettext("Subscribers") == "Subscribers"


@pytest.mark.parametrize("locale", ["en_GB", "fr_FR"])
def test_english_and_unknown_languages_show_the_texts_of_the_code(locale: str) -> None:
    with in_language("de_DE"), in_language(locale):
        assert gettext("Subscribers") == "Subscribers"


def test_the_language_of_a_page_is_that_of_its_texts() -> None:
    assert [language_of(locale) for locale in ("de_CH", "en_US", "fr_FR")] == ["de", "en", "en"]


def test_amounts_are_written_as_in_the_country_of_the_reader() -> None:
    shown = {}
    for locale in ("en_GB", "de_DE", "de_AT"):
        with in_language(locale):
            shown[locale] = money_in_words(4200, "EUR")
    assert shown == {"en_GB": "€42.00", "de_DE": "42,00\xa0€", "de_AT": "€\xa042,00"}
    assert money_in_words(4200, "EUR") == "€42.00"
    assert money_in_words(4200, "CHF") == "CHF\xa042.00"


def test_a_text_without_translation_stays_in_english() -> None:
    with in_language("de_DE"):
        assert gettext("Issues") == "Issues"


def test_another_thread_has_its_own_language() -> None:
    with ThreadPoolExecutor(1) as threads:
        threads.submit(set_language, "de_DE").result()
        assert gettext("Subscribers") == "Subscribers"
        assert threads.submit(gettext, "Subscribers").result() == "Leser"


def test_a_word_has_a_translation_for_each_thing_that_it_is_about() -> None:
    assert pgettext("copy", "Cancelled") == "Cancelled"
    with in_language("de"):
        assert (gettext("Cancelled"), pgettext("copy", "Cancelled")) == ("Gekündigt", "Gestrichen")


def test_only_the_default_name_of_an_issue_is_translated() -> None:
    with in_language("de"):
        assert shown_name("Issue 12", 12) == "Ausgabe 12"
        assert shown_name("Issue 12", 13) == "Issue 12"
        assert (own_name("Issue 12", 12), own_name("Winter", 12)) == ("", "Winter")


def test_marking_a_text_changes_nothing() -> None:
    with in_language("de_DE"):
        assert gettext_noop("Subscribers") == "Subscribers"


def test_a_template_translates_its_literals_for_each_page() -> None:
    """Jinja evaluates a filter of a literal only once, unless the filter needs the context."""
    template = templates.from_string(
        "{{ 'Cancelled' | translated }} {{ 'Cancelled' | copy_status }}"
    )
    assert template.render() == "Cancelled Cancelled"
    with in_language("de"):
        assert template.render() == "Gekündigt Gestrichen"


def test_a_number_has_the_separators_of_the_language() -> None:
    assert format_number(4320) == "4,320"
    with in_language("de_AT"):
        assert format_number(4320) == "4.320"


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The languages that were compiled."""
    compiled: list[str] = []
    compile_texts = translations._compile

    def counted(language: str, source: bytes) -> bytes:
        compiled.append(language)
        return compile_texts(language, source)

    monkeypatch.setattr(translations, "_compile", counted)
    return compiled


def read_as_another_process(text: str) -> str:
    forget()
    with in_language("de"):
        return gettext(text)


def test_texts_are_compiled_by_the_first_process_for_all(compilations: list[str]) -> None:
    assert [read_as_another_process("Subscribers") for _ in range(3)] == ["Leser"] * 3
    assert compilations == ["de"]


def test_other_texts_are_compiled_again(compilations: list[str]) -> None:
    assert read_as_another_process("Subscribers") == "Leser"
    file = translations.CATALOGUES / "de" / "LC_MESSAGES" / "masthead.po"
    file.write_text(CATALOGUE.replace("Leser", "Abonnenten"))
    assert read_as_another_process("Subscribers") == "Abonnenten"
    assert compilations == ["de", "de"]


@pytest.mark.parametrize("length", [0, 20, 100])
def test_a_file_that_is_cut_is_compiled_again(length: int, compilations: list[str]) -> None:
    assert read_as_another_process("Subscribers") == "Leser"
    file = translations._compiled_file("de")
    file.write_bytes(file.read_bytes()[:length])
    assert read_as_another_process("Subscribers") == "Leser"
    assert len(compilations) == 2


def test_each_process_compiles_texts_if_they_cannot_be_kept(
    compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/dev/null")
    assert [read_as_another_process("Subscribers") for _ in range(2)] == ["Leser"] * 2
    assert compilations == ["de", "de"]
