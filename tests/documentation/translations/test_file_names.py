"""Names of files are in the catalogues, have only plain characters, and differ in each language."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import masthead
from masthead.model.file_names import file_name
from masthead.model.translations import in_language, list_languages
from tools import messages

LANGUAGES = sorted(list_languages() - {"en"})
PACKAGE = Path(masthead.__path__[0])
PART = re.compile(r"\{[a-z]+\}")
PLAIN = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*(\.[a-z-]+)?\.[a-z]+")
MADE = re.compile(r"[\w*.-]+\.(csv|html|json|pdf|xlsx|xml|zip|\*)")
SENDING = ("attachment", "download", "table_file")
# Names without words, and those of formats
OTHER_NAMES = {
    "web/exports/everything.py": ["*-*.zip"],  # an export, which programs read
    "web/revenue/bookkeeping.py": ["EXTF_Buchungsstapel_*_*.csv"],  # as DATEV wants it
    "web/subscriber_pages/person.py": ["*.json"],  # called like the account
}


def names() -> list[str]:
    """The names in English, as the code has them."""
    return [str(each.id) for each in messages.collect() if each.context == "file name"]


def plain(name: str) -> bool:
    """Whether a name is plain where its parts are; those of files of users may have any letter."""
    return PLAIN.fullmatch(PART.sub("x", name.replace("{profile}", "-x"))) is not None


def test_english_names_are_plain() -> None:
    assert len(names()) > 60
    assert [name for name in names() if not plain(name)] == []
    assert [plain(each) for each in ("a-{day}.csv", "ä.csv", "A.csv", "a b.csv", "a")] == [
        *(True, False, False, False, False)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_are_plain_in_each_language_and_no_two_are_the_same(language: str) -> None:
    with in_language(language):
        found = {
            name: file_name(name, **{part[1:-1]: part for part in PART.findall(name)})
            for name in names()
        }
    assert [name for name in found.values() if not plain(name)] == []
    assert [name for name, translated in found.items() if name == translated] == []
    assert len(set(found.values())) == len(found)
    assert [
        name for name in found if name.rpartition(".")[2] != found[name].rpartition(".")[2]
    ] == []


def names_made(source: str) -> Iterator[str]:
    """The names of files that a module writes itself, with `*` for each value."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            parts = [getattr(each, "value", "") for each in node.values]
            name = "".join(each if isinstance(each, str) else "*" for each in parts)
            if MADE.fullmatch(name):
                yield name
        elif isinstance(node, ast.Call) and called(node) in SENDING:
            yield from (
                str(each.value)
                for each in node.args
                if isinstance(each, ast.Constant) and MADE.fullmatch(str(each.value))
            )


def called(node: ast.Call) -> str:
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


def test_pages_make_names_with_one_function() -> None:
    found = {
        file.relative_to(PACKAGE).as_posix(): list(names_made(file.read_text(encoding="utf-8")))
        for file in sorted((PACKAGE / "web").rglob("*.py"))
    }
    assert {file: made for file, made in found.items() if made} == OTHER_NAMES


def test_names_that_a_module_makes_are_found() -> None:
    lines = ['f"a-{day}.csv"', 'f"a.{ending}"', 'attachment(content, "a.pdf")']
    others = ['download(file_name("a-{day}.csv"))', 'f"{a}. {b}"', 'f"{a}"', 'render("a.html")']
    assert sorted(names_made("\n".join([*lines, *others]))) == ["a-*.csv", "a.*", "a.pdf"]
