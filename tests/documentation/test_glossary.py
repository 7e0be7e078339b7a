"""The glossary in CONTRIBUTING.md: at most forty terms, and no other word for any of them."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cases import for_each

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "CONTRIBUTING.md"
MODULES = sorted((ROOT / "masthead").rglob("*.py"))
SUFFIXES = {".py", ".md", ".html", ".js", ".css", ".lua"}

DEFINED = re.compile(r"^ *(?:class|def|async def) (\w+)", re.MULTILINE)

# Words that named parts of masthead in the past and mean nothing to a newcomer
OLD_MODULES = set(
    "attempts auth call decoding deeds documents door editing entrance envelope exchange"
    " figures happenings limits listing lists marking once ordering person rows searching"
    " sending signing_in sought spans states submissions tables throttling usage values visit wire"
    " wording".split()
)
OPERATORS = ROOT / "tools" / "mutants" / "operators.py"  # its visitors are those of `ast`
OLD_WORDS = set("astray deed door envelope gate happening sought visit visitor wire".split())


def terms() -> list[tuple[str, str, list[str]]]:
    """The rows of the glossary: term, meaning, and the words that it replaces."""
    section = GLOSSARY.read_text(encoding="utf-8").split("## Glossary")[1].split("\n## ")[0]
    rows = [line.strip("| ").split("|") for line in section.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in row] for row in rows[2:]]
    return [(row[0], row[1], row[2].split(", ") if row[2:] else []) for row in cells]


REPLACED = sorted(word for _, _, words in terms() for word in words)


def words_of(text: str) -> Iterator[str]:
    """The words of a text, in lower case; names in snake_case and CamelCase are split.

    `E-Mail-Adresse` is German, where the hyphen is right.
    """
    for word in re.findall(r"e-mail(?!-(?-i:[A-Z]))|[a-z]+", text, re.IGNORECASE):
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


def test_the_glossary_has_at_most_forty_terms_each_in_a_line() -> None:
    rows = terms()
    assert 20 < len(rows) <= 40
    assert len({term for term, _, _ in rows}) == len(rows)
    assert all(meaning.endswith(".") for _, meaning, _ in rows)


@for_each("words", REPLACED)
def test_a_replaced_word_is_not_used(texts: dict[str, str], words: str) -> None:
    phrase = re.compile(rf" {words}s? ")
    assert not [path for path, text in texts.items() if phrase.search(text)]


def names_of(path: Path) -> Iterator[str]:
    """The names of a module, its classes and its functions."""
    yield path.stem
    yield from DEFINED.findall(path.read_text(encoding="utf-8"))


def old_words(name: str) -> set[str]:
    return OLD_WORDS & {word.lower().removesuffix("s") for word in words_of(name)}


def test_modules_classes_and_functions_have_standard_names() -> None:
    assert len(MODULES) > 300
    assert [path for path in MODULES if path.stem in OLD_MODULES] == []
    names = [(path, name) for path in MODULES for name in names_of(path)]
    assert [(str(path), name) for path, name in names if old_words(name)] == []


def test_an_old_word_in_a_name_is_found() -> None:
    assert old_words("open_doors") == {"door"}
    assert old_words("VisitWire") == {"visit", "wire"}
    assert old_words("list_issues") == set()


def test_words_are_found_in_names_and_sentences() -> None:
    words = list(words_of("def open_door(x): HttpGate('An e-mail')"))
    assert words == ["def", "open", "door", "x", "Http", "Gate", "An", "e-mail"]
