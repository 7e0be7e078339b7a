"""Each text has a translation that fits it, in a catalogue of the texts of now."""

import re
from collections import Counter
from collections.abc import Iterator
from io import BytesIO

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po

from masthead.model.translations import list_languages
from tools import messages

LANGUAGES = sorted(list_languages() - {"en"})
# A letter in English, whose first word is neither a name nor a sentence of its own
SMALL_LETTER = re.compile(r",\n\n(?!masthead |\{giver\}|\{what\})[^A-Z]")
PLACEHOLDER = re.compile(r"%\(\w+\)s|\{\w*\}|<[^>]*>|`")


def texts_of(catalog: Catalog) -> Iterator[Message]:
    return (message for message in catalog if message.id)


def pairs_of(message: Message) -> list[tuple[str, str]]:
    """The English forms of a text, each with its translation."""
    if isinstance(message.id, str):
        return [(message.id, str(message.string))]
    assert isinstance(message.string, list | tuple)
    one, *others = message.string
    return [(message.id[0], one), *((message.id[1], other) for other in others)]


def untranslated(catalog: Catalog) -> list[str]:
    return [
        english
        for message in texts_of(catalog)
        for english, translated in pairs_of(message)
        if not translated.strip() or message.fuzzy
    ]


def unfit(catalog: Catalog) -> list[str]:
    """The texts whose translation has other placeholders, tags or backticks."""
    return [
        f"{english!r}: {translated!r}"
        for message in texts_of(catalog)
        for english, translated in pairs_of(message)
        if Counter(PLACEHOLDER.findall(english)) != Counter(PLACEHOLDER.findall(translated))
    ]


def test_german_is_one_of_the_languages() -> None:
    assert "de" in LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_text_has_a_translation(language: str) -> None:
    assert untranslated(messages.read(language)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_has_the_placeholders_of_its_text(language: str) -> None:
    assert unfit(messages.read(language)) == []


def keys_of(catalog: Catalog) -> set[tuple[str | None, object]]:
    """What a catalogue translates; the files that contain a text may be older."""
    return {(message.context, message.id) for message in texts_of(catalog)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_catalogue_has_the_texts_of_now(language: str) -> None:
    there, wanted = keys_of(messages.read(language)), keys_of(messages.collect())
    assert (wanted - there, there - wanted) == (set(), set()), "run `make messages`"


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_update_without_new_texts_keeps_all_translations(language: str) -> None:
    text = messages.update(language)
    catalog = read_po(BytesIO(text.encode()), locale=language)
    assert untranslated(catalog) == []
    assert "POT-Creation-Date" not in text


def test_german_texts_have_german_quotation_marks() -> None:
    translations = [
        translated
        for message in texts_of(messages.read("de"))
        for _, translated in pairs_of(message)
    ]
    assert [
        text for text in translations if "”" in text or text.count("„") != text.count("“")
    ] == []


# The words that were given up, each for the one that the glossary of German has
GIVEN_UP = re.compile(
    r"\b(Abo|Freiabo)s?\b|\b(Versandl|L)(auf|aufs|äufen?)\b|[Ff]estgeschrieben|[Ff]estschrei"
    r"|Kundenwert|freiwillig|von Hand|Läuft aus|Ohne Verlängerung|\bDruck\b|\bProbe\b|geprobt"
    r"|Versanddatum|Startausgabe|Exemplar|Umsatzsteuer|Verlängerungsbrief"
    r"|[Bb]erichtig|[Kk]reuzen Sie|ankreuz|angekreuzt|verschick|\b[Vv]ersandt|\bAnschrift"
    r"|Postadresse|[Jj]emand anders\b|Zahlungseing|pass[t] dazu|B2B-Mandat|Basismandat"
    r"|Abonnenten verschoben|Kleinster Betrag|Zahlbar in Tagen|bleiben geschuldet"
    r"|Abonnements? (ist |sind )?abgeschlossen|keine USt-IdNr\. von"
    r"|Versandsperre|(Adresse|[Hh]eft|Abonnement)\w* (\S+ ){0,5}angehalten"  # but letters are
    r"|[Dd]iese[sm] Kontos?\b|\b(des|Ihres) Kontos\b|Testkonto"  # a bank and books have a “Konto”
)


def test_german_has_one_word_for_each_thing() -> None:
    translations = [
        translated
        for message in texts_of(messages.read("de"))
        for _, translated in pairs_of(message)
    ]
    assert [text for text in translations if GIVEN_UP.search(text)] == []
    assert GIVEN_UP.search("Adressen eines Laufs")
    assert GIVEN_UP.search("Nur Benutzer dieses Kontos")
    assert GIVEN_UP.search("2 Hefte sind angehalten")
    assert not GIVEN_UP.search("2 Schreiben wurden angehalten")


def test_an_english_letter_begins_with_a_capital_letter_after_its_greeting() -> None:
    english = [str(message.id) for message in texts_of(messages.collect())]
    assert [text for text in english if SMALL_LETTER.search(text)] == []
    assert SMALL_LETTER.search("Dear Ada,\n\nthank you.")


def test_missing_and_wrong_translations_are_found() -> None:
    catalog = Catalog(locale="de", fuzzy=False)
    catalog.add("Subscribers", "Abonnenten")
    catalog.add("Issues", "")
    catalog.add("Copies", "Hefte", flags=["fuzzy"])
    catalog.add(("%(num)s copy", "%(num)s copies"), ("%(num)s Heft", ""))
    assert untranslated(catalog) == ["Issues", "Copies", "%(num)s copies"]
    catalog = Catalog(locale="de", fuzzy=False)
    catalog.add("Type {x}.", "Geben Sie {x} ein.")
    catalog.add("Type {y}.", "Geben Sie {x} ein.")
    catalog.add("<b>%(n)s</b> copies", "%(n)s Hefte")
    assert [text.partition(":")[0] for text in unfit(catalog)] == [
        "'Type {y}.'",
        "'<b>%(n)s</b> copies'",
    ]


@pytest.mark.parametrize("language", messages.list_languages())
def test_an_ellipsis_is_never_alone_on_a_line(language: str) -> None:
    pairs = [pair for text in texts_of(messages.read(language)) for pair in pairs_of(text)]
    assert [
        text for pair in pairs for text in pair if re.search(r"\s…", text.replace("\xa0", "_"))
    ] == []
