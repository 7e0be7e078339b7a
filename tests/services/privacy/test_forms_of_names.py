"""An erasure finds a subscriber in any case, any Unicode form and in the names of files."""

import json
from itertools import product
from unicodedata import normalize

import apsw
import pytest
from hypothesis import example, given, strategies as st

from masthead.model.privacy.digests import PersonDetails
from masthead.model.privacy.redaction import _widest, encoded_forms, lower_forms, patterns_of
from masthead.model.returns.uploads import UploadKind
from masthead.services.privacy.data_subjects import file_terms
from masthead.services.returns.uploads import save_upload
from masthead.services.subscribers.notes import add_note
from masthead.store.privacy.mentions import list_texts
from masthead.store.privacy.records import DataSubject
from tests.conftest import BY, Cast
from tests.support.factories import make_issue
from tests.support.privacy import erase, make_batch
from tests.support.subscribers import make_subscriber, rows, set_columns


async def texts(cast: Cast, table: str, column: str) -> list[str]:
    """The texts of a column."""
    found = await rows(cast, f"SELECT {column} AS text FROM {table} WHERE account_id = :account_id")  # noqa: S608 - constants
    return [str(each["text"]) for each in found]


JOERG = ("Jörg", "Müller")
ZOE = ("Zoé", "Müller-Groß")
NIKOS = ("Νίκος", "Παπαδόπουλος")  # in lower case, `Σ` at the end of a word is `ς`, or `σ`


@pytest.mark.parametrize(
    "name, written",
    [
        *((JOERG, text) for text in ("JÖRG MÜLLER", "jörg müller", "Jörg MÜLLER")),
        (JOERG, normalize("NFD", "Jörg Müller")),
        *((NIKOS, text) for text in ("ΝΊΚΟΣ ΠΑΠΑΔΌΠΟΥΛΟΣ", "Νίκος ΠΑΠΑΔΌΠΟΥΛΟΣ")),
        (NIKOS, "ΠΑΠΑΔΌΠΟΥΛΟΣ, Νίκος"),
        # as banks write them
        *((JOERG, text) for text in ("MUELLER JOERG", "MUELLER,JOERG", "JOERG MUELLER")),
        (JOERG, "Muller Jorg"),
        *((ZOE, text) for text in ("MUELLER-GROSS ZOE", "Zoe Mueller Gross", "Müller Groß,Zoé")),
    ],
)
async def test_a_name_is_found_in_any_case_and_form(
    acme: Cast, name: tuple[str, str], written: str
) -> None:
    await make_issue(acme)
    first, last = name
    id = await make_subscriber(acme, "jm@example.test", first_name=first, last_name=last, length=1)
    other = await make_subscriber(acme, "other@example.test", first_name="Ada", length=1)
    await add_note(acme.db, acme.account_id, other, f"Friend of {written}.", by=BY)
    await erase(acme, id)
    assert await texts(acme, "subscriber_note", "text") == ["Friend of [erased]."]


def test_one_pattern_finds_all_that_contains_a_last_name() -> None:
    assert patterns_of(["Ada Dahl", "Dahl, Ada", "ada.dahl@example.test", "Dahl"]) == ["%dahl%"]


PARTS = ["a", "ı", "_", "%", r"\_", r"\%", "\\\\"]
TEXTS = ["".join(each) for size in range(4) for each in product("aı_%\\", repeat=size)]


@given(st.sets(st.lists(st.sampled_from(PARTS), max_size=3).map("".join), min_size=1, max_size=4))
@example({"_a", "%a"})
@example({"_a", r"\_a", "aa"})
def test_the_widest_patterns_find_what_all_of_them_find(patterns: set[str]) -> None:
    assert found_by(_widest(patterns)) == found_by([f"%{each}%" for each in patterns])


def found_by(patterns: list[str]) -> list[str]:
    """The texts that SQLite finds by one of the patterns."""
    has_any = " OR ".join(f"value LIKE ?{n} ESCAPE '\\'" for n, _ in enumerate(patterns, 2))
    sql = f"SELECT value FROM json_each(?1) WHERE {has_any}"  # noqa: S608 - numbers
    return apsw.Connection(":memory:").execute(sql, [json.dumps(TEXTS), *patterns]).get or []


@pytest.mark.parametrize("lower", ["ilse.i@x.test", "ılse.ı@x.test"])
def test_the_lower_case_of_a_turkish_database_is_known(lower: str) -> None:
    assert lower in lower_forms(["Ilse.I@x.test"])


async def test_a_giver_is_found_by_an_email_in_capitals(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "jörg@example.test", first_name="Jörg", length=1)
    other = await make_subscriber(acme, "other@example.test", first_name="Ada", length=1)
    (gift,) = await rows(
        acme,
        "SELECT id FROM subscription WHERE account_id = :account_id AND subscriber_id = :other",
        other=other,
    )
    given = {"is_gift": True, "gifter_name": "Onkel", "gifter_email": "JÖRG@example.test"}
    await set_columns(acme, "subscription", gift["id"], **given)
    await erase(acme, id)
    assert set(await texts(acme, "subscription", "gifter_email")) == {"None"}
    assert set(await texts(acme, "subscription", "gifter_name")) == {"None"}


async def test_names_of_files_are_replaced(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(
        acme, "zq@example.test", first_name="Zebedee", last_name="Quuxley", length=1
    )
    await make_batch(acme, name="Zebedee Quuxley.csv")
    await save_upload(
        acme.db,
        acme.account_id,
        kind=UploadKind.SHIPPED,
        name="zq@example.test.csv",
        content=b"a",
        by=BY,
    )
    await erase(acme, id)
    assert await texts(acme, "import_batch", "name") == ["[erased].csv"]
    assert await texts(acme, "carrier_file", "name") == ["[erased].csv"]


def test_a_text_that_an_encoding_does_not_have_is_not_looked_for_in_it() -> None:
    forms = encoded_forms(["иван@mail.test"])
    assert b"@mail.test" not in forms
    assert "иван@mail.test".encode() in forms
    assert normalize("NFD", "Müller").encode() in encoded_forms(["Müller"])


async def test_a_subscriber_with_many_names_is_found_too(acme: Cast) -> None:
    await make_batch(acme, name="name 777.csv")
    patterns = [f"%name {number}.%" for number in range(1_000)]  # as of a school
    found = await list_texts(acme.db, acme.account_id, "import_batch", patterns)
    assert [row["name"] for row in found] == ["name 777.csv"]


async def test_an_email_with_a_sharp_s_is_found_as_it_is_written(acme: Cast) -> None:
    await make_issue(acme)
    email = "Groß@example.test"
    id = await make_subscriber(
        acme, email, length=1, order_id=f"{email}-17", transaction_id=f"pay-{email.upper()}"
    )
    await erase(acme, id)
    (order,) = await rows(
        acme, "SELECT order_id, transaction_id FROM period WHERE account_id = :account_id"
    )
    assert order["order_id"].startswith("[erased]-17-")
    assert order["transaction_id"] == "pay-[erased]"


def test_a_file_with_a_short_name_is_found_by_the_street() -> None:
    subject = DataSubject(subscribers=["1"], subscriptions=[], gifts=[], emails=[])
    row = {"first_name": "Al", "last_name": "Ng", "company": None}
    people = [PersonDetails(first_name="Al", last_name="Ng", address1="Kai 1")]
    assert file_terms(subject, [row], people) == ["Kai 1"]


def test_a_name_without_latin_letters_is_looked_for_as_it_is_written() -> None:
    assert patterns_of(["李"]) == ["%李%"]  # a wildcard in its place would find all texts
    assert {"%иван%", "%ИВАН%", "%Иван%"} <= set(patterns_of(["Иван"]))
    assert set(patterns_of(["Jörg Fox"])) == {"%jo_rg_fox%", "%j_rg_fox%"}


async def test_a_name_is_found_with_each_spelling_of_its_signs(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(
        acme, "z@x.test", first_name="Zoë", last_name="O’Brien‐Berg", length=1
    )
    other = await make_subscriber(acme, "other@x.test", first_name="Ada", length=1)
    spellings = ["O'Brien-Berg", "O`Brien–Berg", "OʼBrien‑Berg", "OBrien-Berg", "O´BRIEN−BERG"]
    for spelling in spellings:
        text = f"Gift of Zoë\xa0{spelling}, who calls on Monday"
        await add_note(acme.db, acme.account_id, other, text, by=BY)
    assert {each.encode() for each in spellings[:1]} <= set(encoded_forms(["O’Brien‐Berg"]))
    await erase(acme, id)
    assert set(await texts(acme, "subscriber_note", "text")) == {
        "Gift of [erased], who calls on Monday"
    }


async def test_a_namesake_with_another_apostrophe_keeps_the_name(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "z@x.test", first_name="Zoe", last_name="O’Brien", length=1)
    other = await make_subscriber(acme, "y@x.test", first_name="Zoe", last_name="OBrien", length=1)
    await add_note(acme.db, acme.account_id, other, "Zoe O'Brien called", by=BY)
    await erase(acme, id)
    assert await texts(acme, "subscriber_note", "text") == ["Zoe O'Brien called"]


async def test_an_email_is_found_inside_of_other_texts_but_not_in_other_emails(acme: Cast) -> None:
    await make_issue(acme)
    anna = await make_subscriber(
        acme, "anna@x.test", first_name="Anna", length=1, transaction_id="chargeanna@x.test9"
    )
    other = await make_subscriber(acme, "pay_anna@x.test", first_name="Ada", length=1)
    for text in (
        "pay_Anna@x.test_2 and anna@x.test, via ?to=anna%40x.test&from=me",
        "from joanna@x.test",
        "write to pay_anna@x.test or ?to=pay_anna%40x.test",
    ):
        await add_note(acme.db, acme.account_id, other, text, by=BY)
    await erase(acme, anna)
    assert sorted(await texts(acme, "subscriber_note", "text")) == [
        "from joanna@x.test",
        "pay_[erased]_2 and [erased], via ?to=[erased]&from=me",
        "write to pay_anna@x.test or ?to=pay_anna%40x.test",
    ]
    assert "charge[erased]9" in await texts(acme, "period", "transaction_id")
    assert "pay_anna@x.test" in await texts(acme, "subscriber", "email")


async def test_an_erasure_that_is_repeated_leaves_files_of_others(acme: Cast) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "zq@example.test", first_name="Zebedee", length=1)
    await erase(acme, id)
    found = await rows(
        acme, "SELECT first_name FROM subscriber WHERE account_id = :account_id AND id = :id", id=id
    )
    subject = DataSubject(subscribers=[id], subscriptions=[], gifts=[], emails=[])
    people = [PersonDetails(first_name="Erased", address1="Erased")]
    assert file_terms(subject, [{**found[0], "last_name": None, "company": None}], people) == []
