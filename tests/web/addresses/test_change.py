"""Change the address of all subscriptions of a subscriber from their page."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import httpx
import pytest

from masthead.model.dispatch.runs import DispatchSelection
from masthead.services.dispatch import runs
from tests.conftest import BY, Cast
from tests.support.addresses import EARLIER, HOME, LATER, TODAY, move
from tests.support.cases import for_each
from tests.support.factories import copies_of, make_issue, make_membership, make_subscription
from tests.web.conftest import Person, fields_of

RING = {"address1": "Ring 1", "postcode": "1010", "city": "Wien", "country": "AT"}


@pytest.fixture
async def two(acme: Cast) -> list[dict[str, Any]]:
    """Two subscriptions of one subscriber, for the issues 1 to 4; issue 1 is out."""
    await make_issue(acme, 1, release_date_actual=EARLIER)
    await make_issue(acme, 2, release_date_actual=LATER)
    subscriber = {"email": "ada@subscriber.test", "last_name": "Byron", **HOME}
    return [await make_subscription(acme, **subscriber) for _ in range(2)]


def where(person: Person, subscriptions: list[dict[str, Any]]) -> str:
    return person.address("subscribers", subscriptions[0]["subscriber"]["id"], "address")


async def send(
    person: Person,
    subscriptions: list[dict[str, Any]],
    fields: Mapping[str, object],
    *,
    page: str | None = None,
    action: str = "save",
) -> httpx.Response:
    """Send the form with all subscriptions. page: the one with the form, else a new one."""
    address = where(person, subscriptions)
    form = fields_of(page or (await person.http.get(address)).text)
    chosen = {"subscriptions": [each["id"] for each in subscriptions]}
    return await person.http.post(
        address,
        data={**form, **chosen, **fields, "action": action},
        headers={"Sec-Fetch-Site": "same-origin"},
    )


async def change(
    person: Person, subscriptions: list[dict[str, Any]], **fields: object
) -> httpx.Response:
    """Preview a change and save it, as the page does."""
    preview = await send(person, subscriptions, {**RING, **fields}, action="preview")
    assert preview.status_code == 200, preview.text
    return await send(person, subscriptions, {}, page=preview.text)


def issues(first: int, last: int | str) -> dict[str, str]:
    return {"first_issue": str(first), "last_issue": str(last)}


async def towns(cast: Cast, subscriptions: list[dict[str, Any]]) -> list[str]:
    found = []
    for each in subscriptions:
        body = (await cast.get(f"/v1/subscriptions/{each['id']}/")).json()
        found.append(body["shipping_address"]["city"])
    return found


async def test_the_form_has_all_live_subscriptions_and_their_common_name(
    staff: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    ended = await make_subscription(acme, email="ada@subscriber.test", **HOME)
    await acme.post(f"/v1/subscriptions/{ended['id']}/cancel/", {"mode": "cancel"})
    await make_membership(acme, email="ada@subscriber.test", last_name="Byron", country="DE")
    page = (await staff.http.get(where(staff, two))).text
    assert page.count('name="subscriptions"') == 4
    assert page.count("checked> Print") == 3
    assert fields_of(page)["last_name"] == "Byron"
    assert "Print, issues 1–4" in page
    assert "membership" in page


async def test_names_that_differ_are_not_filled_in(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    await acme.patch(f"/v1/subscriptions/{two[0]['id']}/", {"first_name": "Eve"})
    fields = fields_of((await owner.http.get(where(owner, two))).text)
    assert (fields["first_name"], fields["last_name"], fields["country"]) == ("", "", "DE")


async def test_the_preview_shows_where_each_issue_goes_and_changes_nothing(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    issue = await make_issue(acme, 3)
    copies = await copies_of(acme, two[0]["id"])
    await runs.freeze_dispatch(
        acme.db, acme.account_id, copies[0]["issue"]["id"], DispatchSelection(), by=BY
    )
    fields = {**RING, "when": "between", "first_issue": "2", "last_issue": "3"}
    page = (await send(owner, two, fields, action="preview")).text
    text = " ".join(page.split())
    assert "Issues 2–3: new address, <bdi>Ring 1, 1010 Wien</bdi>, Austria" in text
    assert "Issue 4: present address, <bdi>Weg 1, 10115 Berlin</bdi>, Germany" in text
    assert "The copy of issue 1 is in mailing 1 already" in text
    assert await towns(acme, two) == ["Berlin", "Berlin"]
    assert issue["number"] == 3


async def test_a_last_name_alone_is_enough_for_a_new_address(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    saved = await change(owner, two, first_name="", last_name="Bell")
    assert saved.status_code == 303
    after = (await acme.get(f"/v1/subscriptions/{two[0]['id']}/")).json()
    assert (after["first_name"], after["last_name"]) == (None, "Bell")


async def test_the_only_subscription_is_ticked_also_if_it_has_ended(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme, 1, release_date_actual=EARLIER)
    made = await make_subscription(acme, length=1, **HOME)
    await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    page = await owner.text("subscribers", made["subscriber"]["id"], "address")
    assert re.search(rf'value="{made["id"]}" checked', page)


async def test_days_are_shown_with_their_issues(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    await make_issue(acme, 3, release_date_actual="2098-01-10")
    await make_issue(acme, 4, release_date_actual="2098-02-10")
    fields = {**RING, "when": "days", "first_day": "2098-01-01", "last_day": "2098-01-31"}
    preview = await send(owner, two, fields, action="preview")
    text = " ".join(preview.text.split())
    assert "Issue 3 of 10 January 2098 is the only one that goes to the new address." in text
    assert "From issue 4 on, copies go to the present address again." in text
    assert "Issue 3: new address" in text
    assert "expected from the intervals" not in text
    await send(owner, two, {}, page=preview.text)
    for path in (("subscribers", two[0]["subscriber"]["id"]), ("subscriptions", two[0]["id"])):
        page = " ".join((await owner.text(*path)).split())
        assert "From 1 January 2098 to 31 January 2098, then back (only issue 3):" in page


async def test_a_day_after_all_release_dates_is_marked_as_expected(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    fields = {**RING, "when": "from_day", "first_day": (TODAY + timedelta(days=61)).isoformat()}
    text = " ".join((await send(owner, two, fields, action="preview")).text.split())
    assert re.search("Issue 3 of .* is the first one that goes to the new address", text)
    assert "expected from the intervals" in text


async def test_a_membership_goes_on_at_the_old_address(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    member = await make_membership(acme, email="ada@subscriber.test", **HOME)
    fields = {**RING, "when": "between", "first_issue": "5", "last_issue": "6"}
    page = (await send(owner, [member], fields, action="preview")).text
    text = " ".join(page.split())
    assert "Issues 5–6: new address" in text
    assert "All later issues: present address" in text
    fields = {**RING, "when": "from", "first_issue": "5"}
    page = (await send(owner, [member], fields, action="preview")).text
    text = " ".join(page.split())
    assert "Issues 3–4: present address" in text
    assert "Issue 5 and all later ones: new address" in text


async def test_another_planned_change_is_in_the_preview_of_a_change_now(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    await move(acme, *two, first=3, last=3)
    page = (await send(owner, two, {**RING, "address1": "Gasse 9"}, action="preview")).text
    text = " ".join(page.split())
    assert "Issue 3: address of another planned change, <bdi>Ring 1" in text
    assert "Issues 1–2: new address, <bdi>Gasse 9" in text
    assert "No issue goes to the new address" not in text


async def test_a_change_now_that_no_issue_follows_is_said(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    await move(acme, *two, first=2)
    for each in two:
        for copy in await copies_of(acme, each["id"]):
            if copy["issue"]["number"] == 1:
                await acme.post(f"/v1/copies/{copy['id']}/mark-sent/")
    page = (await send(owner, two, {**RING, "address1": "Gasse 9"}, action="preview")).text
    assert "No issue goes to the new address, because all that are left" in " ".join(page.split())


async def test_an_address_is_changed_now(
    staff: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    response = await change(staff, two)
    assert response.headers["Location"] == staff.address("subscribers", two[0]["subscriber"]["id"])
    assert await towns(acme, two) == ["Wien", "Wien"]
    page = await staff.text("subscribers", two[0]["subscriber"]["id"])
    assert "2 subscriptions have the new address." in page
    assert "Changes of address" not in page


async def test_a_planned_change_is_on_the_page_of_the_subscriber_and_can_be_cancelled(
    staff: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    await change(staff, two, when="between", first_issue="2", last_issue="3")
    subscriber = two[0]["subscriber"]["id"]
    page = await staff.text("subscribers", subscriber)
    assert "The new address is planned for 2 subscriptions." in page
    assert "Issues 2–3, then back:" in page
    assert "<bdi>Ring 1, 1010 Wien</bdi>, Austria" in page
    [form] = [part for part in page.split('action="') if "/cancel/" in part[:200]]
    cancel = form.partition('"')[0]
    for message in ("is cancelled", "already done"):
        await staff.post(cancel)
        page = await staff.text("subscribers", subscriber)
        assert message in page
    assert "cancelled on" in page
    assert "Cancel this change" not in page


async def test_each_kind_of_change_is_named(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    await change(owner, two, when="from", first_issue="4")
    await change(owner, two, when="between", first_issue="3", last_issue="3")
    page = await owner.text("subscribers", two[0]["subscriber"]["id"])
    assert "From issue 4 on, permanently:" in page
    assert "Only issue 3:" in page


async def test_a_change_that_is_made_cannot_be_cancelled(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    made = await move(acme, *two, first=1)
    subscriber = two[0]["subscriber"]["id"]
    assert "done on" in await owner.text("subscribers", subscriber)
    response = await owner.post(
        owner.address("subscribers", subscriber, "address", made.group_id, "cancel")
    )
    assert response.status_code == 400
    assert "made already" in response.text


async def test_an_overlap_is_refused_at_the_field_and_keeps_what_was_typed(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    await move(acme, *two, first=3, last=4)
    fields = {**RING, "address1": "Gasse 9", "when": "between"}
    fields |= {"first_issue": "4", "last_issue": "4"}
    response = await send(owner, two, fields, action="preview")
    assert response.status_code == 400
    assert "issues 3 to 4, to Ring 1, 1010 Wien" in response.text
    assert 'id="first_issue-error"' in response.text
    assert fields_of(response.text)["address1"] == "Gasse 9"


async def test_an_overlap_of_days_is_shown_at_the_day(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    await move(acme, *two, first=1, last=2)
    fields = {**RING, "address1": "Gasse 9", "when": "days"}
    fields |= {"first_day": EARLIER, "last_day": LATER}
    response = await send(owner, two, fields, action="preview")
    assert response.status_code == 400
    assert "issues 1 to 2, to Ring 1, 1010 Wien" in response.text
    assert 'id="first_day-error"' in response.text
    assert fields_of(response.text)["first_day"] == EARLIER


async def test_a_holiday_within_a_move_is_shown_and_cancelling_the_move_asks(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    moved = await move(acme, *two, first=2)
    fields = {**RING, "address1": "Gasse 9", "when": "between"}
    fields |= {"first_issue": "3", "last_issue": "3"}
    preview = (await send(owner, two, fields, action="preview")).text
    assert "Another planned change stays: from issue 2 on, to Ring 1, 1010 Wien." in preview
    assert "Issue 3: new address, <bdi>Gasse 9" in preview
    assert "Issue 4: address of another planned change, <bdi>Ring 1" in preview
    assert (await send(owner, two, {}, page=preview)).status_code == 303
    subscriber = two[0]["subscriber"]["id"]
    page = await owner.text("subscribers", subscriber)
    assert "From issue 2 on, permanently:" in page
    assert "Only issue 3:" in page
    assert page.count("Cancel this change") == 2
    cancel = owner.address("subscribers", subscriber, "address", moved.group_id, "cancel")
    for odd in (None, {"temporary": "lose"}):
        asked = await owner.post(cancel, odd)
        assert "What becomes of it?" in asked.text
        assert "<bdi>Gasse 9, 1010 Wien</bdi>, Austria: only issue 3" in asked.text
    await owner.post(cancel, {"temporary": "keep"})
    page = await owner.text("subscribers", subscriber)
    assert page.count("Cancel this change") == 1


@for_each(
    "fields, at",
    [
        ({"when": "from_day", "first_day": ""}, "first_day"),
        ({"when": "from_day", "first_day": "soon"}, "first_day"),
        ({"when": "days", "first_day": "2098-01-01", "last_day": ""}, "last_day"),
        ({"when": "days", "first_day": "2098-01-02", "last_day": "2098-01-01"}, "last_day"),
        ({"when": "from", "first_issue": ""}, "first_issue"),
        ({"when": "from", "first_issue": "0"}, "first_issue"),
        ({"when": "from", "first_issue": "twelve"}, "first_issue"),
        ({"when": "between", "first_issue": "4", "last_issue": ""}, "last_issue"),
        ({"when": "between", "first_issue": "4", "last_issue": "3"}, "last_issue"),
        ({"address1": ""}, "address1"),
        ({"address1": "x" * 256}, "address1"),
        ({"city": "", "postcode": ""}, "city"),
        ({"country": "ZZ"}, "country"),
    ],
)
async def test_a_mistake_is_said_at_its_field(
    owner: Person, acme: Cast, two: list[dict[str, Any]], fields: dict[str, str], at: str
) -> None:
    for action in ("preview", "save"):
        response = await send(owner, two, {**RING, **fields}, action=action)
        assert response.status_code == 400
        assert f'id="{at}-error"' in response.text
    assert await towns(acme, two) == ["Berlin", "Berlin"]


async def test_no_chosen_subscription_is_refused(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    response = await send(owner, two, {**RING, "subscriptions": []}, action="preview")
    assert response.status_code == 400
    assert "Choose which subscriptions get" in response.text


async def test_a_form_that_was_changed_after_the_preview_is_previewed_again(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    preview = await send(owner, two, RING, action="preview")
    response = await send(owner, two, {"city": "Graz"}, page=preview.text)
    assert response.status_code == 400
    assert "Something has changed since the preview" in response.text
    assert await towns(acme, two) == ["Berlin", "Berlin"]


async def test_the_same_form_sent_twice_makes_one_change(
    owner: Person, acme: Cast, two: list[dict[str, Any]]
) -> None:
    fields = {**RING, "when": "from", "first_issue": "3"}
    preview = await send(owner, two, fields, action="preview")
    for _ in range(2):
        response = await send(owner, two, {}, page=preview.text)
        assert response.status_code == 303, response.text
    page = await owner.text("subscribers", two[0]["subscriber"]["id"])
    top, listed = page.split('id="addresses-title"')
    for part in (top, listed):
        assert part.count("From issue 3 on, permanently:") == 1


async def test_a_subscriber_without_subscription_has_no_form(
    owner: Person, acme: Cast, rival: Cast, outsider: Person, two: list[dict[str, Any]]
) -> None:
    assert (await owner.see("subscribers", "00001UNKNOWN", "address")).status_code == 404
    assert (await outsider.http.get(where(owner, two))).status_code == 404


async def test_the_preview_warns_about_an_address_without_a_town(
    owner: Person, two: list[dict[str, Any]]
) -> None:
    warning = "The town is missing. Printed issues need it."
    preview = await send(owner, two, {**RING, "city": ""}, action="preview")
    assert warning in preview.text
    assert warning not in (await send(owner, two, RING, action="preview")).text


async def test_digital_subscriptions_need_no_town(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    sub = await make_subscription(acme, **HOME, medium="Digital")
    preview = await send(owner, [sub], {**RING, "city": ""}, action="preview")
    assert preview.status_code == 200
    assert "The town is missing" not in preview.text


async def test_a_planned_address_that_no_issue_goes_to_is_said_everywhere(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme, 1, release_date_actual=EARLIER)
    made = await make_subscription(acme, length=1, last_name="Byron", **HOME)
    fields = {**RING, "when": "between", **issues(5, 5)}
    preview = (await send(owner, [made], fields, action="preview")).text
    assert "No issue of these subscriptions goes to the new address." in preview
    response = await send(owner, [made], {}, page=preview)
    assert response.status_code == 303
    page = (await owner.http.get(response.headers["Location"])).text
    assert "planned for 1 subscription. But no issue goes there: check it." in page
    for text in (page, await owner.text("subscriptions", made["id"])):
        assert "Only issue 5" in text
        assert "No issue of the subscription goes there." in text


async def test_a_planned_address_that_an_issue_goes_to_has_no_warning(
    owner: Person, two: list[dict[str, Any]]
) -> None:
    await change(owner, two, when="between", **issues(4, 4))
    for path in (("subscribers", two[0]["subscriber"]["id"]), ("subscriptions", two[0]["id"])):
        page = await owner.text(*path)
        assert "Only issue 4" in page
        assert "goes there" not in page


async def test_a_waiting_replacement_goes_to_the_new_address(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual=EARLIER)
    made = await make_subscription(acme, length=1, **HOME)
    [copy] = await copies_of(acme, made["id"])
    await acme.post(f"/v1/copies/{copy['id']}/mark-sent/", {})
    await acme.post("/v1/claims/", {"copy": copy["id"], "reason": "damaged"})
    page = (await send(owner, [made], RING, action="preview")).text
    assert "Replacement of issue 1: new address, <bdi>Ring 1, 1010 Wien</bdi>" in page
    assert "No issue" not in page
    assert "No copies are left" not in page
    fields = {**RING, "when": "from", **issues(1, "")}
    page = (await send(owner, [made], fields, action="preview")).text
    assert "Replacement of issue 1: new address" in page
    assert "No issue" not in page


async def test_issues_after_the_last_paid_one_come_only_with_a_renewal(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme, 1, release_date_actual=EARLIER)
    made = await make_subscription(acme, length=1, is_recurring=True, **HOME)
    page = (await send(owner, [made], RING, action="preview")).text
    assert "Issue 1: new address" in page
    assert "Later issues, if it is renewed: new address" in page
    assert "All later issues" not in page
    fields = {**RING, "when": "between", **issues(3, 3)}
    page = (await send(owner, [made], fields, action="preview")).text
    assert "Issue 1: present address" in page
    assert "Issue 2, if it is renewed: present address" in page
    assert "Issue 3, if it is renewed: new address" in page
    assert "Later issues, if it is renewed: present address" in page
