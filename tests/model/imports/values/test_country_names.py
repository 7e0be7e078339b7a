"""Countries by code and by their names in many languages."""

from collections.abc import Collection
from gettext import translation

import pycountry
import pytest

from masthead.model.errors import Invalid
from masthead.model.imports.mapping import ImportMapping
from masthead.model.imports.plan import Survey
from masthead.model.imports.rows.converters import converter_of
from masthead.model.imports.values import country_names
from masthead.model.imports.values.country_names import read_country, similar_country
from masthead.model.translations import in_language
from masthead.model.types.countries import COUNTRIES, country_in_words
from tests.support.cases import for_each
from tests.support.import_tables import FACTS


@for_each(
    "text, code",
    [
        *(("de", "DE"), ("DEU", "DE"), ("Germany", "DE"), ("Deutschland", "DE")),
        *(("Allemagne", "DE"), ("Germania", "DE"), ("Duitsland", "DE"), ("Германия", "DE")),
        *(("UK", "GB"), ("England", "GB"), ("United Kingdom (UK)", "GB"), ("GBR", "GB")),
        *(("U.S.A.", "US"), ("United States of America", "US"), ("United States (US)", "US")),
        *(("ÖSTERREICH", "AT"), ("Czech Republic", "CZ"), ("Holland", "NL"), ("Türkiye", "TR")),
        *(("Turkey", "TR"), ("Trinidad and Tobago", "TT"), ("Antigua and Barbuda", "AG")),
        *(("Côte-d’Ivoire", "CI"), ("Korea, Republic of", "KR"), ("Kosovo", "XK"), ("XKX", "XK")),
        *(("Moldova, Republic of", "MD"), ("Tanzania, United Republic of", "TZ")),
        *(("Korea, Democratic People's Republic of", "KP"), ("Korea (South)", "KR")),
        *(("Congo, The Democratic Republic of the", "CD"), ("Congo-Brazzaville", "CG")),
        *(("Virgin Islands (U.S.)", "VI"), ("Sint Maarten (Dutch part)", "SX")),
        *(("Netherlands (Kingdom of the)", "NL"), ("Republik Österreich", "AT")),
        *(("Oesterreich", "AT"), ("Russia (Russian Federation)", "RU"), ("Zaire", "CD")),
        *(("U.A.E.", "AE"), ("R.D.C.", "CD"), ("P.R. China", "CN"), ("Weißrussland", "BY")),
        *(("Palestine, State of", "PS"), ("l’Italie", "IT"), ("England, UK", "GB")),
        *(("Guinea", "GN"), ("Samoa", "WS"), ("Georgia", "GE"), ("Papua New Guinea", "PG")),
        *(("Nowhere we know (AT)", "AT"), ("D", "DE"), ("I", "IT"), ("GER", "DE")),
        *(("Vereinigte Staaten von Amerika", "US"), ("Portuguese Republic", "PT")),
        *(("Königreich der Niederlande", "NL"), ("République française", "FR")),
        *(("Réunion (La)", "RE"), ("Guinea (Equatorial)", "GQ"), ("Bahamas, The", "BS")),
        *(("Vientiane (LA)", "LA"), ("Republic of Congo", "CG")),
    ],
)
def test_countries_are_read_by_code_and_name(text: str, code: str) -> None:
    assert read_country("country", text) == code


def test_every_country_is_found_by_its_code_and_english_name() -> None:
    for code, name in COUNTRIES.items():
        assert read_country("country", code) == code
        assert read_country("country", name) == code


# As ISO 3166 writes them in French; the others are as pycountry has them, with `(le)` and so on
FRENCH = """
BO Bolivie (État plurinational de)|CF Centrafricaine (la République)|CG Congo (la République du)
CD Congo (la République démocratique du)|KR Corée (la République de)|CX Christmas (l’Île)
KP Corée (la République populaire démocratique de)|DO dominicaine (la République)
FM Micronésie (États fédérés de)|IR Iran (République islamique d')|MD Moldova (la République de)
LA Lao (la République démocratique populaire)|TZ Tanzanie (la République-Unie de)
RU Russie (la Fédération de)|SY République arabe syrienne (la)|TW Taïwan (Province de Chine)
VE Venezuela (République bolivarienne du)|PS Palestine, État de|NL Pays-Bas (Royaume des)
GB Royaume-Uni de Grande-Bretagne et d'Irlande du Nord (le)|CK Cook (les Îles)|FO Féroé (les Îles)
FK Falkland (les Îles)/Malouines (les Îles)|CC Cocos (les Îles)/ Keeling (les Îles)
KY Caïmans (les Îles)|VG Vierges britanniques (les Îles)|VI Vierges des États-Unis (les Îles)
MH Marshall (les Îles)|MP Mariannes du Nord (les Îles)|SB Salomon (les Îles)|NF Norfolk (l'Île)
TC Turks-et-Caïcos (les Îles)|BV Bouvet (l'Île)|AX Åland(les Îles)
HM Heard-et-Îles MacDonald (l'Île)|SJ Svalbard et l'Île Jan Mayen (le)
TF Terres australes françaises (les)|IM Île de Man
IO Indien (le Territoire britannique de l'océan)|UM Îles mineures éloignées des États-Unis (les)
GS Géorgie du Sud-et-les Îles Sandwich du Sud (la)|VA Saint-Siège (le)|MK Macédoine du Nord (la)
SH Sainte-Hélène, Ascension et Tristan da Cunha|BQ Bonaire, Saint-Eustache et Saba
MF Saint-Martin (partie française)|SX Saint-Martin (partie néerlandaise)|LY Libye (la)
"""


def iso_names() -> list[tuple[str, str]]:
    """All short and official names, with their code: English, and translated."""
    languages = [translation("iso3166-1", pycountry.LOCALES_DIR, [each]) for each in ("fr", "de")]
    names = [(each[:2], each[3:]) for each in FRENCH.strip().replace("\n", "|").split("|")]
    for country in pycountry.countries:
        for attribute in ("name", "official_name", "common_name"):
            if name := getattr(country, attribute, ""):
                texts = {name, *(each.gettext(name) for each in languages)}
                names += [(country.alpha_2, text) for text in texts]
    return names


def test_all_names_of_iso_3166_are_read_with_and_without_their_article() -> None:
    names = iso_names()
    assert len(names) > 1000
    unread = dict[str, str]()
    for code, name in names:
        for text in (name, f"{name} (the)", f"the {name}", f"{name} (la)", f"{name} (l')"):
            try:
                if (found := read_country("country", text)) != code:
                    unread[text] = found
            except Invalid as reason:
                unread[text] = "asks" if "can be several" in str(reason) else "refused"
    asks = {text: found for text, found in unread.items() if found == "asks"}
    assert unread == asks
    assert {text.removeprefix("the ").partition(" (")[0] for text in asks} == {"Congo", "Kongo"}


@pytest.mark.parametrize("language", ["en", "de"])
def test_all_names_of_cldr_in_the_languages_of_masthead_are_read(language: str) -> None:
    with in_language(language):
        assert {code: read_country("country", country_in_words(code)) for code in COUNTRIES} == {
            code: code for code in COUNTRIES
        }


@for_each(
    "text, codes",
    [
        *(
            ("Congo", "CD CG"),
            ("Kongo", "CD CG"),
            ("Korea", "KR KP"),
            ("Republic of China", "TW CN"),
        ),
        *(("Virgin Islands", "VG VI"), ("Channel Islands", "GG JE"), ("Czechoslovakia", "CZ SK")),
        *(("Sant Martin", "MF SX"), ("ROC", "TW CN")),
    ],
)
def test_a_name_of_several_countries_is_refused_with_all_of_them(text: str, codes: str) -> None:
    with pytest.raises(Invalid, match="which can be several countries") as refusal:
        read_country("country", text)
    assert all(f"({code})" in str(refusal.value) for code in codes.split())


@pytest.mark.parametrize("text", ["Northern Cyprus", "Soviet Union", "Ireland (Southern)", "EL"])
def test_a_part_of_a_name_is_no_country(text: str) -> None:
    with pytest.raises(Invalid, match="expected the name of a country"):
        read_country("country", text)


def test_a_name_that_is_nearly_right_is_refused_with_a_hint() -> None:
    with pytest.raises(Invalid, match=r"`Germny`.*Did you mean `Germany` \(DE\)\?"):
        read_country("country", "Germny")
    with pytest.raises(Invalid, match=r"Did you mean `Germany` \(DE\)\?"):
        read_country("country", "Deutschlnd")
    with in_language("de"), pytest.raises(Invalid, match=r"Meinten Sie `Neuseeland` \(NZ\)\?"):
        read_country("country", "New Zealnd")


def test_a_name_that_is_only_somewhat_like_a_country_means_none() -> None:
    """The columns page proposes what a name means: Atlantis is not Albania."""
    assert similar_country("Germny") == "DE"
    assert similar_country("Atlantis") is None


@pytest.mark.parametrize("text", ["XX", "Utopia 2000", "?" * 400, "Land (XX)", "Vientiane (la)"])
def test_other_texts_are_no_countries(text: str) -> None:
    with pytest.raises(Invalid, match="expected the name of a country"):
        read_country("country", text)


def test_an_import_compares_an_unknown_name_with_the_countries_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file may have it a million times; a comparison takes 4 ms."""
    compared = list[str]()

    def similar(name: str, known: Collection[str], *, at_least: float) -> str | None:
        compared.append(name)
        return None

    monkeypatch.setattr(country_names, "similar", similar)
    convert = converter_of("country", "Land", ImportMapping(), Survey(), FACTS)
    for _ in range(3):
        with pytest.raises(Invalid, match="Nowhere at all"):
            convert("Nowhere at all")
    assert len(compared) == 1
