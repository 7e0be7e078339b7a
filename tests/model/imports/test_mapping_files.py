"""Mappings as TOML files."""

import tomllib

import pytest
from hypothesis import given, settings, strategies as st

from masthead.model.errors import Invalid
from masthead.model.imports.mapping import (
    ImportMapping,
    ItemOffer,
    Rule,
    answer_mapping,
    decode_json,
    encode_json,
    merge_mappings,
)
from masthead.model.imports.mapping_files import decode_mapping, encode_mapping, require_columns
from masthead.model.imports.presets.registry import list_presets
from masthead.model.imports.targets import TARGETS
from tests.support.cases import for_each

EXAMPLE = """
preset = "woocommerce-subscriptions"
order_prefix = "SHOP-"
start_issue_rule = "current"
date_order = "day_first"
postcodes = "add_zeros"
time_zone = "Europe/Berlin"
order_id_from = "Order No"

[columns]
order_id = "Order No"
email = ["Shipping Email", "Billing Email"]
notes = { join = ["Note", "Remark"], with = " / " }
first_name = { split = "Name", part = "first" }
city = { split = "Place", at = ",", part = "2" }
country = { constant = "DE" }
phone = { columns = "Phone", prefix = "+" }
medium = { lookup = "Product", table = { "App only" = "Digital" }, otherwise = "Print" }

[products]
"Print*" = { length = 4 }
Tote = "leave out"
Club = "Membership"

[status]
active = "Active"
gone = "not recurring"

[values]
country = { "Übersee" = "US", Intern = "leave out" }

[only]
Land = "DE"
"""


def test_a_mapping_file_reads_naturally() -> None:
    mapping = decode_mapping(EXAMPLE)
    assert mapping.order_prefix == "SHOP-"
    assert mapping.postcodes == "add_zeros"
    assert mapping.order_id_from == ("Order No",)
    assert mapping.columns["order_id"] == Rule(columns=("Order No",))
    assert mapping.columns["email"] == Rule(columns=("Shipping Email", "Billing Email"))
    assert mapping.columns["notes"] == Rule(join=("Note", "Remark"), separator=" / ")
    assert mapping.columns["phone"] == Rule(columns=("Phone",), prefix="+")
    assert mapping.products == {
        "Print*": ItemOffer(length=4),
        "Tote": ItemOffer(leave_out=True),
        "Club": ItemOffer(product="Membership"),
    }
    assert mapping.values == {"country": {"Übersee": "US", "Intern": "leave out"}}
    assert mapping.only == {"Land": ("DE",)}
    assert decode_mapping(encode_mapping(mapping)) == mapping


WRONG = """
collumns = 1
order_prefix = 3
gifts = "maybe"
postcodes = "trim"
date_order = "dayfirst"
time_zone = "Mars"
status = { x = "Aktiv", y = 3 }
only = { a = 3 }
never = 3
positive = ["prise"]

[columns]
emial = "X"
notes = { join = ["a"], wiht = " / " }
first_name = 7
last_name = { split = "Name", part = "middle" }
price = { columns = 3 }
city = [3]

[products]
Print = { length = "4", medium = "Karton" }
x = 3
y = { length = 0, interval_months = 1201 }
"""


def test_all_errors_of_a_mapping_file_are_said_at_once() -> None:
    with pytest.raises(Invalid) as refused:
        decode_mapping(WRONG)
    text = str(refused.value)
    for part in (
        "`collumns` is not a setting of mappings. Did you mean `columns`?",
        "`order_prefix` is 3; expected text.",
        '`gifts` is "maybe"; expected one of `by_name`, `no`, `ask`.',
        '`date_order` is "dayfirst"',
        '`time_zone` is "Mars"',
        '`status.x` is "Aktiv"; expected one of `Active`',
        "`status.y` is 3; expected text.",
        "`only.a` is 3; expected list of texts.",
        "`never` is 3; expected a table, written `[never]`.",
        "`prise` is not a field that a mapping can fill. Did you mean `price`?",
        "`emial` is not a field that a mapping can fill. Did you mean `email`?",
        "`columns.notes` has `wiht`, which is not known. Did you mean `with`?",
        "`columns.first_name` is 7; expected text or table.",
        "`columns.last_name.part` is",
        "`columns.price.columns` is 3; expected list of texts.",
        "`columns.city.columns` is [3]; expected list of texts.",
        '`products.Print.length` is "4"; expected whole number.',
        '`products.Print.medium` is "Karton"',
        "`products.x` is 3; expected text or table.",
        "`products.y.length` is 0; expected a whole number from 1 to 1000.",
        "`products.y.interval_months` is 1201",
    ):
        assert part in text


def test_a_file_that_is_no_toml_is_refused() -> None:
    with pytest.raises(Invalid, match="not valid TOML"):
        decode_mapping("a = ")


def test_all_columns_that_a_file_does_not_have_are_named() -> None:
    mapping = decode_mapping('[columns]\nemail = "Mail"\nprice = "Totl"\ncity = "city"')
    require_columns(ImportMapping(), [])
    with pytest.raises(Invalid) as refused:
        require_columns(mapping, ["Total", "CITY"])
    assert str(refused.value) == (
        "The file has no column `Mail`, which the mapping names. "
        "The file has no column `Totl`, which the mapping names. Did you mean `Total`?"
    )


@for_each("mapping", [each.mapping for each in list_presets()])
def test_every_preset_can_be_written_as_a_file_and_as_json(mapping: ImportMapping) -> None:
    assert decode_mapping(encode_mapping(mapping)) == mapping
    assert decode_json(encode_json(mapping)) == mapping


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)
lists = st.lists(texts, min_size=1, max_size=3).map(tuple)
rules = st.one_of(
    st.builds(Rule, columns=lists, prefix=texts),
    st.builds(Rule, columns=lists),
    st.builds(Rule, join=lists, separator=texts),
    st.builds(Rule, constant=texts),
    st.builds(Rule, columns=st.tuples(texts), otherwise=texts),
    st.builds(Rule, lookup=texts, table=st.dictionaries(texts, texts), otherwise=st.just("")),
)
offers = st.builds(ItemOffer, product=texts, length=st.integers(1, 1000), leave_out=st.booleans())
mappings = st.builds(
    ImportMapping,
    order_prefix=texts,
    order_id_from=lists,
    columns=st.dictionaries(st.sampled_from(sorted(TARGETS)), rules, max_size=3),
    products=st.dictionaries(texts, offers | st.just(ItemOffer(leave_out=True)), max_size=2),
    status=st.dictionaries(texts, st.sampled_from(["Active", "leave out"]), max_size=2),
    only=st.dictionaries(texts, lists, max_size=2),
)


@settings(max_examples=60, deadline=None)
@given(mappings)
def test_a_written_mapping_is_read_again_as_it_was(mapping: ImportMapping) -> None:
    text = encode_mapping(mapping)
    tomllib.loads(text)
    assert decode_mapping(text) == mapping


def test_a_file_changes_the_fields_of_its_preset() -> None:
    base = ImportMapping(
        order_prefix="A", gifts="no", columns={"email": Rule(constant="a"), "city": Rule()}
    )
    changes = ImportMapping(order_prefix="B", columns={"email": Rule(constant="b")})
    merged = merge_mappings(base, changes)
    assert merged == ImportMapping(
        order_prefix="B", gifts="no", columns={"email": Rule(constant="b"), "city": Rule()}
    )


def test_answers_fill_the_fields_that_were_asked_for() -> None:
    answers = {"gifts": "no", "date_order": "", "status:trial": "Active", "product:X": "Print"}
    answers |= {"value:country:A:B": "DE", "value:type:?": ""}
    mapping = answer_mapping(ImportMapping(date_order="day_first"), {**answers, "colour": "red"})
    assert (mapping.gifts, mapping.date_order) == ("no", "day_first")
    assert mapping.status == {"trial": "Active"}
    assert mapping.products == {"X": ItemOffer(product="Print")}
    assert mapping.values == {"country": {"A:B": "DE"}}


@pytest.mark.parametrize(
    "text, told",
    [
        ("a = " + "[" * 20_000, "10000 lines and values"),
        ("a = " + "{b = " * 20_000, "too many brackets"),
        (f"[products]\nx = {{ length = {'9' * 5_000} }}", "too many digits"),
        (
            f'[columns]\nemail = {{ split = "Mail", part = "{"9" * 5_000}" }}',
            "expected `first`, `last`, or",
        ),
    ],
    ids=["lists", "tables", "digits", "part"],
)
def test_a_file_that_no_person_writes_is_refused(text: str, told: str) -> None:
    with pytest.raises(Invalid, match=told):
        decode_mapping(text)


def test_a_mapping_says_through_which_issue_copies_count_as_sent() -> None:
    for text, value in (("21", 21), ('"released"', "released"), ('"none"', "none")):
        mapping = decode_mapping(f"sent_through = {text}")
        assert mapping.sent_through == value
        assert decode_mapping(encode_mapping(mapping)) == mapping
        assert decode_json(encode_json(mapping)) == mapping


def test_a_mapping_says_what_becomes_of_orders_that_are_not_paid() -> None:
    text = 'unpaid = "by_invoice"\n\n[status]\noffen = "not paid"\n'
    mapping = decode_mapping(text)
    assert (mapping.unpaid, mapping.status) == ("by_invoice", {"offen": "not paid"})
    assert encode_mapping(mapping) == text
    said = '`unpaid` is "billed"; expected one of `leave_out`, `by_invoice`'
    with pytest.raises(Invalid, match=said):
        decode_mapping('unpaid = "billed"')


def test_another_answer_about_sent_copies_is_refused() -> None:
    said = "`sent_through` is .*; expected an issue number, `released` or `none`"
    for text in ("0", "-3", "true", "2.5", '"all"', '"21"', "[21]", "99999999999"):
        with pytest.raises(Invalid, match=said):
            decode_mapping(f"sent_through = {text}")


@pytest.mark.parametrize(
    "text, told",
    [
        ('country = { x = "Atlantis" }', "`values.country` is `Atlantis`; expected the name of a"),
        ('is_gift = { x = "maybe" }', '`values.is_gift` is "maybe"; expected true or false'),
        ('city = { x = "y" }', '`values` is "city"; expected one of `salutation`, `is_gift`'),
        ('Land = { x = "DE" }', '`values` is "Land"; expected one of'),
        ("country = { x = 1 }", "`values.country` is"),
        ('country = "DE"', '`values.country` is "DE"; expected table of texts'),
    ],
)
def test_what_a_value_cannot_mean_is_refused(text: str, told: str) -> None:
    with pytest.raises(Invalid, match=told):
        decode_mapping(f"[values]\n{text}")
