"""What the caches of a process keep: no personal data, which would outlive an erasure."""

import ast
import functools
import gc
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import masthead
from masthead.services.privacy.finish import finish_erasures
from masthead.services.subscribers.duplicates import DuplicateFinder
from masthead.services.subscribers.find import find_callers
from tests.conftest import Cast
from tests.support.factories import import_row, make_issue
from tests.support.privacy import erase

PACKAGE = Path(masthead.__file__).parent
CACHES = ("cache", "lru_cache")
# Types of parameters that hold no text of a person
PLAIN = {"int", "float", "date", "datetime", "bool", "None", "Locale", "Path", "Dialect"}
# What the texts of the others are, and their functions
TEXTS = {
    "codes of countries, and formats of addresses": """
        model.dispatch.address_layout._country_layout model.dispatch.postal.address_format.compiled
        model.dispatch.postal.po_boxes._pattern model.dispatch.postal.rules.postal_rules
        model.dispatch.postal.rules.postcode_form model.dispatch.postal.rules._name_locale
        model.dispatch.postal.rules.name_in_capitals
    """,
    "signs between the cells of a file": "services.imports.csv_rows._padded_cells",
    "languages and locales": """
        model.imports.encodings._letters model.imports.values.country_names._names
        model.translations.load_catalogue web.kit.choices.list_countries
        model.types.recipient_languages.read_rule model.types.recipient_languages._usual_locale
        model.types.recipient_languages.recipient_locale
        model.types.recipient_languages.spoken_in
        web.kit.client_request.other_locales web.kit.client_request.preferred_locale
        web.kit.formatting.get_locale
    """,
    "amounts with a currency, moments and time zones": """
        model.letters.texts._price model.types.money.minor_units model.types.money.money_text
        web.kit.formatting._amount_in web.kit.formatting._date_in
        model.imports.values.days._offset store.engine.moving.lines._format_moment
    """,
    "settings and secrets of the publisher": """
        model.billing.named_numbers._pattern model.letters.unsubscribe._key
        model.self_service.reading._key model.webhooks.signatures._secret_bytes
        model.webhooks.signatures._private_key settings._load
    """,
    "what clients accept, names of servers, and of our files": """
        serving.compression.accepted_coding api.http.request._is_host api.openapi.docs._answer
        web.kit.rendering._compressed
    """,
    "SQL without its values, and names of columns and fields": """
        store.engine.postgres.connection._translate store.engine.sqlite.connection._translate
        store.engine.sqlite.connection._encoded_positions store.engine.sqlite.connection._values_of
        store.engine.sqlite.connection._insert_sql store.engine.traced._describe
        store.exports.file_rows._page store.pagination._page_text store.pagination._lines_text
        store.read_model.stored_pages._stored_json store.read_model.subscription_json._stored_json
        store.renewals.lists._list_sql store.renewals.lists._count_sql
        store.renewals.rates._list_sql model.input_fields._fields_of
        model.input_fields._postal_names
    """,
}


def find_caches(source: str) -> Iterator[tuple[str, list[str]]]:
    """The caches of a module that last as long as the process, with the types of their keys."""
    tree = ast.parse(source)
    classes = [each for each in tree.body if isinstance(each, ast.ClassDef)]
    for node in [*tree.body, *(inner for each in classes for inner in each.body)]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if any(map(_is_cache, node.decorator_list)):
                given = node.args
                every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
                types = [ast.unparse(each.annotation) for each in every if each.annotation]
                rest = given.vararg.annotation if given.vararg else None
                yield node.name, [*types, *([ast.unparse(rest)] if rest else [])]
        elif isinstance(node, ast.Assign | ast.AnnAssign) and any(map(_is_cache, ast.walk(node))):
            yield ast.unparse(node).partition(" ")[0], ["str"]


def _is_cache(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name in CACHES


def holds_texts(types: list[str]) -> bool:
    """Whether one of the types may be that of a text."""
    return any(
        not set(re.findall(r"\w+", re.sub(r"type\[.*]", "", each))) <= PLAIN for each in types
    )


def test_no_cache_of_the_process_has_texts_of_people() -> None:
    found = {
        f"{'.'.join(path.relative_to(PACKAGE).with_suffix('').parts)}.{name}"
        for path in PACKAGE.rglob("*.py")
        for name, types in find_caches(path.read_text())
        if holds_texts(types)
    }
    assert found == {name for names in TEXTS.values() for name in names.split()}, (
        "a cache with names, addresses, emails or numbers of people belongs to one import, search "
        "or page: make it in a function or in an instance. Others are listed in TEXTS"
    )


@pytest.mark.parametrize(
    "source",
    [
        "@lru_cache(maxsize=8)\ndef find(name: str | None) -> int: ...",
        "@functools.cache\ndef find(*names: str) -> int: ...",
        "class Finder:\n    @cache\n    def find(self, *, key: tuple[str, ...]) -> int: ...",
        "_find = lru_cache(maxsize=8)(find)",
    ],
)
def test_a_cache_of_texts_is_found(source: str) -> None:
    ((_name, types),) = find_caches(source)
    assert holds_texts(types)


@pytest.mark.parametrize(
    "source",
    [
        "@cache\ndef find(day: date, number: int) -> int: ...",
        "def search() -> None:\n    find = lru_cache(find_name)",
        "class Import:\n    def __init__(self) -> None:\n        self.find = lru_cache(find_name)",
    ],
)
def test_a_cache_of_a_search_or_without_texts_is_not_found(source: str) -> None:
    assert not any(holds_texts(types) for _name, types in find_caches(source))


def cached_texts() -> set[str]:
    """The keys of all caches of this process, of libraries and of regular expressions, too."""
    modules = [getattr(each, "__dict__", {}) for each in list(sys.modules.values())]
    classes = [vars(each) for names in modules for each in names.values() if isinstance(each, type)]
    values = [each for names in (*modules, *classes) for each in names.values()]
    wrappers = [each for each in values if isinstance(each, functools._lru_cache_wrapper)]
    kept = [each for one in wrappers for each in gc.get_referents(one) if isinstance(each, dict)]
    kept += [value for name, value in vars(re).items() if name.startswith("_cache")]
    return {str(key) for each in kept for key in each}


async def test_no_cache_of_the_process_keeps_who_was_erased(acme: Cast) -> None:
    await make_issue(acme)
    before = cached_texts()  # other tests may have left theirs
    person = {
        "first_name": "Zébédée",
        "last_name": "Quüxley",
        "address1": "Xylöphonweg 7",
        "city": "Öthertown",
        "postcode": "99999",
        "phone": "+49 171 5551237",
        "start_issue": "1",
        "length": "1",
    }
    made = [await import_row(acme, **person, email=f"z{n}@quuxmail.test") for n in (1, 2)]
    async with acme.db.read(aside=True) as db:
        found = await find_callers(db, acme.account_id, "Zebedee Quxley", limit=3)
    assert len(found) == 2
    assert len((await DuplicateFinder().find(acme.db, acme.account_id)).pairs) == 1
    for each in made:
        await erase(acme, each["subscriber"]["id"])
    await finish_erasures(acme.db)
    traces = (
        "bédée",
        "bedee",
        "quuxley",
        "quüxley",
        "lophon",
        "löphon",
        "thertown",
        "5551237",
        "quuxmail",
    )
    new = cached_texts() - before
    assert [each for each in new if any(part in each.lower() for part in traces)] == []
