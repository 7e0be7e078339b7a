"""The pages that merge two subscribers and undo it."""

import re

from masthead.model.clock import now
from tests.conftest import Cast
from tests.support.factories import import_row, make_dispatch, make_issue, make_subscription
from tests.support.subscribers import (
    make_gift,
    make_subscriber,
    merge,
    require_sound,
    set_columns,
    subscriber,
)
from tests.web.conftest import Person, fields_of
from tests.web.subscribers.test_pages import words


async def test_the_comparison_shows_what_was_paid_in_other_currencies(
    acme: Cast, owner: Person
) -> None:
    await make_issue(acme)
    orders = {"start_issue": "1", "length": "1"}
    made = [
        await import_row(acme, email="ada@acme.test", price="14.00", currency="CHF", **orders),
        await import_row(acme, email="ada2@acme.test", price="42.90", currency="CHF", **orders),
        await import_row(acme, email="ada2@acme.test", price="5.00", currency="EUR", **orders),
    ]
    one, other, _same = [each["subscriber"]["id"] for each in made]
    page = words(await owner.see("subscribers", one, "merge", other))
    assert "Paid so far CHF 14.00 €5.00 + CHF 42.90" in page
    assert "Paid so far €5.00 + CHF 56.90" in page
    assert "€0.00" not in page
    listed = words(await owner.see("subscribers"))
    assert "CHF 14.00" in listed
    assert "€0.00" not in listed


async def test_two_subscribers_are_merged_from_the_page_of_one(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    one = await make_subscriber(acme, "anna@example.test", first_name="Anna", last_name="Berg")
    other = await make_subscriber(acme, "berg@example.test", first_name="A.", last_name="Berg")
    await make_subscriber(acme, "zoe@example.test", first_name="Zoe")
    assert staff.address("subscribers", one, "merge") in await staff.text("subscribers", one)
    found = await staff.text("subscribers", one, "merge")  # those with the last name
    address = staff.address("subscribers", one, "merge", other)
    assert f'href="{address}"' in found
    assert "Zoe" not in found
    page = (await staff.http.get(address)).text
    assert "Nothing has been changed yet" in page
    assert "anna@example.test" in page
    assert "berg@example.test" in page
    assert "€84.00" in page  # together
    assert "Both get issues 1–4" in page
    response = await staff.send(address)
    assert response.headers["Location"] == staff.address("subscribers", one)
    shown = await staff.text("subscribers", one)
    [message] = re.findall(r'<p class="message".*</p>', shown)
    assert "A. Berg is merged into Anna Berg. You can undo this until" in message
    [undo] = re.findall(r'<a href="([^"]*)">Undo the merge</a>', message)
    assert "Undo the merge" in (await staff.http.get(undo)).text
    assert "berg@example.test" in shown  # among the merged ones
    assert (await subscriber(acme, other))["id"] == one
    response = await staff.see("subscribers", other)
    assert response.headers["Location"] == staff.address("subscribers", one)
    assert "was merged into this one" in await staff.text("subscribers", one)


async def test_the_other_one_can_stay(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    one, other = [await make_subscriber(acme, f"{name}@example.test") for name in "ab"]
    await staff.send(staff.address("subscribers", one, "merge", other), {"stays": other})
    assert (await subscriber(acme, one))["id"] == other
    shown = await staff.text("subscribers", other)  # both have the same name
    assert "(a@example.test) is merged into" in shown


async def test_the_subscriber_with_an_email_usually_stays(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    one = (await import_row(acme, start_issue="1", length="1"))["subscriber"]["id"]
    other = await make_subscriber(acme, "b@example.test")
    await staff.send(staff.address("subscribers", one, "merge", other))
    assert staff.sent["stays"] == other
    assert (await subscriber(acme, one))["id"] == other


async def test_the_newer_order_or_the_fuller_address_usually_stays(
    acme: Cast, staff: Person
) -> None:
    await make_issue(acme)
    days = {"old": "2025-01-01", "new": "2026-01-01", "full": "2026-01-01"}
    ids = {
        name: await make_subscriber(
            acme,
            f"{name}@example.test",
            order_date=day,
            address1="Weg 1",
            address2="Tür 2" if name == "full" else "",
        )
        for name, day in days.items()
    }
    for one, other, stays in (("old", "new", "new"), ("new", "full", "full")):
        page = await staff.text("subscribers", ids[one], "merge", ids[other])
        assert fields_of(page)["stays"] == ids[stays]


async def test_a_subscriber_must_be_chosen(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    one, other = [await make_subscriber(acme, f"{name}@example.test") for name in "ab"]
    for stays in ("", "NOSUCH"):
        response = await staff.send(
            staff.address("subscribers", one, "merge", other), {"stays": stays}
        )
        assert response.status_code == 400
        assert "Choose which subscriber stays." in response.text
    assert (await subscriber(acme, other))["id"] == other


async def test_the_preview_warns(acme: Cast, staff: Person) -> None:
    issue = await make_issue(acme)
    one = await make_subscriber(acme, "a@example.test")
    gift = await make_gift(acme, giver=one, email="b@example.test")
    other = gift["subscriber"]["id"]
    run = await make_dispatch(acme, issue["id"])
    page = await staff.text("subscribers", one, "merge", other)
    assert "One of them gave the other a subscription" in page
    assert staff.address("dispatches", run["id"]) in page
    assert page.count("which is prepared. It stays there") == 2
    await staff.send(staff.address("subscribers", one, "merge", other))
    assert (await subscriber(acme, other))["id"] == one
    await require_sound(acme)


async def test_the_choice_begins_with_those_of_the_same_name(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    ada, twin, zoe = [
        await make_subscriber(acme, f"{n}@example.test", first_name=name, last_name="Byron")
        for n, name in enumerate(("Ada", "Ada", "Zoë"))
    ]
    choice = await staff.text("subscribers", ada, "merge")
    assert staff.address("subscribers", ada, "merge", twin) in choice
    assert staff.address("subscribers", ada, "merge", zoe) not in choice
    choice = await staff.text("subscribers", zoe, "merge")  # nobody else is called Zoë
    for other in (ada, twin):
        assert staff.address("subscribers", zoe, "merge", other) in choice


async def test_search_and_refusals_of_the_choice(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    one = await make_subscriber(acme, "a@example.test")
    other = await make_subscriber(
        acme, "b@example.test", address1="Gasse 1", city="Ulm", postcode="89073"
    )
    found = await staff.text("subscribers", one, "merge", search="ulm")
    assert staff.address("subscribers", one, "merge", other) in found
    assert "Gasse 1" in found
    assert "89073 Ulm" in found
    assert "No other subscriber matches" in await staff.text(
        "subscribers", one, "merge", search="nowhere"
    )
    response = await staff.see("subscribers", one, "merge", search="x" * 300)
    assert response.status_code == 400
    response = await staff.see("subscribers", one, "merge", one)
    assert response.status_code == 400
    assert "cannot be merged with itself" in response.text


async def test_a_merged_subscriber_leads_to_the_one_that_stays(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    one, other, third = [await make_subscriber(acme, f"{name}@example.test") for name in "abc"]
    await merge(acme, one, other)
    kept = staff.address("subscribers", one)
    for parts in (("merge",), ("merge", third), ("merge", one)):
        response = await staff.see("subscribers", other, *parts)
        assert response.headers["Location"] == kept
    response = await staff.see("subscribers", third, "merge", other)
    assert response.headers["Location"] == kept


async def test_a_merge_is_undone_from_the_page_of_the_subscriber(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    one = await make_subscriber(acme, "a@example.test")
    made = await make_subscription(acme, email="b@example.test", first_name="Bea")
    other = made["subscriber"]["id"]
    id = await merge(acme, one, other)
    since = await make_subscription(acme, email="b@example.test", first_name="Since")
    address = staff.address("subscribers", one, "merges", id, "undo")
    assert f'href="{address}"' in await staff.text("subscribers", one)
    page = (await staff.http.get(address)).text
    going, staying = page.split('id="staying-title"')
    assert made["id"] in going
    assert since["id"] in staying
    response = await staff.send(address)
    assert response.headers["Location"] == staff.address("subscribers", one)  # as before
    page = await staff.text("subscribers", one)
    assert "The merge is undone" in page
    [message] = re.findall(r'<p class="message".*</p>', page)
    assert staff.address("subscribers", other) in message
    again = await staff.http.get(address)
    assert again.headers["Location"] == staff.address("subscribers", one)
    assert "already undone" in await staff.text("subscribers", one)


async def test_the_email_of_the_merged_subscriber_can_be_given_to_the_one_that_stays(
    acme: Cast, staff: Person
) -> None:
    await make_issue(acme)
    one, other = [await make_subscriber(acme, f"{name}@example.test") for name in "ab"]
    id = await merge(acme, one, other)
    await staff.send(staff.address("subscribers", one, "edit"), {"email": "b@example.test"})
    assert (await subscriber(acme, one))["email"] == "b@example.test"
    page = await staff.text("subscribers", one, "merges", id, "undo")
    assert "gets their own address back" in page


async def test_email_and_phone_are_among_the_differences(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    for email, phone in (("a@example.test", "+49 30 1234"), ("b@example.test", None)):
        await make_subscription(acme, email=email, phone=phone, last_name="Berg")
    one, other = [
        (await acme.get("/v1/subscribers/", email=f"{name}@example.test")).json()["items"][0]["id"]
        for name in "ab"
    ]
    page = words(await staff.see("subscribers", one, "merge", other))
    differences = page.split("Where they differ")[1].split("The same:")[0]
    assert "Email a@example.test b@example.test" in differences
    assert "Phone +49 30 1234 —" in differences


async def test_who_has_unsubscribed_is_named(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    one = await make_subscriber(acme, "a@example.test", first_name="Ida")
    other = await make_subscriber(acme, "b@example.test")
    await set_columns(acme, "subscriber", one, unsubscribed_at=now())
    page = await staff.text("subscribers", one, "merge", other)
    assert "<bdi>Ida</bdi> has unsubscribed from renewal letters" in page


async def test_the_addresses_are_compared_first_and_whole(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    where = {"postcode": "1020", "city": "Wien", "country": "AT"}
    old, new = {"address1": "Am Tabor 47"}, {"address1": "Praterstr. 3", "address2": "Stiege 2"}
    one = await make_subscriber(acme, "a@example.test", **where, **old)
    other = await make_subscriber(acme, "b@example.test", **where, **new)
    page = words(await staff.see("subscribers", one, "merge", other))
    cards, table = page.index("A: "), page.index("Where they differ")
    assert cards < page.index("Am Tabor 47") < page.index("Stiege 2") < table
    assert page[table:].startswith("Where they differ A B Address Am Tabor 47")
    assert "That of the one that stays." in page


async def test_the_page_shows_the_address_of_the_one_that_stays(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    where = {"postcode": "1020", "city": "Wien", "country": "AT"}
    kept = await make_subscriber(acme, "a@example.test", **where, address1="Am Tabor 47")
    merged = await make_subscriber(acme, "b@example.test", **where, address1="Praterstr. 3")
    await merge(acme, kept, merged)
    page = await staff.text("subscribers", kept)
    contact = page.partition('class="contact"')[2].partition('class="actions"')[0]
    assert "Am Tabor 47" in contact, "not that of the newest subscription, which came with a merge"


async def test_the_address_of_a_subscription_that_runs_is_announced(
    acme: Cast, staff: Person
) -> None:
    await make_issue(acme)
    ended = {"start_issue": "1", "length": "1", "status": "Cancelled"}
    over = (await import_row(acme, email="a@example.test", **ended))["subscriber"]["id"]
    runs = await make_subscriber(acme, "b@example.test")
    page = words(await staff.see("subscribers", over, "merge", runs))
    assert "That of B, whose subscription runs." in page
