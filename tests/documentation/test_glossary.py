"""The glossary in CONTRIBUTING.md has every public noun, and each of its terms has one word."""

import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.support.cases import for_each

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "CONTRIBUTING.md"
SUFFIXES = {".py", ".md", ".html", ".js", ".css", ".lua"}

OPERATORS = ROOT / "tools" / "mutants" / "operators.py"  # its visitors are those of `ast`

# Nouns that need no row: parts of the architecture, and what any programmer knows
PLAIN = {
    "api cli metrics model services serving store web": "layers; see docs/architecture.md",
    "http openapi openapi texts citus sqlite postgres migrations versions": "standards",
    "idempotency preconditions": "standards of HTTP",
    "monitoring install fonts templates downloads": "what operators and browsers get",
    "kit": "what the pages share",
    "settings reports": "groups of pages",
    "bulk": "actions on several rows of a list, as in most admin pages",
    "files": "parts of the folder above",
    "emails types rows values presets work writers postal": "parts of the folder above",
    "invoices files letterhead": "what any publisher knows",
    "demo audit search": "what masthead says of itself, and its own lists",
}


def terms() -> list[tuple[str, str, list[str]]]:
    """The rows of the glossary: term, meaning, and the words that it replaces."""
    section = GLOSSARY.read_text(encoding="utf-8").split("## Glossary")[1].split("\n## ")[0]
    rows = [line.strip("| ").split("|") for line in section.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in row] for row in rows[2:]]
    return [(row[0], row[1], row[2].split(", ") if row[2:] else []) for row in cells]


REPLACED = sorted(word for _, _, words in terms() for word in words)


def words_of(text: str) -> Iterator[str]:
    """The words of a text, in lower case; names in snake_case and CamelCase are split.

    `E-Mail` is German, where the hyphen is right.
    """
    for word in re.findall(r"(?-i:[eE]-mail)|[a-z]+", text, re.IGNORECASE):
        yield from re.findall(r"[eE]-[mM]ail|[A-Z]+(?![a-z])|[A-Z]?[a-z]+", word)


def files() -> list[Path]:
    """Our own files of text: not what others wrote, not records of measurements."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [
        path
        for path in paths
        if path.suffix in SUFFIXES
        and path.is_file()
        and path not in {GLOSSARY, Path(__file__), OPERATORS}
        and not {"static", "results", "golden"} & set(path.parts)
    ]


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """The words of each file in lower case, with a space around each."""
    return {
        str(path.relative_to(ROOT)): f" {' '.join(words_of(path.read_text())).lower()} "
        for path in files()
    }


def test_the_glossary_has_at_most_75_terms_each_in_a_line() -> None:
    rows = terms()
    assert 20 < len(rows) <= 75
    assert len({term for term, _, _ in rows}) == len(rows)
    assert all(meaning.endswith(".") for _, meaning, _ in rows)


@for_each("words", REPLACED)
def test_a_replaced_word_is_not_used(texts: dict[str, str], words: str) -> None:
    phrase = re.compile(rf" {words}s? ")
    assert not [path for path, text in texts.items() if phrase.search(text)]


def singular(word: str) -> str:
    """A word without its plural: `addresses`, `copies` and `issues` are an address, copy, issue."""
    for plural, one in (("sses", "ss"), ("xes", "x"), ("ies", "y"), ("s", "")):
        if word.endswith(plural) and not word.endswith("ss"):
            return word.removesuffix(plural) + one
    return word


def known() -> set[str]:
    """The words of all terms, and those that need no term."""
    named = " ".join(term for term, _, _ in terms()).split() + " ".join(PLAIN).split()
    return {singular(word.lower()) for word in named}


def unknown(names: Iterable[str]) -> list[str]:
    """The names that have no word of the glossary."""
    words = known()
    return [
        name
        for name in names
        if not words & {singular(each.lower()) for each in words_of(name.replace("_", " "))}
    ]


def folders() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "masthead/*.py"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    parents = {part for name in listed.stdout.split() for part in Path(name).parts[1:-1]}
    return sorted(parents)


def test_every_folder_is_a_noun_of_the_glossary() -> None:
    assert len(folders()) > 50
    assert unknown(folders()) == []


def test_every_resource_of_the_api_is_a_noun_of_the_glossary() -> None:
    document = json.loads((ROOT / "tests" / "golden" / "openapi.json").read_text(encoding="utf-8"))
    general = {"ApiError", "CancelMode", "CountryCode", "CurrencyCode", "Me", "Medium", "NoFields"}
    general |= {
        "FieldError",
        "LeftReason",
        "GifterRef",
        "MarkSent",
        "MarkSentDate",
        "MarkedSent",
        "DocumentKind",
        "PaymentMethod",
    }
    general |= {"ErrorCode", "PostalAddress", "Salutation", "Scope", "WhyCode"}
    general |= {"CountryGroup", "DisabledReason", "MessageStatus"}
    names = document["components"]["schemas"].keys()
    assert general <= names
    assert unknown(names - general) == []


def test_every_table_is_a_noun_of_the_glossary() -> None:
    schema = (ROOT / "tests" / "golden" / "schema.sqlite.sql").read_text(encoding="utf-8")
    tables = set(re.findall(r"CREATE TABLE (\w+)", schema))
    general = {"alembic_version", "cancellation", "heartbeat", "schema_support", "searchable"}
    general |= {"secret", "stored_answer", "submission", "throttle", "trend"}
    general |= {"billed_sum", "paid_sum", "summed_until"}
    general |= {"authenticator_app", "known_browser", "passkey", "passkey_challenge"}
    general |= {
        "dated_price",
        "dismissed_pair",
        "pending_sign_in",
        "price_rise",
        "recovery_code",
        "sign_in_link",
        "web_session",
    }
    assert len(tables) > 50
    assert general <= tables
    assert unknown(tables - general) == []


def test_an_unknown_noun_is_found() -> None:
    assert unknown(["readers", "subscriber_notes", "doors", "DeskPage"]) == [
        "readers",
        "doors",
        "DeskPage",
    ]


def test_words_are_found_in_names_and_sentences() -> None:
    words = list(words_of("def open_door(x): HttpGate('An e-mail')"))
    assert words == ["def", "open", "door", "x", "Http", "Gate", "An", "e-mail"]
