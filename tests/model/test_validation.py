"""Inputs: the errors of all fields at once."""

from itertools import count

import pytest

from masthead.model.errors import MAX_ERRORS, Invalid
from masthead.model.inputs import IssueUpdate, ListQuery, SubscriptionCreate, SubscriptionUpdate
from masthead.model.orders.entry import OrderCreate, OrderEntry
from masthead.model.validation import decode_input, decode_query, list_refusals


def test_every_value_is_checked_separately() -> None:
    raw = {
        "city": "x" * 256,
        "length": "-3",
        "source": " ",
        "country": "XX",
        "order_date": "1899-01-01",
        "is_comp": True,
        "notes": "",
        "nonsense": 1,
    }
    refusals = list_refusals(SubscriptionCreate, raw)
    assert {each.field for each in refusals} == {
        "city",
        "length",
        "source",
        "country",
        "order_date",
    }
    assert "256 characters" in str(next(each for each in refusals if each.field == "city"))


def test_a_valid_form_has_no_errors() -> None:
    assert list_refusals(SubscriptionUpdate, {"city": "", "country": "DE"}) == []
    assert list_refusals(IssueUpdate, {"release_date_actual": None}) == []


def fields_refused(struct: type[OrderCreate], **given: object) -> set[str]:
    """The fields of an order that have errors."""
    raw = {"source": "S", "order_id": "A1", "order_date": "2026-03-01", "first_name": "Ada"}
    raw |= {"email": "ada@example.test", "country": "DE", "city": "Ulm", "type": "subscription"}
    with pytest.raises(Invalid) as refusal:
        decode_input(struct, {**raw, "start_issue": 1, "length": 4, "price": "10.00", **given})
    return {each.field for each in refusal.value.all}


def test_a_wrong_field_is_not_also_one_that_others_need() -> None:
    """Terms of payment are for billed orders; whether this one is billed is not known."""
    assert fields_refused(OrderCreate, is_billed="maybe", due_days=5) == {"is_billed"}
    assert fields_refused(OrderCreate, length="x", due_days=5) == {"length", "due_days"}


def test_the_form_of_an_order_has_its_own_rules_for_fields_together() -> None:
    assert fields_refused(OrderEntry, length="x", due_days=5) == {"length"}


def test_a_query_is_read_up_to_the_errors_that_are_told() -> None:
    pairs = ((f"x{number}", "1") for number in count())
    with pytest.raises(Invalid) as refusal:
        decode_query(ListQuery, pairs)
    assert len(refusal.value.all) == MAX_ERRORS
