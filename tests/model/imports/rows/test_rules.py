"""Rules of a mapping, compiled to functions of a row."""

import pytest

from masthead.model.imports.mapping import Rule
from masthead.model.imports.rows.rules import (
    LeftOut,
    Lookup,
    Places,
    compile_list,
    compile_rule,
    unpack,
)
from masthead.model.imports.values.days import is_no_day
from tests.support.cases import for_each

PLACES = Places(["Name", "Mail", "Other mail", "Plan"])
CELLS = ["Ada Lovelace", " ", "'+b@example.com", "Print / yearly"]


@for_each(
    "rule, text",
    [
        (Rule(columns=("name",)), "Ada Lovelace"),
        (Rule(columns=("Gone", "Mail", "Other mail")), "'+b@example.com"),
        (Rule(columns=("Mail", "Mail")), ""),
        (Rule(join=("Name", "Mail", "Other mail"), separator=", "), "Ada Lovelace, +b@example.com"),
        (Rule(split="Name", part="first"), "Ada"),
        (Rule(split="Name", part="last"), "Lovelace"),
        (Rule(split="Mail", part="first"), ""),
        (Rule(split="Plan", at="/"), "Print"),
        (Rule(split="Plan", at="/", part="first"), "Print"),
        (Rule(split="Plan", at="/", part="2"), "yearly"),
        (Rule(split="Plan", at="/", part="last"), "yearly"),
        (Rule(split="Plan", at="/", part="3"), ""),
        (Rule(constant="DE"), "DE"),
        (Rule(constant="DE", prefix="X-"), "X-DE"),
        (Rule(columns=("Mail", "Mail"), prefix="X-"), ""),
        (Rule(lookup="Plan", table={"print*": "Print"}), "Print"),
        (Rule(columns=("Mail", "Plan"), table={"*yearly": "12"}), "12"),
        (Rule(lookup="Plan", table={}, otherwise="Digital"), "Digital"),
        (Rule(lookup="Mail", table={}), ""),
        (Rule(columns=("Mail",), otherwise="none"), "none"),
        (Rule(columns=("Name",), otherwise="none"), "Ada Lovelace"),
        (Rule(join=("Mail", "Mail"), otherwise="none", prefix="X-"), "X-none"),
        (Rule(columns=("Gone",), otherwise="none"), "none"),
    ],
)
def test_a_rule_gives_the_text_of_a_field(rule: Rule, text: str) -> None:
    get, _column = compile_rule(rule, PLACES)
    assert get is not None
    assert get(CELLS) == text


@for_each("zero", ["0000-00-00", "00.00.0000 00:00", "1/0/1900", "1970-01-01 00:00:00"])
def test_a_zero_for_a_date_hides_no_other_column(zero: str) -> None:
    places = Places(["Renewed", "Paid"])
    get, _column = compile_rule(Rule(columns=("Renewed", "Paid")), places, is_empty=is_no_day)
    assert get is not None
    assert get([zero, "2026-01-15"]) == "2026-01-15"
    get, _column = compile_rule(
        Rule(columns=("Renewed",), otherwise="2026-02-01"), places, is_empty=is_no_day
    )
    assert get is not None
    assert get([zero, "x"]) == "2026-02-01"
    assert get(["2026-03-01", "x"]) == "2026-03-01"


def test_a_rule_without_any_column_of_the_table_gives_nothing() -> None:
    assert compile_rule(Rule(columns=("Gone",)), PLACES) == (None, "")
    assert compile_rule(Rule(), PLACES) == (None, "")


@pytest.mark.parametrize("table", [{"Digital": "x"}, {"print*": "leave out"}])
def test_a_lookup_without_a_match_leaves_the_row_out(table: dict[str, str]) -> None:
    get, _column = compile_rule(Rule(lookup="Plan", table=table), PLACES)
    assert get is not None
    with pytest.raises(LeftOut) as out:
        get(CELLS)
    assert (out.value.column, out.value.value) == ("Plan", "Print / yearly")


def test_an_exact_key_wins_over_patterns_and_long_texts_are_not_kept() -> None:
    lookup = Lookup({"Print*": 1, "print": 2, "*": 3})
    assert [lookup.find(text) for text in ("PRINT", "Print  1", "x", "x" * 300)] == [2, 1, 3, 3]
    lookup = Lookup({"Print plus": 1, "Printplus": 2})
    assert lookup.find("print  PLUS") == 1


def test_packed_items_are_listed_by_part() -> None:
    text = "name:Print; one year|quantity:1;name:Tote|meta:a"
    assert unpack(text, "name") == ["Print; one year", "Tote"]
    assert unpack(text, "quantity") == ["1", ""]
    assert unpack("Print", "name") == []
    assert unpack("name:Print;meta:a;name:Tote", "name") == ["Print", "Tote"]
    assert unpack("meta:a|meta:b;name:Tote", "name") == ["Tote"]
    places = Places(["Items", "Item"])
    rule = Rule(packed="Items", part="name", columns=("Item",))
    get, column = compile_rule(rule, places)
    assert get is not None
    assert column == "Items"
    assert get([text, ""]) == "Print; one year, Tote"
    assert get(["", "x"]) == "x"
    items = compile_list(rule, places, get)
    assert items(["", " x "]) == ["x"]
    assert items(["", ""]) == []
    rule = Rule(packed="Items", part="name")
    get, _column = compile_rule(rule, places)
    assert get is not None
    assert get(["", "x"]) == ""
    assert compile_list(rule, places, get)(["", "x"]) == []
    rule = Rule(packed="Gone", part="name", columns=("Item",))
    get, column = compile_rule(rule, places)
    assert get is not None
    assert (get(["", "x"]), column) == ("x", "Item")


@pytest.mark.parametrize(
    "key, text, fits",
    [
        ("*", "", True),
        ("a*a", "a", False),
        ("a*a", "aa", True),
        ("*b*c", "abc", True),
        ("*b*c*", "a c b", False),
        ("a*bc*c", "abc", False),
        ("a**", "a", True),
    ],
)
def test_stars_of_a_lookup_stand_for_any_text(key: str, text: str, *, fits: bool) -> None:
    assert (Lookup({key: "found"}).find(text) == "found") is fits


def test_many_stars_of_a_lookup_take_no_time() -> None:
    lookup = Lookup({"*a" * 30 + "*b": "found"})  # a pattern needs years for it
    assert lookup.find("a" * 5_000) is None
