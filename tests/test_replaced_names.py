"""What tests replace exists: otherwise, a slow one would say so only when it runs."""

import ast
import pkgutil
from collections.abc import Iterator
from pathlib import Path

from masthead.store.read_model import subscription_json
from tests.support.protections import PROTECTIONS, NoInvalidation

TESTS = Path(__file__).parent
CONTROL = """
import masthead.mail
from masthead.store import accounts
from masthead.store.accounts import Account as Publication

@pytest.mark.parametrize("name", ["lock_account", "lock_nothing"])
def test_it(monkeypatch, name):
    monkeypatch.setattr(accounts, name, None)
    monkeypatch.setattr(accounts, "no_account", None)
    monkeypatch.setattr(accounts, "no_account", None, raising=False)
    monkeypatch.setattr(masthead.mail, "no_mail", None)
    monkeypatch.delattr(Publication, "no_id")
    monkeypatch.setattr("masthead.store.accounts.time.no_time", None)
    setattr(accounts, "get_account", None)
    monkeypatch.setattr(unknown, "anything", None)
"""


def list_imports(tree: ast.Module) -> dict[str, str]:
    """The full names of what a module imports, by the names that it uses for them."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
        elif isinstance(node, ast.Import):
            for each in node.names:
                found[each.asname or each.name.partition(".")[0]] = (
                    each.name if each.asname else each.name.partition(".")[0]
                )
    return found


def list_values(tree: ast.Module) -> dict[str, list[str]]:
    """The texts that `parametrize` gives to arguments, by their names."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="parametrize"),
                args=[ast.Constant(value=str(name)), ast.List(elts=values)],
            ):
                texts = [each.value for each in values if isinstance(each, ast.Constant)]
                found.setdefault(name, []).extend(map(str, texts))
    return found


def list_replaced(tree: ast.Module) -> Iterator[str]:
    """The full names of what a module of tests replaces, as far as its text shows them."""
    imports, values = list_imports(tree), list_values(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Call(keywords=[_, *_]):
                pass  # `raising=False`
            case ast.Call(
                func=ast.Attribute(attr="setattr"), args=[ast.Constant(value=str(name)), _]
            ):
                yield name
            case ast.Call(
                func=ast.Attribute(attr="setattr" | "delattr") | ast.Name(id="setattr"),
                args=[owner, ast.Constant() | ast.Name() as name, *_],
            ):
                first, *rest = ast.unparse(owner).split(".")
                names = [str(name.value)] if isinstance(name, ast.Constant) else values.get(name.id)
                for each in names or ():
                    if first in imports:
                        yield ".".join([imports[first], *rest, each])


def list_missing(source: str) -> list[str]:
    """Those that do not exist."""
    missing = []
    for name in dict.fromkeys(list_replaced(ast.parse(source))):
        try:
            pkgutil.resolve_name(name)
        except (AttributeError, ImportError):
            missing.append(name)
    return missing


def test_what_tests_replace_exists() -> None:
    sources = (path.read_text() for path in TESTS.rglob("*.py"))
    assert [name for text in sources if "attr(" in text for name in list_missing(text)] == []


def test_the_rule_finds_names_that_do_not_exist() -> None:
    assert list_missing(CONTROL) == [
        "masthead.store.accounts.lock_nothing",
        "masthead.store.accounts.no_account",
        "masthead.mail.no_mail",
        "masthead.store.accounts.Account.no_id",
        "masthead.store.accounts.time.no_time",
    ]


def test_what_protections_switch_off_exists() -> None:
    for name, replaced in PROTECTIONS.items():
        assert [each for owner, each, _ in replaced if not hasattr(owner, each)] == [], name
    marks = {name for name in dir(subscription_json) if name.startswith("mark_")}
    assert {name for name in dir(NoInvalidation) if name.startswith("mark_")} == marks
