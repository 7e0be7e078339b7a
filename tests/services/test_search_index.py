"""The search finds the same rows as a comparison of every field, after any writes."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from hypothesis import HealthCheck, given, settings, strategies as st

from masthead.model.inputs import SubscriptionUpdate
from masthead.model.search import other_terms, search_terms
from masthead.model.types.text import fold_searched
from masthead.services.check.accounts import Fault, check, check_account
from masthead.services.subscriptions import update
from masthead.settings import Settings
from masthead.store.engine.interface import Database, Transaction
from masthead.store.search import text_index, trigrams_postgres, trigrams_sqlite
from tests.conftest import BY, Cast, make_account, serving
from tests.support.cases import for_each
from tests.support.factories import (
    fresh_order_id,
    import_row,
    import_rows,
    make_issue,
    make_subscription,
)
from tests.support.walk import walk

SUBSCRIPTIONS, SUBSCRIBERS = "/v1/subscriptions/", "/v1/subscribers/"
OWN = "id first_name last_name email".split()
SHARED = "id first_name last_name company address1 address2 city postcode phone".split()
MORE = "state notes gifter_name gifter_email".split()

# How many rows a search reads before it uses its index: as usual, none, and unusual numbers
LIMITS: list[dict[str, int]] = [
    {},
    {"NEWEST": 1, "MANY": 10**6},
    {"NEWEST": 1, "MANY": 0, "FEW": 0, "FEW_ROWS": 1},
    {"NEWEST": 1, "FEW": 0, "WORTH": 10**6, "LOOKED_AT": 1, "FEW_ROWS": 1, "MANY_ROWS": 2},
]


@pytest.fixture(params=LIMITS, ids=str)
def limits(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of rows that a search reads before it uses its index."""
    for name, value in request.param.items():
        for module in (text_index, trigrams_sqlite, trigrams_postgres):
            monkeypatch.setattr(module, name, value, raising=False)


def has_all(texts: Sequence[str | None], terms: Sequence[str]) -> bool:
    """Whether each term is somewhere in the texts, or each of them in another spelling."""
    lines = [" ".join(fold_searched(text).split()) for text in texts if text]
    lines += [re.sub(r"(?<=[^\W\d_])'(?=[^\W\d_])", "", line) for line in lines]
    return any(
        all(any(term in line for line in lines) for term in each)
        for each in (terms, *other_terms(terms))
    )


def joined(row: Mapping[str, Any]) -> list[str]:
    """The postcode and the phone number without blanks and other signs."""
    digits = re.sub("[^0-9]", "", row["phone"] or "")
    return [re.sub(r"[\W_]", "", row["postcode"] or ""), digits if len(digits) >= 7 else ""]


async def looked_up(cast: Cast, search: str) -> tuple[list[str], list[str]]:
    """Subscriptions and subscribers with every term in their fields, newest first."""

    async def rows_of(table: str) -> Sequence[Mapping[str, Any]]:
        sql = f"SELECT * FROM {table} WHERE account_id = :account"  # noqa: S608
        return await cast.db.fetch_all(sql, {"account": cast.account_id})

    subscribers = {row["id"]: row for row in await rows_of("subscriber")}
    orders = defaultdict(list)
    for order in await rows_of("period"):
        orders[order["subscription_id"]].append(order)
    terms = search_terms(search)
    texts = {id: [row[name] for name in OWN] for id, row in subscribers.items()}
    found = []
    for row in await rows_of("subscription"):
        shared = [row[name] for name in SHARED] + [each["order_id"] for each in orders[row["id"]]]
        shared += joined(row)
        own = [subscribers[row["subscriber_id"]][name] for name in OWN]
        more = [row[name] for name in MORE] + [each["promo_code"] for each in orders[row["id"]]]
        texts[row["subscriber_id"]] += shared
        if has_all([*shared, *own, *more], terms):
            found.append(row["id"])
    people = [id for id, own in texts.items() if has_all(own, terms)]
    return sorted(found, reverse=True), sorted(people, reverse=True)


async def searched(cast: Cast, search: str, limit: int = 3) -> tuple[list[str], list[str]]:
    """Subscriptions and subscribers that a search finds, page by page."""
    subscriptions, subscribers = [
        [each["id"] for each in await walk(cast, path, limit=limit, search=search)]
        for path in (SUBSCRIPTIONS, SUBSCRIBERS)
    ]
    return subscriptions, subscribers


async def import_people(cast: Cast, *rows: Mapping[str, str]) -> None:
    """Import a subscription for each row in one transaction."""
    first = {"start_issue": "1", "length": "1"}
    await import_rows(cast, *({**first, **row} for row in rows), create_issues=True)


async def faults(cast: Cast) -> list[Fault]:
    """The faults of an account; the database of these tests has very many accounts."""
    return [fault async for fault in check_account(cast.db, cast.subdomain)]


# --- the same as comparing every field -----------------------------------------------------------

PEOPLE = [
    {"first_name": "Bjørn", "last_name": "Müller-Straße", "city": "Zürich", "email": "b@acme.test"},
    {"first_name": "Bjorn", "last_name": "Muller", "city": "Zug", "notes": "50% \\ of _all_"},
    {"company": "漢字 & Söhne 🙂🙂\U0010fffd", "phone": "+41 44 555", "state": 'the "best" state'},
    {"last_name": "Quick", "address1": "1 Qj Road", "promo_code": "WINTER", "email": "b@acme.test"},
    {"last_name": "OʼBrien", "postcode": "SW1Y 4JH", "phone": "+49 421 4144555"},
    {"last_name": "O`Brien", "postcode": "sw1y4jh", "phone": "0421/4144555"},
    {"last_name": "Leitão", "notes": "x" * 300, "postcode": "8*0-0'1"},
]


TERMS = """O’Brien|o'brien|OBrien|O´Brien|Müller-Straße, Bjørn|muller‐strasse|+41 44 555|SW1Y4JH
+4144555|044/4144555|SW1Y 4JH|'|’|O’|o’b|'1|a'
bjorn|muller|muller zu|mull zug|b|z|qj|漢|漢字|字|🙂|🙂🙂|% _|50%|\\|_al|"best"|'1|*0-
8*0-0'|state|the state|winter|winter quick|acme|acme qj|absent|bjorn absent
xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx|zz|q zz|ab|a|xxx|x
bjorn muller zug|quick bjorn|quick strasse|41 44|é|≠|q ≠|.|@|order
\U0010fffd|🙂\U0010fffd|🙂🙂\U0010fffd"""


@pytest.fixture
async def filled(acme: Cast) -> Cast:
    """An account with the subscribers."""
    await import_people(acme, *PEOPLE)
    return acme


@pytest.mark.usefixtures("limits")
@for_each("search", re.split(r"[|\n]", TERMS))
async def test_a_search_finds_all_rows_with_every_term(filled: Cast, search: str) -> None:
    assert await searched(filled, search) == await looked_up(filled, search)


LETTERS = "aabbAB  %_\\\"'*-+^:(){}.#äßı\u0301\u0947漢🙂\U0010fffd\U000f0041"
TEXTS = st.text(LETTERS, max_size=9)
FIELDS = st.dictionaries(st.sampled_from([*SHARED[2:], "state", "notes"]), TEXTS, max_size=4)
STEPS = st.lists(
    st.tuples(st.sampled_from(["order", "renewal", "change"]), FIELDS, st.integers(0, 9)),
    min_size=1,
    max_size=8,
)
SEARCHES = st.lists(st.text(LETTERS, min_size=1, max_size=9), min_size=1, max_size=5)


@pytest.mark.slow
@pytest.mark.fuzz
@pytest.mark.parametrize("limits", LIMITS, ids=str, indirect=True)
@settings(
    max_examples=settings.default.max_examples // 4,  # type: ignore[union-attr]
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=STEPS, searches=SEARCHES)
async def test_a_search_finds_all_rows_with_every_term_after_any_writes(
    service: Any, db: Database, limits: None, steps: Any, searches: list[str]
) -> None:
    acme = await make_account(service[1], db, "Acme")
    batch, orders = list[dict[str, str]](), list[str]()
    for kind, fields, number in steps:
        if kind == "change" and orders:
            await import_people(acme, *batch)
            batch.clear()
            made = await walk(acme, SUBSCRIPTIONS, limit=200)
            id = made[number % len(made)]["id"]
            body = SubscriptionUpdate(**{name: text.strip() for name, text in fields.items()})
            await update.update_subscription(db, acme.account_id, id, body, by=BY)
        elif kind == "renewal" and orders:
            batch.append({"renews": orders[number % len(orders)], "start_issue": ""})
        else:
            orders.append(fresh_order_id())
            batch.append({"order_id": orders[-1], "email": f"r{number % 3}@acme.test", **fields})
    await import_people(acme, *batch)
    for search in [*searches, " ".join(searches)]:
        found, expected = await searched(acme, search), await looked_up(acme, search)
        assert found == expected, (search, steps)
    assert await faults(acme) == []
    assert await db.list_damaged() == []


# --- in the order of lists -----------------------------------------------------------------------

MORNING = "2026-11-21T08:00:00+00:00"


async def ids_and_numbers(cast: Cast, table: str) -> list[tuple[str, int]]:
    """Ids and numbers of an account's rows, in the order of numbers."""
    sql = f"SELECT id, n FROM {table} WHERE account_id = :account ORDER BY n"  # noqa: S608
    rows = await cast.db.fetch_all(sql, {"account": cast.account_id})
    return [(row["id"], row["n"]) for row in rows]


@pytest.mark.parametrize("table", ["subscriber", "subscription"])
async def test_ids_and_numbers_have_the_same_order_even_if_the_clock_is_wrong(
    acme: Cast, table: str
) -> None:
    await make_issue(acme)
    with time_machine.travel(MORNING, tick=False) as clock:
        for _ in range(3):  # within one millisecond
            await make_subscription(acme)
        await import_people(acme, *[{"first_name": f"Ada {number}"} for number in range(9)])
        clock.shift(timedelta(days=-1))
        await make_subscription(acme)
        clock.shift(timedelta(days=2))
        await make_subscription(acme)
    rows = await ids_and_numbers(acme, table)
    assert rows == sorted(rows)
    assert len(rows) == 14
    newest_first = [id for id, _ in reversed(rows)]
    path = SUBSCRIPTIONS if table == "subscription" else SUBSCRIBERS
    assert [each["id"] for each in await walk(acme, path, search="ada")] == newest_first
    assert [each["id"] for each in await walk(acme, path)] == newest_first


async def test_the_next_page_of_a_search_continues_after_new_rows(acme: Cast) -> None:
    await import_people(acme, *[{} for _ in range(5)])
    before = await looked_up(acme, "ada")
    first = (await acme.get(SUBSCRIPTIONS, search="ada", limit=2)).json()
    await import_people(acme, {})
    found = [each["id"] for each in first["items"]]
    cursor = first["cursor"]
    while cursor:
        page = (await acme.get(SUBSCRIPTIONS, search="ada", limit=2, cursor=cursor)).json()
        found += [each["id"] for each in page["items"]]
        cursor = page["cursor"]
    assert found == before[0]


@pytest.mark.usefixtures("limits")
async def test_a_search_can_be_combined_with_filters(acme: Cast) -> None:
    await import_people(acme, {"country": "FR"}, {"country": "DE"}, {"first_name": "Bob"})
    await import_row(
        acme,
        start_issue="1",
        length="1",
        is_gift="true",
        gifter_name="Eve",
        gifter_email="e@a.test",
    )
    everything = await walk(acme, SUBSCRIPTIONS)
    for search in ("ada", "ad", "a", "eve", "bob"):
        found = await walk(acme, SUBSCRIPTIONS, search=search)
        for country in ("FR", "DE", "US"):
            expected = [s for s in found if s["shipping_address"]["country"] == country]
            assert await walk(acme, SUBSCRIPTIONS, search=search, country=country) == expected
        for subscriber in {each["subscriber"]["id"] for each in everything}:
            expected = [s for s in found if s["subscriber"]["id"] == subscriber]
            assert await walk(acme, SUBSCRIPTIONS, search=search, subscriber=subscriber) == expected
        expected = [s for s in found if s["is_gift"]]
        gifts = await walk(acme, SUBSCRIPTIONS, search=search, is_gift="true", source=acme.imported)
        assert gifts == expected


# --- faults --------------------------------------------------------------------------------------


async def test_check_reports_a_change_that_is_missing_in_the_search_index(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of the comparisons above: if the index is not updated, they fail."""

    async def forget(tx: Transaction, account_id: int, subscriber_ids: object) -> None: ...

    await import_people(acme, {})
    [made] = await walk(acme, SUBSCRIPTIONS)
    assert await faults(acme) == []
    monkeypatch.setattr(update, "rewrite_search", forget)
    await acme.patch(f"{SUBSCRIPTIONS}{made['id']}/", {"last_name": "Lovelace"})
    assert await searched(acme, "lovelace") != await looked_up(acme, "lovelace")
    [fault] = await faults(acme)
    assert fault.invariant == "the search index matches the fields"
    assert fault.id == made["subscriber"]["id"]


async def test_check_reports_an_outdated_index(backend: str, scratch_url: str) -> None:
    async with serving(Settings(database_url=scratch_url)) as (app, client):
        acme = await make_account(client, app.state.db, "Acme")
        await import_people(acme, {})
        assert [fault async for fault in check(acme.db)] == []

        async def change(tx: Transaction) -> None:
            await tx.execute(
                "UPDATE searchable SET shared_text = :text WHERE account_id = :account",
                {"text": "nobody", "account": acme.account_id},
            )

        await acme.db.write(change)
        found = {(fault.account, fault.invariant) async for fault in check(acme.db)}
    lags = ("all accounts", "the search index is intact")
    assert (lags in found) == (backend == "sqlite")
    assert (acme.subdomain, "the search index matches the fields") in found


async def test_a_search_for_an_unknown_character_does_not_read_every_text(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"NEWEST": 1, "MANY": 10**6}.items():  # as if there were many rows
        monkeypatch.setattr(trigrams_sqlite, name, value)
    await make_issue(acme)
    await make_subscription(acme, first_name="Ottilie")
    await make_subscription(acme, first_name="Ida")
    for search, found in (("ⴽ", 0), ("ti ⴽ", 0), ("ti", 1)):
        page = (await acme.get("/v1/subscribers/", search=search)).json()
        assert len(page["items"]) == found
