"""A caller is found in the spelling that staff type, exact matches first."""

import pytest

from masthead.services.subscribers.find import find_callers
from tests.conftest import Cast
from tests.support.factories import make_issue, make_subscription


@pytest.fixture
async def office(acme: Cast) -> Cast:
    """An account with the people whom these tests look for."""
    await make_issue(acme)
    people: list[dict[str, object]] = [
        {"first_name": "Anna", "last_name": "Schmidt", "city": "Berlin"},
        {"first_name": "Jörg", "last_name": "Müller", "phone": "030 12345"},
        {"first_name": "Erna", "last_name": "Mueller-Lüdenscheidt", "postcode": "SW1A 1AA"},
        {"first_name": "Sean", "last_name": "O’Neil", "phone": "+49 421 765432"},
        {"first_name": "Zoë", "last_name": "Meyer", "postcode": "1012AB"},
        {"first_name": "Ida", "last_name": "Roth", "email": "ida@xn--bcher-kva.test"},
        {"first_name": "Linnea", "last_name": "Nyström", "city": "Visby"},
        {"first_name": "Ivo", "last_name": "Gelb", "email": "ivo@bücher.test"},
    ]
    for each in people:
        await make_subscription(acme, **each)
    return acme


@pytest.mark.parametrize(
    "search, first",
    [
        ("Schmitt", "Schmidt"),  # wrong
        ("Schmdt", "Schmidt"),  # missing
        ("Schmiddt", "Schmidt"),  # too many
        ("Schmitd", "Schmidt"),  # swapped and wrong: the last two letters
        ("Anna Schmitt Berlin", "Schmidt"),
        ("Müler", "Müller"),
        ("Meier", "Meyer"),
        ("O'Neil", "O’Neil"),
        ("ONeil", "O’Neil"),
        ("Mueller-Luedenscheidt", "Mueller-Lüdenscheidt"),
        ("Müller–Lüdenscheidt", "Mueller-Lüdenscheidt"),
        ("Müller Lüdenscheidt", "Mueller-Lüdenscheidt"),
        ("Lüdenschaitd", "Mueller-Lüdenscheidt"),  # two errors
        ("Niström Visbi", "Nyström"),  # one in each of two words
        ("Linea Nistrom", "Nyström"),
        ("Nistroem Visbi", "Nyström"),
        ("Linea Nistrom Visby", "Nyström"),
        ("Visbi Niström", "Nyström"),
        ("+49 30 12345", "Müller"),
        ("0049-30/12345", "Müller"),
        ("+49 (0)30 12345", "Müller"),
        ("0421 765432", "O’Neil"),
        ("(0421) 76 54 32", "O’Neil"),
        ("0049 421 765432", "O’Neil"),
        ("0421/765432", "O’Neil"),
        ("SW1A1AA", "Mueller-Lüdenscheidt"),
        ("1012 AB", "Meyer"),
        ("ida@bücher.test", "Roth"),
        ("Ivo ivo@xn--bcher-kva.test", "Gelb"),
    ],
)
async def test_a_caller_is_found(office: Cast, search: str, first: str) -> None:
    async with office.db.read(aside=True) as db:
        found = await find_callers(db, office.account_id, search, limit=8)
    assert [each.last_name for each in found][:1] == [first]


async def test_exact_matches_come_first(office: Cast) -> None:
    await make_subscription(office, first_name="Ute", last_name="Mueller")
    await make_subscription(office, first_name="Ina", last_name="Muller")
    async with office.db.read(aside=True) as db:
        found = await find_callers(db, office.account_id, "Mueller", limit=8)
        few = await find_callers(db, office.account_id, "Mueller", limit=1)
    assert [each.first_name for each in found] == ["Ute", "Erna", "Ina", "Jörg"]
    assert [each.first_name for each in few] == ["Ute"]


async def test_another_account_finds_none_of_them(office: Cast, rival: Cast) -> None:
    async with rival.db.read(aside=True) as db:
        assert await find_callers(db, rival.account_id, "Schmitt", limit=8) == []


async def test_strange_searches_find_nobody(office: Cast) -> None:
    async with office.db.read(aside=True) as db:
        for search in ('"', "%%%%", "____", "שלום עולם", "qqqq" * 60):
            assert await find_callers(db, office.account_id, search, limit=8) == []


async def test_two_words_with_errors_are_tried_only_if_nobody_is_found(office: Cast) -> None:
    await make_subscription(office, first_name="Linea", last_name="Nistrom")
    async with office.db.read(aside=True) as db:
        found = await find_callers(db, office.account_id, "Linea Nistrom", limit=8)
        none = await find_callers(db, office.account_id, "Qinea Pistrot", limit=8)
    assert [each.last_name for each in found] == ["Nistrom"]
    assert none == []
