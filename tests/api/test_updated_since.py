"""The filter `updated_since` of subscribers and subscriptions."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from masthead.store.engine.interface import Transaction
from tests.conftest import Cast
from tests.support.expect import refused
from tests.support.factories import make_issue, make_subscription
from tests.support.followers import LONG_AGO
from tests.support.read_model import render_all
from tests.support.subscribers import merge
from tests.support.walk import walk

SUBSCRIPTIONS, SUBSCRIBERS = "/v1/subscriptions/", "/v1/subscribers/"
FAR_AHEAD = "9999-12-31"


def moment() -> str:
    """A moment after all writes so far, and before all later ones."""
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


async def names(cast: Cast, path: str, since: str, **filters: object) -> set[str]:
    """The names of the subscribers of what changed since a moment, read in small pages."""
    found = await walk(cast, path, limit=2, updated_since=since, **filters)
    ids = [each["id"] for each in found]
    assert ids == sorted(set(ids), reverse=True), "each one once, newest first"
    return {(each.get("subscriber") or each)["full_name"] for each in found}


async def make_three(cast: Cast) -> dict[str, dict[str, Any]]:
    """Subscriptions of Ada, Bob and Cy, by name."""
    await make_issue(cast)
    return {
        name: await make_subscription(cast, first_name=name, email=f"{name}@example.test")
        for name in ("Ada", "Bob", "Cy")
    }


@asynccontextmanager
async def as_read(cast: Cast, *, is_rendered: bool) -> AsyncIterator[None]:
    """Whether the JSON of all subscriptions is stored before they are read."""
    if is_rendered:
        await render_all(cast)
    yield


@pytest.mark.parametrize("is_rendered", [True, False])
async def test_what_a_write_changes_is_listed(acme: Cast, *, is_rendered: bool) -> None:
    made = await make_three(acme)
    await render_all(acme)
    before = moment()
    await acme.patch(f"{SUBSCRIPTIONS}{made['Bob']['id']}/", {"notes": "Rings twice"})
    async with as_read(acme, is_rendered=is_rendered):
        assert await names(acme, SUBSCRIPTIONS, before) == {"Bob"}
        assert await names(acme, SUBSCRIBERS, before) == set(), "notes are not of the subscriber"
    await acme.patch(f"{SUBSCRIBERS}{made['Ada']['subscriber']['id']}/", {"last_name": "King"})
    async with as_read(acme, is_rendered=is_rendered):
        assert await names(acme, SUBSCRIPTIONS, before) == {"Ada King", "Bob"}
        assert await names(acme, SUBSCRIBERS, before) == {"Ada King"}
    for path in (SUBSCRIPTIONS, SUBSCRIBERS):
        assert await names(acme, path, LONG_AGO) == {"Ada King", "Bob", "Cy"}
        assert await names(acme, path, FAR_AHEAD) == set()


@pytest.mark.parametrize("is_rendered", [True, False])
async def test_a_rendered_subscription_keeps_its_moment(acme: Cast, *, is_rendered: bool) -> None:
    made = await make_three(acme)
    middle = moment()
    await acme.patch(f"{SUBSCRIPTIONS}{made['Bob']['id']}/", {"notes": "Rings twice"})
    after = moment()
    async with as_read(acme, is_rendered=is_rendered):
        assert await names(acme, SUBSCRIPTIONS, middle) == {"Bob"}
        assert await names(acme, SUBSCRIPTIONS, after) == set()


async def test_a_new_subscription_changes_its_subscriber(acme: Cast) -> None:
    await make_three(acme)
    before = moment()
    await make_subscription(acme, first_name="Ada", email="ada@example.test")
    assert await names(acme, SUBSCRIPTIONS, before) == {"Ada"}
    assert await names(acme, SUBSCRIBERS, before) == {"Ada"}


async def test_the_name_of_an_issue_changes_all_that_start_with_it(acme: Cast) -> None:
    await make_three(acme)
    issue = await make_issue(acme, 2)
    await make_subscription(acme, first_name="Dora", start_issue=2)
    before = moment()
    await acme.patch(f"/v1/issues/{issue['id']}/", {"name": "Summer"})
    assert await names(acme, SUBSCRIPTIONS, before) == {"Dora"}


async def test_the_moment_itself_counts(acme: Cast) -> None:
    await make_three(acme)
    await render_all(acme)
    for path in (SUBSCRIPTIONS, SUBSCRIBERS):
        response = await acme.get(path, updated_since=LONG_AGO, limit=1)
        following = datetime.fromisoformat(response.headers["next-updated-since"])
        last = following - timedelta(microseconds=1)
        assert await names(acme, path, last.isoformat()) == {"Cy"}
        assert await names(acme, path, following.isoformat()) == set()
        assert "next-updated-since" not in (await acme.get(path)).headers


async def test_other_filters_apply_too(acme: Cast) -> None:
    made = await make_three(acme)
    await make_subscription(acme, first_name="Finn", country="FR", email="finn@example.test")
    before = moment()
    for each in made.values():
        await acme.patch(f"{SUBSCRIPTIONS}{each['id']}/", {"notes": "Rings twice"})
        await acme.patch(f"{SUBSCRIBERS}{each['subscriber']['id']}/", {"last_name": "Ek"})
    assert await names(acme, SUBSCRIPTIONS, before, country="FR") == set()
    assert await names(acme, SUBSCRIPTIONS, LONG_AGO, country="FR") == {"Finn"}
    assert await names(acme, SUBSCRIPTIONS, before, status="Active", is_gift="false") == {
        f"{name} Ek" for name in made
    }
    for path in (SUBSCRIPTIONS, SUBSCRIBERS):
        assert await names(acme, path, before, email="bob@example.test") == {"Bob Ek"}
        assert await names(acme, path, before, email="finn@example.test") == set()
        assert await names(acme, path, before, search="ada") == {"Ada Ek"}
        assert await names(acme, path, before, search="finn") == set()
        assert await names(acme, path, LONG_AGO, search="finn") == {"Finn"}


async def test_merged_subscribers_are_in_no_list(acme: Cast) -> None:
    made = await make_three(acme)
    before = moment()
    await merge(acme, made["Ada"]["subscriber"]["id"], made["Bob"]["subscriber"]["id"])
    assert await names(acme, SUBSCRIBERS, before) == {"Ada"}
    assert await names(acme, SUBSCRIPTIONS, before) >= {"Ada"}


async def test_nothing_of_another_account_is_listed(acme: Cast, rival: Cast) -> None:
    await make_three(rival)
    for path in (SUBSCRIPTIONS, SUBSCRIBERS):
        assert await names(acme, path, LONG_AGO) == set()


async def test_moments_at_the_ends_of_time_are_accepted(acme: Cast) -> None:
    await make_three(acme)
    for path in (SUBSCRIPTIONS, SUBSCRIBERS):
        assert await names(acme, path, "0001-01-01T00:00:00+14:00") == {"Ada", "Bob", "Cy"}
        assert await names(acme, path, "9999-12-31T23:59:59-14:00") == set()


async def test_an_offset_counts(acme: Cast) -> None:
    await make_three(acme)
    early = datetime.now(UTC).replace(tzinfo=None).isoformat()
    for path in (SUBSCRIPTIONS, SUBSCRIBERS):
        assert await names(acme, path, f"{early}+01:00") == {"Ada", "Bob", "Cy"}
        assert await names(acme, path, f"{early}-01:00") == set()


async def test_the_refusal_names_the_form_and_the_plus_sign(acme: Cast) -> None:
    response = await acme.get(f"{SUBSCRIBERS}?updated_since=2026-01-31T09:00:00+01:00")
    message = refused(response, "validation_error")
    assert "`updated_since` is `2026-01-31T09:00:00 01:00`; expected a moment such as" in message
    assert message.endswith(" as `%2B`: `2026-01-31T09:00:00%2B01:00`.")
    for text, way_out in (
        ("2026-01-31T09:00:00", "Say the offset from UTC: `2026-01-31T09:00:00Z` for UTC."),
        ("31.12.2026", "Did you mean `2026-12-31`?"),
        ("2026-02-30", "There is no such day."),
        ("1764500000", "or a date."),
    ):
        wrong = await acme.get(SUBSCRIBERS, updated_since=text)
        assert refused(wrong, "validation_error").endswith(f" {way_out}")


async def run(cast: Cast, statement: str, **values: object) -> None:
    """Write to the tables of the account as an older masthead does."""

    async def work(tx: Transaction) -> None:
        await tx.execute(statement, {"account_id": cast.account_id, **values})

    await cast.db.write(work)


async def test_json_of_an_older_masthead_is_rendered_again_and_counts_as_changed(
    acme: Cast,
) -> None:
    made = await make_three(acme)
    await render_all(acme)
    before = moment()
    id = made["Bob"]["id"]
    # the version before stores JSON without the new fields, and leaves the new columns alone
    await run(acme, "UPDATE account_state SET writes = writes + 1 WHERE account_id = :account_id")
    await run(
        acme,
        """
        UPDATE subscription_document
        SET document = :outdated, revision = revision + 1
        WHERE account_id = :account_id AND id = :id
        """,
        id=id,
        outdated=b"{}",
    )
    for _ in range(2):
        assert (await acme.get(f"{SUBSCRIPTIONS}{id}/")).json() == made["Bob"]
        listed = (await acme.get(SUBSCRIPTIONS)).json()["items"]
        assert [each["id"] for each in listed] == sorted(
            (each["id"] for each in made.values()), reverse=True
        )
        assert await names(acme, SUBSCRIPTIONS, before) == {"Bob"}
        await render_all(acme)
    assert await names(acme, SUBSCRIPTIONS, moment()) == set()


async def test_a_change_without_a_moment_counts_as_changed(acme: Cast) -> None:
    await make_three(acme)
    await render_all(acme)
    before = moment()
    await run(acme, "UPDATE account_state SET writes = writes + 1 WHERE account_id = :account_id")
    await run(
        acme,
        """
        INSERT INTO subscription_change (account_id, id, revision)
        SELECT s.account_id, max(s.id), a.writes
        FROM subscription s
        JOIN account_state a ON a.account_id = s.account_id
        WHERE s.account_id = :account_id
        GROUP BY s.account_id, a.writes
        """,
    )
    assert await names(acme, SUBSCRIPTIONS, before) == {"Cy"}
    await render_all(acme)
    assert await names(acme, SUBSCRIPTIONS, before) == {"Cy"}
    assert await names(acme, SUBSCRIPTIONS, moment()) == set()
