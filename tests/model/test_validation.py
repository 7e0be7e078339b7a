"""Forms: the errors of all fields at once."""

from masthead.model.inputs import IssueUpdate, SubscriptionCreate, SubscriptionUpdate
from masthead.model.validation import list_refusals


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
