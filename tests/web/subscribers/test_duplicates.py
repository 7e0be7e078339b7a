"""The list of likely duplicates."""

import re
from datetime import timedelta

import pytest
import time_machine

from masthead.model.clock import now
from masthead.services.subscribers import duplicates as service
from masthead.services.subscribers.merge import merge_subscribers
from masthead.services.subscribers.undo_merge import undo_merge
from masthead.store.subscribers.dismissed_pairs import list_dismissed
from tests.conftest import BY, Cast
from tests.support.factories import make_issue, make_subscription
from tests.support.privacy import erase
from tests.web.conftest import Person
from tests.web.orders.test_kinds import order
from tests.web.subscribers.test_pages import words

ADA = {"first_name": "Ada", "last_name": "Müller", "country": "DE"}
HOME = {"address1": "Hauptstraße 5", "postcode": "89073", "city": "Ulm"}


async def make(cast: Cast, **fields: str) -> str:
    """A subscriber with a subscription; returns their id."""
    made = await make_subscription(cast, **{"email": None, **ADA, **HOME, **fields})
    return str(made["subscriber"]["id"])


@pytest.mark.parametrize(
    "fields, why",
    [
        ({"postcode": "89 073", "address1": "Weg 1"}, "same name and postcode"),
        (
            {"first_name": "ADA", "last_name": "Muller", "address1": "Weg 1"},
            "same name and postcode",
        ),
        ({"postcode": "1", "address1": "Haupt-Str. 5"}, "same name and street"),
        (
            {"first_name": "Eve", "phone": "0731/123456", "postcode": "1", "address1": "x"},
            "same phone",
        ),
        ({"phone": "0731 123456"}, "same name and postcode, same phone, same name and street"),
    ],
    ids=["postcode", "accents", "street", "phone", "all"],
)
async def test_likely_duplicates_lead_to_the_preview_of_their_merge(
    owner: Person, acme: Cast, rival: Cast, fields: dict[str, str], why: str
) -> None:
    for cast in (acme, rival):
        await make_issue(cast)
    one = await make(acme, phone="+49 731 123456")
    other = await make(acme, **fields)
    await make(rival, phone="+49 731 123456")
    page = await owner.text("subscribers", "duplicates")
    assert why in words(await owner.see("subscribers", "duplicates"))
    assert "1 pair" in page
    # each part in its own direction of writing
    assert "<bdi>Hauptstraße 5</bdi>, <bdi>89073 Ulm</bdi>, <bdi>Germany</bdi>" in page
    merge = owner.address("subscribers", one, "merge", other)
    assert f'href="{merge}"' in page
    assert (await owner.http.get(merge)).status_code == 200
    assert owner.address("subscribers", "duplicates") in await owner.text("subscribers")


async def test_different_subscribers_are_not_listed(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    await make(acme, address1="Schloss")
    await make(acme, postcode="1", address1="Schloss")  # a street without a number tells nothing
    await make(acme, last_name="Maier", phone="731 123456")
    await make(acme, last_name="Lee", phone="731 123456", postcode="2")
    await make(acme, country="AT")
    elsewhere = {"last_name": "Lang", "postcode": "3", "address1": "x"}
    await make(acme, phone="+49 731 999999", **elsewhere)
    await make(acme, phone="0731/999999", **{**elsewhere, "country": "AT", "postcode": "4"})
    text = words(await owner.see("subscribers", "duplicates"))
    assert "No likely duplicates were found." in text


async def test_a_place_for_many_is_not_listed(
    owner: Person, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_OF_A_GROUP", 2)
    await make_issue(acme)
    for _ in range(3):
        await make(acme)
    assert "No likely duplicates" in await owner.text("subscribers", "duplicates")


async def test_companies_are_compared_by_their_name(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    for name in ("Acme Library", "ACME LIBRARY"):
        await make(acme, first_name="", last_name="", company=name)
    assert "same name" in words(await owner.see("subscribers", "duplicates"))


async def test_the_list_is_kept_for_an_hour_and_compared_again_on_demand(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    one = await make(acme)
    assert "No likely duplicates" in await owner.text("subscribers", "duplicates")
    other = await make(acme)
    assert "No likely duplicates" in await owner.text("subscribers", "duplicates")
    assert "1 pair" in await owner.text("subscribers", "duplicates", again="yes")
    third = await make(acme)
    with time_machine.travel(now() + timedelta(minutes=61), tick=False):
        assert "2 pairs" in await owner.text("subscribers", "duplicates")
    merge = owner.address("subscribers", one, "merge", other)
    assert (await owner.send(merge, {"stays": one})).is_redirect
    page = await owner.text("subscribers", "duplicates")
    assert "1 pair" in page  # of those who are still there
    assert other not in page
    assert third in page


async def test_many_pairs_are_on_several_pages(
    owner: Person, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("masthead.web.subscribers.duplicates.ON_A_PAGE", 2)
    await make_issue(acme)
    *_, last = [await make(acme) for _ in range(4)]
    here = owner.address("subscribers", "duplicates")
    page = await owner.text("subscribers", "duplicates")
    assert "1–2 of 3 pairs" in page
    assert last in page  # the newest
    assert f'href="{here}?after=2"' in page
    page = await owner.text("subscribers", "duplicates", after="2")
    assert "3–3 of 3 pairs" in page
    assert last not in page
    assert "First page" in page
    assert "Next page" not in page
    for unknown in ("3", "x", "99999"):
        assert "1–2 of 3 pairs" in await owner.text("subscribers", "duplicates", after=unknown)


async def test_only_the_most_likely_pairs_are_shown(
    owner: Person, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("masthead.web.subscribers.duplicates.SHOWN", 1)
    monkeypatch.setattr(service, "READ", 2)
    await make_issue(acme)
    await make(acme, address1="Weg 1")
    sure = await make(acme, phone="0731 123456")
    await make(acme, phone="0731 123456", last_name="Muller")
    page = await owner.text("subscribers", "duplicates")
    assert "Only the most likely pairs are shown." in page
    assert sure in page


# --- Not the same person --------------------------------------------------------------------------


async def dismiss(owner: Person, one: str, other: str) -> None:
    """Press the button beside a pair."""
    address = owner.address("subscribers", one, "dismiss", other)
    assert (await owner.post(address, {})).is_redirect


async def test_a_dismissed_pair_is_remembered_with_who_and_can_be_undone(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    one, other = await make(acme), await make(acme)
    page = await owner.text("subscribers", "duplicates")
    assert "1 pair" in page
    assert f'action="{owner.address("subscribers", one, "dismiss", other)}"' in page
    await dismiss(owner, other, one)  # in whatever order
    shown = await owner.text("subscribers", "duplicates")
    [message] = re.findall(r'<p class="message".*</p>', shown)
    assert "The pair is no longer listed as likely duplicates." in message
    assert owner.address("subscribers", "duplicates", "dismissed") in message
    await dismiss(owner, one, other)
    assert "1 pair" not in await owner.text("subscribers", "duplicates")
    fresh = await owner.text("subscribers", "duplicates", again="yes")
    assert "No likely duplicates were found." in fresh
    listed = words(await owner.see("subscribers", "duplicates", "dismissed"))
    assert listed.count("Ada Müller") == listed.count("Hauptstraße 5, 89073 Ulm, Germany") == 2
    assert owner.email in listed
    log = words(await owner.see("settings", "log"))
    assert log.count("Not the same person") >= 2  # of both subscribers, once each
    restore = owner.address("subscribers", other, "restore", one)
    assert (await owner.post(restore, {})).is_redirect
    assert "There are no such pairs." in await owner.text("subscribers", "duplicates", "dismissed")
    assert "1 pair" in await owner.text("subscribers", "duplicates", again="yes")
    assert (await owner.post(restore, {})).status_code == 404


async def test_others_of_a_group_are_still_compared(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    one, two, three = [await make(acme) for _ in range(3)]
    await dismiss(owner, one, two)
    await dismiss(owner, one, three)
    page = await owner.text("subscribers", "duplicates", again="yes")
    assert "1 pair" in page
    assert owner.address("subscribers", two, "merge", three) in page


async def test_a_dismissed_pair_goes_with_a_merge_and_its_undoing(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    kept, merged, other = [await make(acme) for _ in range(3)]
    await dismiss(owner, merged, other)
    id = await merge_subscribers(acme.db, acme.account_id, kept_id=kept, merged_id=merged, by=BY)
    page = await owner.text("subscribers", "duplicates", again="yes")
    assert "No likely duplicates were found." in page
    address = owner.address("subscribers", kept, "dismiss", merged)
    assert (await owner.post(address, {})).status_code == 400
    await undo_merge(acme.db, acme.account_id, id, by=BY)
    page = await owner.text("subscribers", "duplicates", again="yes")
    assert owner.address("subscribers", kept, "merge", merged) in page
    assert owner.address("subscribers", kept, "merge", other) in page
    assert owner.address("subscribers", merged, "merge", other) not in page


async def test_an_erasure_forgets_the_pairs_of_the_subscriber(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    one, other, third = [await make(acme) for _ in range(3)]
    await dismiss(owner, one, other)
    await dismiss(owner, other, third)
    await dismiss(owner, one, third)
    await erase(acme, other)
    async with acme.db.read() as db:
        left = await list_dismissed(db, acme.account_id)
    assert [each.pair for each in left] == [(one, third)]


async def test_the_answer_on_the_order_form_is_remembered(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    known = await make(acme)
    answer = await order(owner, **ADA, **HOME, email="", new_subscriber=known)
    assert answer.status_code == 303, words(answer)
    async with acme.db.read() as db:
        [pair] = await list_dismissed(db, acme.account_id)
    assert known in pair.pair
    fresh = await owner.text("subscribers", "duplicates", again="yes")
    assert "No likely duplicates were found." in fresh
