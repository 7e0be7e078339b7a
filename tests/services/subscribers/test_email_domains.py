"""`ada@bücher.test` and `ada@xn--bcher-kva.test` are one mailbox, and so one subscriber."""

from functools import partial
from pathlib import Path

import pytest

from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.orders.known_subscribers import Likeness
from masthead.model.privacy.digests import PersonDetails
from masthead.model.self_service.reading import write_reading_token
from masthead.model.self_service.sign_in import digest_of_email
from masthead.model.subscribers.corrections import EMAIL_TAKEN
from masthead.model.types.email_addresses import email_key
from masthead.services.accounts import create_account
from masthead.services.exports.load import load_export
from masthead.services.privacy.data_subjects import find_subscriber
from masthead.services.privacy.known import find_erased
from masthead.services.self_service.reading import find_linked
from masthead.services.subscribers.duplicates import DuplicateFinder, list_pairs
from masthead.services.subscribers.undo_merge import undo_merge
from masthead.store.engine.interface import Transaction
from masthead.store.identity.people import find_person, match_or_insert_user
from masthead.store.subscribers.records import find_by_email
from tests.conftest import BY, Cast
from tests.services.exports.test_write import export
from tests.support.checks import execute
from tests.support.factories import PLACEHOLDER_DOMAIN, import_row, make_issue, make_subscription
from tests.support.privacy import erase
from tests.support.subscribers import (
    correct,
    make_subscriber,
    merge,
    require_sound,
    rows,
    set_columns,
    subscriber,
)

UNICODE, ASCII = "ada@bücher.test", "ada@xn--bcher-kva.test"
SPELLINGS = [UNICODE, "ada@BÜCHER.test", ASCII, "ADA@XN--BCHER-KVA.test"]


async def make_old(cast: Cast, *emails: str) -> list[str]:
    """Subscribers as an earlier version stored them, each with a subscription; oldest first."""
    await make_issue(cast)
    ids: list[str] = []
    for email in emails:
        ids.append(await make_subscriber(cast, email, first_name=f"Ada {len(ids)}"))
        await set_columns(cast, "subscriber", ids[-1], email_key=ids[-1])
    for email, id in zip(emails, ids, strict=True):
        await set_columns(cast, "subscriber", id, email_key=email)
    return ids


async def find_ids(cast: Cast, path: str, email: str) -> list[str]:
    response = await cast.get(path, email=email)
    return [each["id"] for each in response.json()["items"]]


async def test_all_spellings_are_one_subscriber_with_the_first_one(acme: Cast) -> None:
    await make_issue(acme)
    made = [await make_subscription(acme, email=each) for each in reversed(SPELLINGS)]
    made.append(await import_row(acme, start_issue="1", length="1", email=UNICODE))
    [id] = {each["subscriber"]["id"] for each in made}
    assert (await subscriber(acme, id))["email"] == SPELLINGS[-1]
    for each in SPELLINGS:
        assert await find_ids(acme, "/v1/subscribers/", each) == [id]
        assert len(await find_ids(acme, "/v1/subscriptions/", each)) == len(made)
    await require_sound(acme)


@pytest.mark.parametrize("stored", [UNICODE, ASCII])
async def test_who_was_stored_before_is_found_in_all_spellings(acme: Cast, stored: str) -> None:
    [id] = await make_old(acme, stored)
    for each in SPELLINGS:
        assert await find_ids(acme, "/v1/subscribers/", each) == [id]
        assert await find_subscriber(acme.db, acme.account_id, each) == id
        assert (await make_subscription(acme, email=each))["subscriber"]["id"] == id
    other = await make_subscriber(acme, "other@example.test")
    with pytest.raises(Invalid) as refused:
        await correct(acme, other, email=SPELLINGS[-1])
    assert refused.value.code == EMAIL_TAKEN
    assert (await correct(acme, id, email=SPELLINGS[-1])).fields[0] == "email"
    sql = "SELECT email_key FROM subscriber WHERE account_id = :account_id AND id = :id"
    [row] = await rows(acme, sql, id=id)
    assert row["email_key"] == ASCII
    await require_sound(acme)


async def test_two_who_were_stored_before_stay_and_are_proposed_for_a_merge(acme: Cast) -> None:
    older, newer = await make_old(acme, ASCII, UNICODE)
    await require_sound(acme)
    for each in SPELLINGS:
        assert await find_ids(acme, "/v1/subscribers/", each) == [older]
        assert (await make_subscription(acme, email=each))["subscriber"]["id"] == older
    found = await DuplicateFinder().find(acme.db, acme.account_id)
    [pair] = await list_pairs(acme.db, acme.account_id, found, limit=9)
    assert (pair.one.id, pair.other.id, pair.reasons) == (older, newer, [Likeness.EMAIL])
    for id in (older, newer):
        await correct(acme, id, first_name="Ida")
    with pytest.raises(Invalid) as refused:
        await correct(acme, newer, email=ASCII)
    assert refused.value.code == EMAIL_TAKEN
    await merge(acme, newer, older)
    assert await find_ids(acme, "/v1/subscribers/", ASCII) == [newer]
    await correct(acme, newer, email=ASCII)
    assert (await subscriber(acme, newer))["email"] == ASCII
    await require_sound(acme)


@pytest.mark.parametrize("is_exchanged", [False, True])
async def test_a_merge_of_two_who_were_stored_before_can_be_undone(
    acme: Cast, *, is_exchanged: bool
) -> None:
    older, newer = await make_old(acme, ASCII, UNICODE)
    id = await merge(acme, newer, older)
    if is_exchanged:
        await correct(acme, newer, email=ASCII)
    await undo_merge(acme.db, acme.account_id, id, by=BY)
    assert (await subscriber(acme, older))["email"] == ASCII
    assert (await subscriber(acme, newer))["email"] == UNICODE
    await require_sound(acme)


@pytest.mark.parametrize("stored", [UNICODE, ASCII])
async def test_links_to_the_page_of_who_was_stored_before_work(acme: Cast, stored: str) -> None:
    [id] = await make_old(acme, stored)
    moment = now()
    for key in (stored, email_key(stored)):  # of emails before and after the upgrade
        digest = digest_of_email(key)
        token = write_reading_token(b"secret", acme.account_id, id, moment, digest)
        async with acme.db.read() as connection:
            found = await find_linked(connection, acme.account_id, token, b"secret")
        assert found is not None
        assert found.id == id


async def test_two_addresses_of_earlier_versions_can_be_exported(
    acme: Cast, tmp_path: Path
) -> None:
    await make_old(acme, ASCII, UNICODE)
    await export(acme, tmp_path / "old")
    create = partial(create_account, name="New", currency="EUR", owner="new@example.test", by=BY)
    new = await create(acme.db, subdomain=f"new-{acme.subdomain}")
    loaded = await load_export(
        acme.db, new.id, tmp_path / "old", placeholder_domain=PLACEHOLDER_DOMAIN, by=BY
    )
    assert not loaded.faults
    found = await acme.db.fetch_all(
        "SELECT id, email FROM subscriber WHERE account_id = :id ORDER BY id", {"id": new.id}
    )
    assert [each["email"] for each in found] == [ASCII, UNICODE]
    async with acme.db.read() as connection:
        known = await find_by_email(connection, new.id, [ASCII])
    assert known == {ASCII: found[0]["id"]}


@pytest.mark.parametrize("spelling", SPELLINGS)
async def test_an_erased_address_is_recognized_in_all_spellings(acme: Cast, spelling: str) -> None:
    [id] = await make_old(acme, UNICODE)
    await erase(acme, id)
    [day] = await find_erased(acme.db, acme.account_id, [PersonDetails(email=spelling)])
    assert day is not None
    assert await find_subscriber(acme.db, acme.account_id, spelling) == id


@pytest.mark.parametrize("stored", [UNICODE, ASCII])
async def test_an_address_that_was_erased_before_is_recognized(
    acme: Cast, monkeypatch: pytest.MonkeyPatch, stored: str
) -> None:
    [id] = await make_old(acme, stored)
    with monkeypatch.context() as earlier:
        earlier.setattr("masthead.model.privacy.digests.email_key", str.casefold)
        earlier.setattr(
            "masthead.services.privacy.data_subjects.stored_keys", lambda email: [email]
        )
        await erase(acme, id)
    digests = await rows(acme, "SELECT digest FROM erasure_digest WHERE account_id = :account_id")
    assert len(digests) == 1
    for each in SPELLINGS:
        [day] = await find_erased(acme.db, acme.account_id, [PersonDetails(email=each)])
        assert day is not None


async def test_a_user_signs_in_with_all_spellings(acme: Cast) -> None:
    async def make(tx: Transaction) -> list[str]:
        return [await match_or_insert_user(tx, f"{acme.subdomain}-{each}") for each in SPELLINGS]

    assert len({*await acme.db.write(make)}) == 1


async def test_two_users_of_earlier_versions_sign_in_as_they_are_written(acme: Cast) -> None:
    ids = {}
    for place, name in enumerate(["old@bücher.test", "old@xn--bcher-kva.test"]):
        email = f"{acme.subdomain}-{name}"
        made = f"{acme.subdomain}-{place}@example.test"
        ids[email] = await acme.db.write(partial(match_or_insert_user, email=made))
        sql = "UPDATE app_user SET email = :email, email_key = :email WHERE id = :id"
        await execute(acme, sql, email=email, id=ids[email])
    async with acme.db.read() as connection:
        for email, id in ids.items():
            found = await find_person(connection, email.upper())
            assert found is not None
            assert found.id == id
