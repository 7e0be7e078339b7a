"""Attacks by somebody who is signed in, and changes what they should not, or too much."""

import re
from typing import Any

import pytest
from msgspec import structs

from masthead.model.addresses.changes import NewAddress
from masthead.model.self_service.sign_in import CHANGES
from masthead.services.self_service.addresses import MAX_PLANNED
from masthead.store.addresses import changes as store
from tests.conftest import Cast
from tests.support.addresses import move
from tests.support.factories import make_subscription
from tests.support.subscriber_pages import Reader, links_of, sent_emails
from tests.support.walk import walk
from tests.web.conftest import Browsers, Person
from tests.web.subscriber_pages.conftest import EMAIL, HOME
from tests.web.subscriber_pages.test_actions import NEW, only_subscription, send_copies
from tests.web.subscriber_pages.test_attacks import LIMIT

EVE = "eve@reader.test"


async def eve_of(cast: Cast, browsers: Browsers) -> Reader:
    """Another subscriber, signed in."""
    await make_subscription(cast, email=EVE, last_name="Canary", length=4, **HOME)
    eve = Reader(browsers(), cast)
    await eve.sign_in(EVE)
    return eve


async def planned(cast: Cast) -> list[dict[str, Any]]:
    return [it for it in await walk(cast, "/v1/address-changes/") if it["status"] == "planned"]


async def group_of(cast: Cast, id: str) -> str:
    return (await store.get_change(cast.db, cast.account_id, id)).group_id


async def test_a_planned_change_of_another_subscriber_cannot_be_cancelled(
    reader: Reader, browsers: Browsers
) -> None:
    cast = reader.cast
    await reader.send("address", **NEW, when="from", first_issue="2")
    away = {**NEW, "address1": "Strandweg 7", "when": "between"}
    await reader.send("address", **away, first_issue="3", last_issue="3")
    eve = await eve_of(cast, browsers)
    for each in await planned(cast):
        for choice in ("", "keep", "cancel"):
            path = ("address", await group_of(cast, each["id"]), "cancel")
            refused = await eve.post(*path, temporary=choice)
            assert refused.status_code == 404
            assert "Strandweg" not in refused.text
    assert len(await planned(cast)) == 2


async def test_cancelling_both_ends_only_the_own_holiday(
    reader: Reader, browsers: Browsers
) -> None:
    cast = reader.cast
    eve = await eve_of(cast, browsers)
    for each in (eve, reader):
        await each.send("address", **NEW, when="from", first_issue="2")
        away = {**NEW, "address1": "Strandweg 7", "when": "between"}
        await each.send("address", **away, first_issue="3", last_issue="3")
    [own] = [
        each
        for each in await planned(cast)
        if each["last_issue"] is None and each["subscription_id"] == (await of_ada(cast))["id"]
    ]
    path = ("address", await group_of(cast, own["id"]), "cancel")
    assert (await reader.post(*path, temporary="cancel")).status_code == 303
    assert {it["subscription_id"] == own["subscription_id"] for it in await planned(cast)} == {
        False
    }
    assert len(await planned(cast)) == 2


async def of_ada(cast: Cast) -> dict[str, Any]:
    found = await walk(cast, "/v1/subscriptions/")
    return next(each for each in found if each["subscriber"]["email"] == EMAIL)


async def test_the_parts_of_a_divided_move_are_no_changes_of_their_own(reader: Reader) -> None:
    cast = reader.cast
    await reader.send("address", **NEW, when="from", first_issue="2")
    away = {**NEW, "address1": "Strandweg 7", "when": "between"}
    await reader.send("address", **away, first_issue="3", last_issue="3")
    id = str((await only_subscription(cast))["id"])
    rows = await store.list_planned(cast.db, cast.account_id, [id])
    [part] = [each.id for each in rows if each.is_part]
    for path in (f"{part}/", f"{part}/cancel/"):
        method = "POST" if "cancel" in path else "GET"
        answer = await cast.client.request(method, f"/v1/address-changes/{path}")
        assert answer.status_code in (401, 404)
    assert (await cast.get(f"/v1/address-changes/{part}/")).status_code == 404
    assert (await cast.post(f"/v1/address-changes/{part}/cancel/")).status_code == 404
    assert (await reader.post("address", part, "cancel")).status_code == 404
    assert len(await planned(cast)) == 2


async def test_a_form_with_a_subscription_of_somebody_else_changes_neither(
    reader: Reader, browsers: Browsers
) -> None:
    cast = reader.cast
    other = await make_subscription(cast, email=EVE, last_name="Canary", **HOME)
    own = str((await of_ada(cast))["id"])
    page = await reader.http.get(reader.address("address"))
    assert page.status_code == 200
    response = await reader.http.post(
        reader.address("address"),
        data={**NEW, "when": "now", "subscriptions": [own, other["id"]]},
        headers={"Sec-Fetch-Site": "same-origin"},
    )
    assert response.status_code == 400
    assert "Canary" not in response.text
    cities = {it["shipping_address"]["city"] for it in await walk(cast, "/v1/subscriptions/")}
    assert cities == {"Berlin"}


async def test_many_planned_changes_are_refused_and_the_page_stays_small(reader: Reader) -> None:
    cast = reader.cast
    long = {**NEW, "address1": "W" * 200}
    first = await make_subscription(cast, email=EMAIL, length=60, **HOME)
    for number in range(2, MAX_PLANNED + 2):
        await move(cast, first, first=number, last=number, to=NewAddress(**long))
    fields = {**long, "when": "between", "first_issue": "20", "last_issue": "20"}
    done = await reader.send("address", **fields, subscriptions=first["id"])
    assert done.status_code == 400
    assert "Cancel one of them first" in done.text
    assert len(await planned(cast)) == MAX_PLANNED
    assert len(await reader.text()) < LIMIT - 10_000  # the style has the rest


async def test_a_subscriber_who_changes_without_end_has_to_wait(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = structs.replace(CHANGES, free=3, step=CHANGES.cap)
    monkeypatch.setattr("masthead.services.self_service.actions.CHANGES", few)
    for number in range(few.free):
        assert (await reader.send("name", last_name=f"Name {number}")).status_code == 303
    done = await reader.send("name", last_name="Name 99")
    assert done.status_code == 429
    assert "too many attempts" in done.text
    assert len(await sent_emails(reader.cast)) == few.free
    assert f"Name {few.free - 1}" in await reader.text()  # what was refused changed nothing


async def test_lines_and_directions_of_writing_do_not_get_onto_a_label(reader: Reader) -> None:
    cast = reader.cast
    for odd in ("Weg 1\r\nCanary 9", "Weg 1\u2028Canary 9", "Weg 1\u202eyranaC", "\u2066Weg 1"):
        await reader.send("address", **{**NEW, "address1": odd})
        [stored] = [each["shipping_address"] for each in await walk(cast, "/v1/subscriptions/")]
        assert not re.search(r"[\r\n\u2028\u2029\u202a-\u202e\u2066-\u2069]", stored["address1"])


async def test_a_formula_in_a_name_is_no_formula_in_the_tables_of_the_desk(
    reader: Reader, owner: Person
) -> None:
    formula = "=HYPERLINK(1)"
    assert (await reader.send("name", last_name=formula)).status_code == 303
    table = await owner.http.get(owner.address("downloads", "subscribers", "csv"))
    assert table.status_code == 200, table.text
    assert "HYPERLINK" in table.text
    assert not re.search(r'(^|[,;"\t])=HYPERLINK', table.text, re.MULTILINE)


async def test_the_one_who_had_a_subscription_before_opens_nothing_of_it(
    reader: Reader, browsers: Browsers
) -> None:
    cast = reader.cast
    id = str((await only_subscription(cast))["id"])
    [copy, _] = await send_copies(cast, id)
    eve = await eve_of(cast, browsers)
    eves = next(it for it in await walk(cast, "/v1/subscriptions/") if it["id"] != id)
    moved = await cast.post(
        f"/v1/subscriptions/{id}/move/", {"subscriber": eves["subscriber"]["id"]}
    )
    assert moved.status_code == 200, moved.text
    for path in (("label", copy), ("copies", copy), ("renewals", id), ("renew", id)):
        assert (await reader.http.get(reader.address(*path))).status_code == 404
    assert "Lindenstr" not in await reader.text()
    assert str(copy) in await eve.text()


async def test_asking_for_the_head_of_a_link_uses_nothing_up(
    stranger: Reader, browsers: Browsers
) -> None:
    await stranger.ask(EMAIL)
    [link] = links_of(await sent_emails(stranger.cast))
    scanner = browsers()
    for method in ("HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"):
        response = await scanner.request(method, link)
        assert "Set-Cookie" not in response.headers
        assert "Lovelace" not in response.text
    done = await stranger.post_at(link)
    assert done.status_code == 303
    assert "Ada Lovelace" in await stranger.text()


async def test_the_key_of_a_form_of_somebody_else_shows_nothing_of_it(
    reader: Reader, browsers: Browsers
) -> None:
    key = "K" * 22
    fields = {"last_name": "Same", "first_name": "", "company": "", "idempotency_key": key}
    eve = await eve_of(reader.cast, browsers)
    assert (await reader.post("name", **fields)).status_code == 303
    done = await eve.post("name", **fields)
    assert done.headers["Location"] == eve.address() + "?done=name"
    assert "Same" in await eve.text()  # it was saved, and not taken for a repetition
    assert "Ada" not in await eve.text()
