"""How letters greet a person, in English and in German."""

from masthead.model.subscribers.corrections import list_own_address_refusals
from masthead.model.subscribers.greetings import describe_salutation, greeting
from masthead.model.translations import in_language
from tests.support.cases import for_each


@for_each(
    "person, english, german",
    [
        (("ms", None, "Ada", "Schmidt"), "Dear Ms Schmidt", "Sehr geehrte Frau Schmidt"),
        (("mr", None, None, "Schmidt"), "Dear Mr Schmidt", "Sehr geehrter Herr Schmidt"),
        (("ms", "Dr.", "Ada", "Schmidt"), "Dear Dr. Schmidt", "Sehr geehrte Frau Dr. Schmidt"),
        (
            ("mr", "Prof. Dr.", "Tom", "Ng"),
            "Dear Prof. Dr. Ng",
            "Sehr geehrter Herr Prof. Dr. Ng",
        ),
        ((None, None, "Ada", "Schmidt"), "Dear Ada Schmidt", "Guten Tag Ada Schmidt"),
        ((None, "Dr.", "Ada", "Schmidt"), "Dear Dr. Ada Schmidt", "Guten Tag Dr. Ada Schmidt"),
        ((None, "Dr.", None, "Schmidt"), "Dear Dr. Schmidt", "Guten Tag Dr. Schmidt"),
        (("ms", None, "Ada", None), "Dear Ada", "Guten Tag Ada"),
        ((None, None, None, "Schmidt"), "Dear subscriber", "Guten Tag"),
        ((None, None, None, None), "Dear subscriber", "Guten Tag"),
    ],
)
def test_a_letter_greets_by_salutation_title_and_name(
    person: tuple[str | None, str | None, str | None, str | None], english: str, german: str
) -> None:
    assert greeting(*person) == english
    with in_language("de_DE"):
        assert greeting(*person) == german


def test_a_salutation_is_shown_in_words_of_the_language() -> None:
    assert [describe_salutation(each) for each in ("ms", "mr", None)] == ["Ms", "Mr", ""]
    with in_language("de_DE"):
        assert [describe_salutation(each) for each in ("ms", "mr")] == ["Frau", "Herr"]


@for_each(
    "address, fields",
    [
        ({}, []),
        ({"address1": "Weg 1", "city": "Ulm", "country": "DE"}, []),
        ({"address2": "Postfach 1", "postcode": "89073", "country": "DE"}, []),
        ({"address1": "Weg 1"}, ["city", "country"]),
        ({"country": "DE"}, ["address1", "city"]),
    ],
)
def test_an_own_address_is_complete_or_empty(address: dict[str, str], fields: list[str]) -> None:
    assert [each.field for each in list_own_address_refusals(address)] == fields
    of_giver = {f"gifter_{name}": text for name, text in address.items()}
    found = list_own_address_refusals(of_giver, prefix="gifter_")
    assert [each.field for each in found] == [f"gifter_{field}" for field in fields]
