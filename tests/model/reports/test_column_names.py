"""The headings of the files that staff open."""

import pytest

from masthead.model.imports.guesses import guess_mapping
from masthead.model.renewals.files import LIST_COLUMNS, MERGE_COLUMNS
from masthead.model.reports.column_names import translated_columns
from masthead.model.revenue.statement_files import SHOWN_COLUMNS
from masthead.model.translations import in_language
from masthead.web.billing import account, open_items
from masthead.web.claims import pages as claims
from masthead.web.downloads.lists import LISTS, SETTINGS_LISTS
from masthead.web.issues import fulfilment
from masthead.web.renewals import ending, rates
from masthead.web.reports import forecasts
from masthead.web.revenue import bookkeeping, issues, takings_file, vat_files
from tests.support.cases import for_each

FILES = {
    "renewals": LIST_COLUMNS,
    "mail merge": MERGE_COLUMNS,
    "ending": ending.COLUMNS,
    "retention": rates.COLUMNS,
    "earned by issue": issues.COLUMNS,
    "deferred revenue": SHOWN_COLUMNS,
    "takings": takings_file.COLUMNS,
    "journal": bookkeeping.JOURNAL,
    "VAT": vat_files.VAT,
    "changed VAT": vat_files.CHANGED,
    "open items": open_items.COLUMNS,
    "open documents": open_items.ENTRIES,
    "account": account.COLUMNS,
    "addresses": fulfilment.COLUMNS,
    "counts of claims": claims.COLUMNS,
    "forecast": forecasts.CSV_TOTALS,
    "forecast by country": forecasts.CSV_PARTS,
    **{name: file.columns for name, file in {**LISTS, **SETTINGS_LISTS}.items()},
}


@for_each("name", list(FILES))
def test_each_heading_is_a_word_and_is_there_once(name: str) -> None:
    for language in ("en", "de"):
        with in_language(language):
            headings = translated_columns(FILES[name])
        assert len(set(headings)) == len(headings), headings
        assert all("_" not in each and each[0] == each[0].upper() for each in headings), headings


def test_english_headings_are_words() -> None:
    assert translated_columns(["is_gift", "vat_rate_paid", "full_name", "oss"]) == [
        "Gift",
        "VAT rate when paid",
        "Full name",
        "One-stop shop (OSS)",
    ]


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", ["subscriptions", "subscribers", "orders", "renewals", "ending"])
def test_an_import_understands_the_headings_as_it_does_the_names(name: str, language: str) -> None:
    columns = FILES[name]
    with in_language(language):
        headings = translated_columns(columns)
    names = dict(zip(headings, columns, strict=True))
    found = {
        field: [names[each] for each in rule.named()]
        for field, rule in guess_mapping(headings).columns.items()
    }
    expected = {field: list(rule.named()) for field, rule in guess_mapping(columns).columns.items()}
    expected.pop("type", None)  # follows from the dates; its German heading is on many files
    found.pop("type", None)
    assert found == expected


def test_a_column_without_a_heading_is_an_error() -> None:
    with pytest.raises(KeyError):
        translated_columns(["email", "surprise"])
