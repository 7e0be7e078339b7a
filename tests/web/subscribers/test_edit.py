"""The page that corrects a subscriber."""

from tests.conftest import Cast
from tests.support.factories import import_row, make_issue, make_subscription
from tests.support.subscribers import correct, make_subscriber, merge, subscriber
from tests.web.conftest import Person, fields_of


async def test_a_wrong_email_is_corrected_from_the_page_of_the_subscriber(
    acme: Cast, staff: Person
) -> None:
    await make_issue(acme)
    made = await make_subscription(
        acme, email="jon@wrong.test", first_name="Jon", send_welcome_email=True
    )
    id = made["subscriber"]["id"]
    page = await staff.text("subscribers", id)
    address = staff.address("subscribers", id, "edit")
    assert f'href="{address}"' in page
    response = await staff.send(
        address, {"first_name": "John", "email": " jon@example.test ", "with_subscriptions": "y"}
    )
    assert response.status_code == 303
    shown = await staff.text("subscribers", id)
    assert "The changes are saved. 1 subscription has the new name too." in shown
    assert "1 waiting email goes to the new address." in shown
    after = await subscriber(acme, id)
    assert (after["full_name"], after["email"]) == ("John", "jon@example.test")


async def test_a_subscriber_without_email_shows_none_and_can_get_one(
    acme: Cast, staff: Person
) -> None:
    await make_issue(acme)
    id = (await import_row(acme, start_issue="1", length="1"))["subscriber"]["id"]
    address = staff.address("subscribers", id, "edit")
    await staff.send(address)
    assert staff.sent["email"] == ""
    assert (await subscriber(acme, id))["email"].startswith("subscriber-")
    await staff.send(address, {"email": "ada@example.test"})
    assert (await subscriber(acme, id))["email"] == "ada@example.test"


async def test_nothing_typed_changes_nothing(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "a@example.test")
    await staff.send(staff.address("subscribers", id, "edit"))
    assert "Nothing was changed." in await staff.text("subscribers", id)


async def test_the_email_of_another_subscriber_offers_the_merge(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    one = await make_subscriber(acme, "a@example.test")
    other = await make_subscriber(acme, "b@example.test", first_name="Bea")
    response = await staff.send(
        staff.address("subscribers", one, "edit"), {"email": "b@example.test", "company": "Acme"}
    )
    assert response.status_code == 400
    assert "belongs to Bea" in response.text
    assert f'href="{staff.address("subscribers", one, "merge", other)}"' in response.text
    assert 'value="b@example.test"' in response.text
    assert 'value="Acme"' in response.text


async def test_a_wrong_email_is_refused_at_the_field(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "a@example.test")
    address = staff.address("subscribers", id, "edit")
    response = await staff.send(address, {"email": "nonsense"})
    assert response.status_code == 400
    assert 'id="email-error"' in response.text
    response = await staff.send(address, {"was": "{}"})
    assert "The form is incomplete" in response.text


async def test_a_field_that_both_changed_is_shown_with_both_values(
    acme: Cast, staff: Person
) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "a@example.test")
    address = staff.address("subscribers", id, "edit")
    opened = (await staff.http.get(address)).text
    await correct(acme, id, first_name="Eva", company="Acme")
    staff.sent = {**fields_of(opened), "first_name": "Ida"}
    response = await staff.post(address, staff.sent)
    assert response.status_code == 400
    assert "has changed since you opened the page" in response.text
    assert "<bdi>Eva</bdi>" in response.text
    assert 'value="Ida"' in response.text
    assert 'value="Acme"' in response.text
    again = await staff.post(address, {**fields_of(response.text), "first_name": "Ida"})
    assert again.status_code == 303
    assert (await subscriber(acme, id))["full_name"] == "Ida"


async def test_a_form_that_is_sent_twice_is_saved_once(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "a@example.test")
    address = staff.address("subscribers", id, "edit")
    first = await staff.send(address, {"first_name": "Eva"})
    second = await staff.post(address, staff.sent)
    assert first.headers["Location"] == second.headers["Location"]
    assert "already done" in (await staff.http.get(second.headers["Location"])).text


async def test_the_form_of_a_merged_subscriber_leads_to_the_one_that_stays(
    acme: Cast, staff: Person
) -> None:
    await make_issue(acme)
    kept, old = [await make_subscriber(acme, f"{name}@example.test") for name in "ab"]
    address = staff.address("subscribers", old, "edit")
    opened = (await staff.http.get(address)).text
    await merge(acme, kept, old)
    response = await staff.http.get(address)
    assert response.headers["Location"] == staff.address("subscribers", kept, "edit")
    response = await staff.post(address, {**fields_of(opened), "first_name": "Eva"})
    assert response.status_code == 303
    assert (await subscriber(acme, kept))["full_name"] == "Ada"


async def test_a_foreign_subscriber_is_not_found(acme: Cast, rival: Cast, staff: Person) -> None:
    await make_issue(rival)
    id = await make_subscriber(rival, "a@example.test")
    assert (await staff.see("subscribers", id, "edit")).status_code == 404


async def test_the_salutation_and_the_own_address_are_shown_in_words(
    acme: Cast, staff: Person
) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "a@example.test", first_name="Ada", last_name="Byron")
    address = staff.address("subscribers", id, "edit")
    typed = {"salutation": "ms", "title": "Dr.", "address1": "Quay 1", "city": "Bath"}
    response = await staff.send(address, {**typed, "first_name": ""})
    assert response.status_code == 400
    assert "The country of the postal address is missing." in response.text
    assert 'value="Quay 1"' in response.text
    assert (await staff.send(address, {**typed, "first_name": "", "country": "GB"})).is_redirect
    page = await staff.text("subscribers", id)
    address = "<bdi>Ms Dr. Byron</bdi>, <bdi>Quay 1</bdi>, <bdi>BATH</bdi>"
    for shown in ("<dd>Ms</dd>", "Dear Dr. Byron,", address):
        assert shown in page


async def test_the_history_has_the_salutation_in_words(acme: Cast, staff: Person) -> None:
    await make_issue(acme)
    id = await make_subscriber(acme, "a@example.test", first_name="Ada", last_name="Byron")
    await staff.send(staff.address("subscribers", id, "edit"), {"salutation": "mr"})
    history = await staff.text("subscribers", id, "history")
    assert "<bdi>Mr</bdi>" in history or ">Mr<" in history
