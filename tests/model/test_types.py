"""Money, countries, currencies, email addresses, names, and the text of searches."""

import pytest
from babel import Locale
from hypothesis import given, strategies as st

from masthead.model.errors import Invalid
from masthead.model.search import search_terms, search_text
from masthead.model.translations import in_language
from masthead.model.types.countries import COUNTRIES, country_code, country_name, read_names
from masthead.model.types.email_addresses import email_address, email_key, with_ascii_domain
from masthead.model.types.full_names import full_name
from masthead.model.types.money import (
    CURRENCIES,
    amount_in,
    currency_code,
    decimal_amount,
    minor_units,
    money_in_words,
    money_text,
    write_amount,
)
from masthead.model.types.text import fold
from masthead.web.kit.formatting import number_in
from tests.support.cases import for_each


@for_each(
    "text, currency, minor, shown",
    [
        ("42", "EUR", 4200, "42.00"),
        ("42.5", "EUR", 4250, "42.50"),
        ("42.05", "EUR", 4205, "42.05"),
        ("0", "EUR", 0, "0.00"),
        ("0.01", "EUR", 1, "0.01"),
        ("007.10", "EUR", 710, "7.10"),
        ("4200", "JPY", 4200, "4200"),
        ("0", "JPY", 0, "0"),
        ("4.25", "KWD", 4250, "4.250"),
        ("0.001", "KWD", 1, "0.001"),
        ("1.2345", "CLF", 12345, "1.2345"),
        ("999999999.99", "USD", 99_999_999_999, "999999999.99"),
    ],
)
def test_money_is_converted_to_minor_units_and_back(
    text: str, currency: str, minor: int, shown: str
) -> None:
    assert minor_units("price", text, currency) == minor
    assert money_text(minor, currency) == shown


def test_a_negative_balance_keeps_its_sign() -> None:
    assert money_text(-5, "EUR") == "-0.05"
    assert money_text(-4200, "JPY") == "-4200"


@for_each(
    "locale, amount, number",
    [
        ("en_GB", "−€1,045.00", "−1,045"),
        ("de_DE", "−1.045,00\xa0€", "−1.045"),
        ("de_CH", "EUR−1’045.00", "−1’045"),
        ("sv_SE", "−1\xa0045,00\xa0€", "−1\xa0045"),
    ],
)
def test_pages_have_one_minus_sign_and_documents_a_hyphen(
    locale: str, amount: str, number: str
) -> None:
    assert amount_in("-1045.00", "EUR", locale) == amount
    assert number_in(-1045, Locale.parse(locale)) == number
    with in_language(locale):
        assert money_in_words(-104500, "EUR") == amount
    if locale != "sv_SE":
        assert write_amount("-1045.00", "EUR", locale) == amount.replace("−", "-")


@pytest.mark.parametrize("text, currency", [("1.001", "EUR"), ("1.0", "JPY"), ("1.2500", "KWD")])
def test_money_must_have_no_more_decimals_than_its_currency(text: str, currency: str) -> None:
    with pytest.raises(Invalid, match="price") as refusal:
        minor_units("price", text, currency)
    assert currency in str(refusal.value)


@for_each(
    "text",
    [
        "",
        "-1",
        "+1",
        "1e3",
        "1,000",
        "1 000",
        "42,00",
        "€42",
        "42.",
        ".5",
        "1234567890",
        "٤٢",
        "1\n",
    ],
)
def test_money_must_be_plain_decimal_text(text: str) -> None:
    with pytest.raises(Invalid, match="price"):
        decimal_amount("price", text)


def test_the_countries_are_the_249_of_iso_3166_and_kosovo() -> None:
    assert len(COUNTRIES) == 250
    assert "XK" in COUNTRIES
    assert not {"UK", "EU", "AC", "ZZ", "001"} & COUNTRIES.keys()


@for_each("language", "en de fr es it nl pt da sv no fi pl cs".split())
def test_the_names_of_a_language_are_those_that_babel_reads(language: str) -> None:
    assert read_names(language) == dict(Locale.parse(language).territories)


@pytest.mark.parametrize(
    "code, name",
    [("DE", "Germany"), ("GB", "United Kingdom"), ("XK", "Kosovo"), ("CI", "Côte d’Ivoire")],
)
def test_countries_have_english_names(code: str, name: str) -> None:
    assert country_name(code) == name


def test_codes_are_converted_to_capitals() -> None:
    assert country_code("country", "de") == "DE"
    assert currency_code("currency", "eur") == "EUR"


@pytest.mark.parametrize("code", ["UK", "ZZ", "D", "DEU", "", "ß"])
def test_other_countries_are_refused(code: str) -> None:
    with pytest.raises(Invalid, match="country"):
        country_code("country", code)


def test_uk_is_refused_with_a_hint_to_gb() -> None:
    with pytest.raises(Invalid, match="GB"):
        country_code("country", "uk")


@pytest.mark.parametrize(
    "text, hint",
    [
        ("Germany", "`DE` for Germany"),
        ("Deutschland", "`DE` for Germany"),
        ("deutschland", "`DE` for Germany"),
        ("Österreich", "`AT` for Austria"),
        ("Suisse", "`CH` for Switzerland"),
        ("España", "`ES` for Spain"),
        ("DEU", "`DE` for Germany"),
        ("gbr", "`GB` for United Kingdom"),
        ("Atlantis", "for example `DE`, `GB` or `US`"),
        ("EN", "for example `DE`, `GB` or `US`"),
        ("Europe", "for example `DE`, `GB` or `US`"),
    ],
)
def test_the_name_of_a_country_is_refused_with_a_hint_to_its_code(text: str, hint: str) -> None:
    with pytest.raises(Invalid, match=rf"country code, {hint}\.$"):
        country_code("country", text)


@pytest.mark.parametrize("code, decimals", [("EUR", 2), ("JPY", 0), ("KWD", 3), ("CLF", 4)])
def test_each_currency_has_its_precision(code: str, decimals: int) -> None:
    assert CURRENCIES[code] == decimals


@pytest.mark.parametrize("code", ["", "EU", "EURO", "ABC", "€"])
def test_other_currencies_are_refused(code: str) -> None:
    with pytest.raises(Invalid, match="currency"):
        currency_code("currency", code)


@pytest.mark.parametrize(
    "one, other",
    [
        ("ada@example.test", "ADA@Example.TEST"),
        ("ada@example.test", "  ada@example.test\n"),
        ("josé@example.test", "JOSE\u0301@example.test"),
        ("straße@example.test", "STRASSE@example.test"),
        ("σίσυφος@example.test", "ΣΊΣΥΦΟΣ@example.test"),
    ],
)
def test_different_forms_of_an_address_have_the_same_key(one: str, other: str) -> None:
    assert email_key(one) == email_key(other)


@pytest.mark.parametrize("other", ["a.da@example.test", "ada+x@example.test", "adà@example.test"])
def test_addresses_with_other_dots_tags_or_accents_have_other_keys(other: str) -> None:
    assert email_key(other) != email_key("ada@example.test")


@pytest.mark.parametrize(
    "text",
    ["ada@example.test", "Ada.L+x@Mail.Example.org", "josé@example.test", "ada@bücher.example"],
)
def test_an_address_is_kept_as_it_is_written(text: str) -> None:
    assert email_address("email", text) == text


def test_an_encoded_word_is_no_part_of_an_address() -> None:
    with pytest.raises(Invalid, match=r"an email address cannot have `=\?` in it"):
        email_address("email", "=?utf-8?q?=0a?=@p.test")
    assert email_address("email", "a=b?@p.test") == "a=b?@p.test"


def test_a_domain_in_any_script_has_a_form_in_ascii() -> None:
    assert with_ascii_domain("ada@straße.test") == "ada@xn--strae-oqa.test"
    assert with_ascii_domain("zoë@bücher.test") == "zoë@xn--bcher-kva.test"
    for same in ("ada@example.test", "ada", "ä@-.test"):
        assert with_ascii_domain(same) == same


@pytest.mark.parametrize("domain", ["example.test", "office.local", "nowhere.invalid"])
def test_an_address_is_checked_by_syntax_only(domain: str) -> None:
    assert email_address("email", f"ada@{domain}") == f"ada@{domain}"


@pytest.mark.parametrize(
    "text",
    ["ada", "@example.test", "ada@", "a b@example.test", "ada@-x.test", f"{'a' * 65}@example.test"],
)
def test_text_that_is_not_an_address_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="email"):
        email_address("email", text)


@pytest.mark.parametrize(
    "text, english, german",
    [
        ("ada", "address. An email address must have an @-sign.", "muss ein @-Zeichen enthalten."),
        ("ada@x,test", "after the @-sign contains invalid characters: ','.", "Zeichen: ','."),
        ("a da@x.test", "characters before the @-sign: SPACE.", "enthält ungültige Zeichen: SP"),
        ("ada@x.test, bo@x.test", "There is more than one @-sign.", "mehr als ein @-Zeichen."),
        ("Ada <ada@x.test>", "angle brackets", "spitze Klammern"),
    ],
)
def test_what_is_wrong_with_an_address_is_said_in_the_language(
    text: str, english: str, german: str
) -> None:
    with pytest.raises(Invalid) as refused:
        email_address("email", text)
    assert english in str(refused.value)
    with in_language("de_DE"), pytest.raises(Invalid) as refused:
        email_address("email", text)
    assert german in str(refused.value)


@pytest.mark.parametrize(
    "first, last, company, name",
    [
        ("Ada", "Lovelace", "Engines", "Ada Lovelace"),
        ("Ada", None, "Engines", "Ada"),
        (None, "Lovelace", "Engines", "Lovelace"),
        (None, None, "Engines", "Engines"),
        (None, None, None, "ada@example.test"),
    ],
)
def test_a_full_name_is_the_names_or_the_company_or_the_email(
    first: str | None, last: str | None, company: str | None, name: str
) -> None:
    assert full_name(first, last, company, "ada@example.test") == name


@pytest.mark.parametrize(
    "one, other",
    [
        ("Müller", "MULLER"),
        ("mu\u0308ller", "Müller"),
        ("Straße", "STRASSE"),
        ("Ångström", "angstrom"),
        ("Σίσυφος", "ΣΙΣΥΦΟΣ"),
        ("Łódź", "lodz"),
        ("İstanbul", "istanbul"),
        ("Пётр", "ПЕТР"),
    ],
)
def test_folded_texts_have_no_case_and_no_accents(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_folding_twice_changes_nothing() -> None:
    for text in ("Müller", "Straße", "İstanbul", "ﬁne", "Ⅷ", "東京", "한국"):
        assert fold(fold(text)) == fold(text)


@given(st.lists(st.one_of(st.none(), st.text(alphabet="aA \n\t\x1cé", max_size=6))))
def test_each_part_of_a_search_text_is_folded_separately(parts: list[str | None]) -> None:
    lines = [" ".join(fold(part).split()) for part in parts if part]
    assert search_text(*parts) == "\n".join(lines)


def test_a_search_text_has_one_folded_part_on_each_line() -> None:
    assert search_text("Ada  Lovelace", None, "", "Zürich") == "ada lovelace\nzurich"


def test_search_terms_are_folded_and_not_empty() -> None:
    assert search_terms("  Ada  100%_\\ \u0301 ") == ["ada", "100%_\\"]
    assert search_terms("   ") == []
