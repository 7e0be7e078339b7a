"""What subscribers do themselves: by the services of the desk, in the history, and by email."""

import re

import pytest

from masthead.model.actors import BY_SUBSCRIBER
from masthead.model.self_service.settings import Action, SelfService
from masthead.services.claims.records import update_policy
from masthead.services.self_service.overview import AT_ONCE, CLAIMABLE, OTHERS
from masthead.services.self_service.settings import update_settings
from masthead.services.subscribers.merge import merge_subscribers
from masthead.web.subscriber_pages.routes import MY_PAGES
from tests.conftest import BY, Cast
from tests.support.checks import faults
from tests.support.factories import (
    PLACEHOLDER_DOMAIN,
    copies_of,
    make_dispatch,
    make_issue,
    make_issues,
    make_membership,
    make_subscription,
    manual,
)
from tests.support.letters import execute
from tests.support.subscriber_pages import Reader, history_of, links_of, sent_emails
from tests.support.walk import walk
from tests.web.conftest import Browsers, Person
from tests.web.subscriber_pages.conftest import EMAIL, HOME

NEW = {"address1": "Hauptstr. 1", "postcode": "80331", "city": "München", "country": "DE"}
DOES = BY_SUBSCRIBER.id


async def only_subscription(cast: Cast) -> dict[str, object]:
    [found] = (await cast.get("/v1/subscriptions/")).json()["items"]
    return dict(found)


async def subscriber_id(cast: Cast) -> str:
    [found] = (await cast.get("/v1/subscribers/")).json()["items"]
    return str(found["id"])


async def send_copies(cast: Cast, subscription: str) -> list[int]:
    """Mark the copies of a subscription as sent; returns their ids."""
    ids = [int(copy["id"]) for copy in await copies_of(cast, subscription)]
    done = await cast.post("/v1/copies/mark-sent/", {"ids": ids})
    assert done.status_code == 200, done.text
    return ids


async def test_the_address_changes_for_good(reader: Reader) -> None:
    done = await reader.send("address", **NEW)
    assert done.status_code == 303, done.text
    page = await reader.http.get(done.headers["Location"])
    assert "Your new address is saved" in page.text
    assert "Hauptstr. 1" in page.text
    found = await only_subscription(reader.cast)
    assert found["shipping_address"]["city"] == "München"  # type: ignore[index]
    assert (DOES, "subscription.update") in await history_of(reader.cast, str(found["id"]))
    [(to, body)] = await sent_emails(reader.cast)
    assert to == EMAIL
    assert "Hauptstr. 1, 80331 München" in body


async def test_texts_left_by_programs_are_repaired_or_refused(reader: Reader) -> None:
    wrong = {**NEW, "address1": "Stra&szlig;e 1", "address2": "NULL", "city": "MÃ¼nchen"}
    assert (await reader.send("address", **wrong)).status_code == 303
    found = (await only_subscription(reader.cast))["shipping_address"]
    assert isinstance(found, dict)
    assert (found["address1"], found["address2"], found["city"]) == ("Straße 1", None, "München")
    lost = await reader.send("address", **NEW | {"city": "#REF!"})
    assert "is #REF!, which is an error of a spreadsheet. Correct it, or leave it" in lost.text

    assert (await reader.send("name", last_name="O&#039;Brien")).status_code == 303
    assert (await only_subscription(reader.cast))["last_name"] == "O'Brien"
    assert "Your name is Ada O'Brien." in (await sent_emails(reader.cast))[-1][1]
    lost = await reader.send("name", last_name="K\ufffdln")
    assert "in which � stands for a character that was lost" in lost.text


async def test_the_desk_shows_that_it_was_the_subscriber(reader: Reader, owner: Person) -> None:
    await reader.send("address", **NEW)
    id = str((await only_subscription(reader.cast))["id"])
    assert "the subscriber" in await owner.text("subscriptions", id, "history")
    home = await owner.text()
    assert "Done by subscribers in the last 7 days" in home
    assert "Address changed" in await owner.text("requests")


async def test_the_address_changes_for_some_issues_and_that_can_be_cancelled(
    reader: Reader,
) -> None:
    done = await reader.send("address", **NEW, when="between", first_issue="3", last_issue="3")
    assert done.status_code == 303, done.text
    page = await reader.text()
    assert "Issue 3 goes to another address" in page
    assert "Lindenstr. 4" in page
    await sent_emails(reader.cast)
    [path] = re.findall(r'action="/my/[^/]+/(address/\w+/cancel)/"', page)
    for _ in range(2):  # the second one changes nothing
        assert (await reader.post(path)).status_code == 303
    assert "another address" not in await reader.text()
    [(_, body)] = await sent_emails(reader.cast)
    assert "cancelled" in body


async def test_a_holiday_within_a_planned_move_and_what_becomes_of_it(reader: Reader) -> None:
    away = {**NEW, "address1": "Strandweg 7"}
    days = {"when": "between", "first_issue": "3", "last_issue": "3"}
    for fields in ({**NEW, "when": "from", "first_issue": "2"}, {**away, **days}):
        done = await reader.send("address", **fields)
        assert done.status_code == 303, done.text
    [_, (_, body)] = await sent_emails(reader.cast)
    assert "The new address is Strandweg 7, 80331 München, only issue 3." in body
    assert "The planned address Hauptstr. 1, 80331 München stays: from issue 2 on." in body
    page = await reader.text()
    assert "From issue 2 on, your copies go to another address" in page
    assert "Issue 3 goes to another address" in page
    id = str((await only_subscription(reader.cast))["id"])
    assert [event for _, event in await history_of(reader.cast, id)].count(
        "subscription.plan_address"
    ) == 2
    cancels = re.findall(r'action="/my/[^/]+/(address/\w+/cancel)/"', page)
    asked = [await reader.post(path) for path in cancels[1:]]
    assert "What becomes of it?" in asked[0].text
    assert "<bdi>Strandweg 7, 80331 München</bdi>, Germany: only issue 3" in asked[0].text
    await sent_emails(reader.cast)
    assert (await reader.post(cancels[1], temporary="cancel")).status_code == 303
    [(_, body)] = await sent_emails(reader.cast)
    assert "changes of the address are cancelled" in body
    assert "another address" not in await reader.text()


async def test_all_subscriptions_at_an_address_move_together(reader: Reader) -> None:
    cast = reader.cast
    away = {**HOME, "address1": "Am Markt 1"}
    name = {"email": EMAIL, "first_name": "Ada", "last_name": "LOVELACE "}
    second = await make_subscription(cast, **name, **HOME)
    third = await make_subscription(cast, **name, **away)
    [first] = {each["id"] for each in await walk(cast, "/v1/subscriptions/")} - {
        second["id"],
        third["id"],
    }
    await make_subscription(cast, email="eve@reader.test", last_name="Canary", **HOME)
    together = {first, second["id"]}
    choices = ((first, together), (third["id"], {third["id"]}), ("", together | {third["id"]}))
    for of, ticked in choices:
        page = await reader.http.get(reader.address("address"), params={"of": of})
        assert set(re.findall(r'value="(\w+)" checked', page.text)) - {"now"} == ticked
        assert "Print, issues 1" in page.text  # what tells them apart
        assert "Canary" not in page.text


async def test_issues_are_chosen_by_name_and_days_by_the_label(reader: Reader) -> None:
    [issue] = [each for each in await walk(reader.cast, "/v1/issues/") if each["number"] == 1]
    done = await reader.cast.patch(
        f"/v1/issues/{issue['id']}/", {"release_date_actual": "2026-01-02"}
    )
    assert done.status_code == 200, done.text
    page = await reader.http.get(reader.address("address"), params={"when": "days"})
    assert re.search(r'value="days"[^>]* checked|checked[^>]* value="days"', page.text)
    options = re.findall(r'<option value="(\d+)">([^<]+)<', page.text)
    assert options[0][0] == "1"
    assert options[0][1].startswith("Issue 1: ")
    assert "4" in dict(options)  # the last one of the subscription, which is not planned yet
    for odd in ("now", "between", "<b>"):
        page = await reader.http.get(reader.address("address"), params={"when": odd})
        assert re.search(r'value="now"[^>]* checked|checked[^>]* value="now"', page.text)


async def test_an_incomplete_address_is_refused_and_nothing_is_lost(reader: Reader) -> None:
    refused = await reader.send("address", **{**NEW, "postcode": "", "city": "Ulm"})
    assert refused.status_code == 400
    assert 'value="Hauptstr. 1"' in refused.text
    assert 'href="#postcode"' in refused.text
    assert "postcode" in refused.text.lower()
    assert await sent_emails(reader.cast) == []


async def test_an_unusual_postcode_is_asked_about(reader: Reader) -> None:
    asked = await reader.send("address", **{**NEW, "postcode": "123"})
    assert asked.status_code == 400
    assert "Is the postcode right? In Germany, one looks like" in asked.text
    right = {**NEW, "postcode": "123", "is_address_right": "y"}
    assert (await reader.send("address", **right)).status_code == 303
    address = (await only_subscription(reader.cast))["shipping_address"]
    assert isinstance(address, dict)
    assert address["postcode"] == "123"


async def test_a_form_that_is_sent_twice_changes_once(reader: Reader) -> None:
    for _ in range(2):
        page = await reader.http.get(reader.address("address"))
        key = re.search(r'name="idempotency_key"[^>]* value="([^"]+)"', page.text)
        assert key
        fields = {**NEW, "when": "now", "idempotency_key": "A" * 22}
        fields["subscriptions"] = str((await only_subscription(reader.cast))["id"])
        assert (await reader.post("address", **fields)).status_code == 303
    assert len(await sent_emails(reader.cast)) == 1


async def test_a_prepared_mailing_keeps_the_old_address(reader: Reader) -> None:
    cast = reader.cast
    issues = (await cast.get("/v1/issues/")).json()["items"]
    issue = next(each for each in issues if each["number"] == 1)
    await make_dispatch(cast, issue["id"])
    done = await reader.send("address", **NEW)
    page = await reader.http.get(done.headers["Location"])
    assert "on its way to your old address" in page.text


async def test_a_missing_copy_is_sent_again(reader: Reader) -> None:
    cast = reader.cast
    [first, _] = await send_copies(cast, str((await only_subscription(cast))["id"]))
    assert f"/copies/{first}/" in await reader.text()
    done = await reader.send("copies", first, reason="damaged", notes="Wet")
    assert done.headers["Location"].endswith("done=claim")
    [claim] = (await cast.get("/v1/claims/")).json()["items"]
    assert (claim["copy_id"], claim["reason"], claim["replacement"]) == (first, "damaged", True)
    assert (DOES, "claim.create") in await history_of(cast, claim["id"])
    again = await reader.send("copies", first)
    assert again.status_code == 400
    assert "You told us already" in again.text
    assert len(await sent_emails(cast)) == 1


async def test_a_copy_of_long_ago_cannot_be_missing(reader: Reader) -> None:
    cast = reader.cast
    [first, second] = await send_copies(cast, str((await only_subscription(cast))["id"]))
    await execute(
        cast,
        "UPDATE copy SET date_sent = '2020-01-01' WHERE account_id = :account_id AND id = :id",
        id=first,
    )
    page = await reader.text()
    assert f"/copies/{second}/" in page
    assert f"/copies/{first}/" not in page
    assert f"/copies/{second}/" in await reader.text("label", second)
    label = await reader.text("label", first)
    assert f"/copies/{first}/" not in label
    assert "sent more than a year ago" in label
    refused = await reader.send("copies", first)
    assert (refused.status_code, "more than a year ago" in refused.text) == (400, True)
    assert await walk(cast, "/v1/claims/") == []


async def test_a_copy_that_was_not_sent_cannot_be_missing(reader: Reader) -> None:
    cast = reader.cast
    id = str((await only_subscription(cast))["id"])
    await send_copies(cast, id)
    await make_issue(cast, 3)
    [unsent] = [each["id"] for each in await copies_of(cast, id) if each["issue"]["number"] == 3]
    refused = await reader.post("copies", unsent, reason="damaged")
    assert refused.status_code == 400
    assert "This copy was not sent by post yet, so it cannot be missing." in refused.text
    assert (await cast.get("/v1/claims/")).json()["items"] == []


async def test_above_the_limit_a_person_decides(reader: Reader, owner: Person) -> None:
    cast = reader.cast
    await update_policy(cast.db, cast.account_id, replacements=0, issues=6, by=BY)
    [first, second] = await send_copies(cast, str((await only_subscription(cast))["id"]))
    for copy in (first, first, second):
        done = await reader.send("copies", copy)
        assert done.headers["Location"].endswith("done=claim-waits")
    assert (await cast.get("/v1/claims/")).json()["items"] == []
    assert "Requests of subscribers to decide" in await owner.text()
    page = await owner.text("requests")
    sends = re.findall(r'action="/desk/[^/]+/(requests/\w+/send)/"', page)
    closes = re.findall(r'action="/desk/[^/]+/(requests/\w+/close)/"', page)
    assert (len(sends), len(closes)) == (2, 2)
    await sent_emails(cast)
    for _ in range(2):
        assert (await owner.post(owner.address(sends[0]))).status_code == 303
    assert (await owner.post(owner.address(closes[1]))).status_code == 303
    [claim] = (await cast.get("/v1/claims/")).json()["items"]
    assert claim["copy_id"] == first
    assert len(await sent_emails(cast)) == 1
    assert "Waits for you" not in await owner.text("requests")


async def test_a_person_decides_for_a_subscriber_without_an_email(
    reader: Reader, owner: Person
) -> None:
    cast = reader.cast
    await update_policy(cast.db, cast.account_id, replacements=0, issues=6, by=BY)
    [copy, _] = await send_copies(cast, str((await only_subscription(cast))["id"]))
    await reader.send("copies", copy)
    await sent_emails(cast)
    await execute(
        cast, "UPDATE subscriber SET is_placeholder = :yes WHERE account_id = :account_id", yes=True
    )
    page = await owner.text("requests")
    [send] = re.findall(r'action="/desk/[^/]+/(requests/\w+/send)/"', page)
    assert (await owner.post(owner.address(send))).status_code == 303
    [claim] = (await cast.get("/v1/claims/")).json()["items"]
    assert claim["copy_id"] == copy
    assert await sent_emails(cast) == []


async def test_a_copy_of_another_subscriber_does_not_exist(reader: Reader) -> None:
    cast = reader.cast
    other = await make_subscription(cast, email="eve@reader.test", last_name="Canary")
    [copy, _] = await send_copies(cast, other["id"])
    for path in (("copies", copy), ("renewals", other["id"])):
        assert (await reader.http.get(reader.address(*path))).status_code == 404
        assert (await reader.post(*path)).status_code == 404
    refused = await reader.send("address", **NEW, subscriptions=other["id"])
    assert refused.status_code == 400
    assert "Canary" not in refused.text


async def test_the_name_is_corrected_on_the_subscriptions_too(reader: Reader) -> None:
    done = await reader.send("name", last_name="Byron")
    assert done.status_code == 303, done.text
    assert "Ada Byron" in await reader.text()
    assert (await only_subscription(reader.cast))["last_name"] == "Byron"
    id = await subscriber_id(reader.cast)
    assert (DOES, "subscriber.update") in await history_of(reader.cast, id)


async def test_both_addresses_confirm_a_new_one(reader: Reader, browsers: Browsers) -> None:
    cast, new = reader.cast, "ada@new.test"
    assert (await reader.send("email", email=new)).status_code == 303
    emails = await sent_emails(cast)
    assert sorted(to for to, _ in emails) == [new, EMAIL]
    assert f"You asked us to write to <bdi>{new}</bdi>" in await reader.text()
    other = browsers()  # where they read the other address
    for place, link in enumerate(links_of(emails)):
        assert (await other.get(link)).status_code == 200
        assert EMAIL in await reader.text()
        done = await other.post(link)
        assert ("is <bdi>ada@new.test</bdi> now" in done.text) == bool(place)
        assert (await other.post(link)).status_code == 404
    assert "Send me the link" in await reader.text()  # the session has ended
    id = await subscriber_id(cast)
    assert (DOES, "subscriber.update") in await history_of(cast, id)
    assert sorted(to for to, _ in await sent_emails(cast)) == [new, EMAIL]
    await reader.sign_in(new)
    assert new in await reader.text()


async def test_an_address_of_another_subscriber_is_not_told(
    reader: Reader, browsers: Browsers
) -> None:
    await make_subscription(reader.cast, email="eve@reader.test", last_name="Canary")
    done = await reader.send("email", email="eve@reader.test")
    assert done.headers["Location"].endswith("done=email")
    emails = await sent_emails(reader.cast)
    assert len(emails) == 2
    first, second = links_of(emails)
    assert (await browsers().post(first)).status_code == 200
    refused = await browsers().post(second)
    assert refused.status_code == 400
    assert "Canary" not in refused.text
    assert EMAIL in await reader.text()


@pytest.mark.parametrize(
    "typed, message",
    [
        (f" {EMAIL.upper()} ", "This is your address already."),
        (f"ada@{PLACEHOLDER_DOMAIN}", "Type an email address that reaches you."),
    ],
)
async def test_an_address_that_changes_nothing_or_reaches_nobody_is_refused(
    reader: Reader, typed: str, message: str
) -> None:
    refused = await reader.send("email", email=typed)
    assert refused.status_code == 400
    assert message in refused.text
    assert await sent_emails(reader.cast) == []


async def test_letters_are_stopped_and_allowed(reader: Reader) -> None:
    for wanted in ("no", "no", "yes"):
        assert (await reader.send("letters", wanted=wanted)).status_code == 303
        text = "You get them." if wanted == "yes" else "You do not get them."
        assert text in await reader.text()
    id = await subscriber_id(reader.cast)
    events = await history_of(reader.cast, id)
    assert events.count((DOES, "subscriber.unsubscribe")) == 1
    assert (DOES, "subscriber.resubscribe") in events


async def test_a_renewal_is_stopped(reader: Reader) -> None:
    cast = reader.cast
    row = await make_membership(cast, email=EMAIL, is_recurring="yes")
    assert "Stop the automatic renewal" in await reader.text()
    assert (await reader.send("renewals", row["id"])).status_code == 303
    found = (await cast.get(f"/v1/subscriptions/{row['id']}/")).json()
    assert found["status"] == "Active - Renewals stopped"
    assert (DOES, "subscription.stop_renewals") in await history_of(cast, row["id"])


async def test_all_data_is_downloaded(reader: Reader) -> None:
    done = await reader.send("data")
    assert done.headers["Content-Disposition"].startswith("attachment; ")
    assert done.json()["email"] == EMAIL
    id = await subscriber_id(reader.cast)
    assert (DOES, "subscriber.export") in await history_of(reader.cast, id)
    codes = [(await reader.send("data")).status_code for _ in range(3)]
    assert codes == [200, 200, 429]


async def test_erasure_is_asked_for_and_a_person_confirms_it(reader: Reader, owner: Person) -> None:
    refused = await reader.send("erasure")
    assert refused.status_code == 400
    for _ in range(2):
        assert (await reader.send("erasure", is_confirmed="y")).status_code == 303
    assert "You asked us to erase" in await reader.text()
    assert len(await sent_emails(reader.cast)) == 1
    page = await owner.text("requests")
    assert page.count("Check and erase") == 1
    [id] = re.findall(r'action="/desk/[^/]+/requests/(\w+)/close/"', page)
    refused = await owner.post(owner.address("requests", id, "send"))
    assert refused.status_code == 400
    assert "This request is not about a copy that did not arrive." in refused.text
    assert "Check and erase" in await owner.text("requests")


async def test_each_action_is_off_until_an_owner_allows_it(reader: Reader) -> None:
    cast = reader.cast
    settings = SelfService(is_open=True)
    await update_settings(cast.db, cast.account_id, settings, by=BY)
    page = await reader.text()
    for route in MY_PAGES:
        if route.action is not None:
            path = route.path.format(subdomain=cast.subdomain, id="1", group="x")
            response = await reader.http.request(route.methods.split()[-1], path)
            assert response.status_code == 404, path
            assert path.split("/")[3] not in re.findall(r'href="/my/[^/]+/(\w+)/', page)
    assert {route.action for route in MY_PAGES} >= set(Action) - {Action.RENEW, Action.READING}


async def test_renewing_leads_to_the_shop_with_the_reference(reader: Reader) -> None:
    cast = reader.cast
    settings = SelfService(
        is_open=True,
        actions=frozenset({Action.RENEW}),
        renewal_url="https://shop.example/renew?ref={reference}&a=b",
    )
    await update_settings(cast.db, cast.account_id, settings, by=BY)
    id = (await only_subscription(cast))["id"]
    assert f'href="https://shop.example/renew?ref={id}&amp;a=b"' in await reader.text()


async def test_a_gift_shows_no_price_and_no_address_to_the_giver(
    reader: Reader, browsers: Browsers
) -> None:
    cast = reader.cast
    body = manual(
        cast,
        email="nephew@reader.test",
        first_name="Max",
        is_gift=True,
        gifter_id=await subscriber_id(cast),
        price="77.00",
        address1="Geheimweg 9",
        city="Bonn",
        postcode="53111",
    )
    assert (await cast.post("/v1/orders/", body)).status_code == 201
    page = await reader.text()
    assert "€77.00" in page
    assert "Max" in page
    assert "Geheimweg" not in page
    assert page.count(">Renew</a>") == 0  # the publisher has no shop
    other = Reader(browsers(), cast)
    other.http.headers["X-Forwarded-For"] = "2001:db8:9::1"
    await other.sign_in("nephew@reader.test")
    page = await other.text()
    assert "Geheimweg 9" in page
    assert "77.00" not in page
    assert "a gift" in page


@pytest.mark.parametrize("language", ["de", "en"])
async def test_the_page_of_somebody_with_much_is_small(reader: Reader, language: str) -> None:
    cast, has_much = reader.cast, {"company": "Analytical Engines Limited", **HOME}
    giver = await subscriber_id(cast)
    for number in range(8):
        name = {"first_name": "Ada Augusta", "last_name": f"King-Noel {number}", **has_much}
        for email, gift in ((EMAIL, {}), (f"r{number}@reader.test", {"gifter_id": giver})):
            body = manual(cast, email=email, length=12, is_gift=bool(gift), **gift, **name)
            assert (await cast.post("/v1/orders/", body)).status_code == 201
    await make_issues(cast, 3, 12)
    copies = await cast.db.fetch_all(
        "SELECT id FROM copy WHERE account_id = :a AND issue_number <= 9", {"a": cast.account_id}
    )
    await cast.post("/v1/copies/mark-sent/", {"ids": [row["id"] for row in copies]})
    reader.http.headers["Accept-Language"] = language
    page = await reader.http.get(reader.address())
    style = await reader.http.get(re.findall(r'href="(/static/[^"]+my\.css)"', page.text)[0])
    assert ("Nächste Ausgabe" if language == "de" else "Next issue") in page.text
    assert page.text.count("/copies/") == AT_ONCE * CLAIMABLE
    assert page.text.count("King-Noel") >= AT_ONCE + OTHERS
    second = await reader.http.get(reader.address(), params={"page": "2"})
    gifts = await reader.http.get(reader.address("gifts"))
    for each in (page, second, gifts):
        assert len(each.content) + len(style.content) < 30_000, len(each.content)
    shown = page.text + second.text
    assert {f"King-Noel {n}" in shown for n in range(8)} == {True}
    assert {f"King-Noel {n}" in gifts.text for n in range(8)} == {True}
    assert "Analytical" not in gifts.text


async def test_the_address_is_that_of_the_label(reader: Reader) -> None:
    assert HOME["address1"] in await reader.text()


async def test_a_merged_subscriber_sees_the_page_of_the_one_that_stays(reader: Reader) -> None:
    cast = reader.cast
    merged = await subscriber_id(cast)
    other = await make_subscription(cast, email="a.lovelace@reader.test", first_name="Augusta")
    kept = other["subscriber"]["id"]
    await merge_subscribers(cast.db, cast.account_id, kept_id=kept, merged_id=merged, by=BY)
    page = await reader.text()
    assert "Augusta" in page
    assert "Lindenstr. 4" in page
    assert (await reader.send("letters", wanted="no")).status_code == 303
    assert (DOES, "subscriber.unsubscribe") in await history_of(cast, kept)


async def test_after_everything_the_data_check_finds_no_error(reader: Reader) -> None:
    cast = reader.cast
    id = str((await only_subscription(cast))["id"])
    row = await make_membership(cast, email=EMAIL, is_recurring="yes")
    [first, _] = await send_copies(cast, id)
    for path, fields in (
        (("address",), {**NEW, "subscriptions": id}),
        (("copies", first), {}),
        (("name",), {"last_name": "Byron"}),
        (("letters",), {"wanted": "no"}),
        (("renewals", row["id"]), {}),
        (("data",), {}),
        (("erasure",), {"is_confirmed": "y"}),
    ):
        assert (await reader.send(*path, **fields)).status_code in (200, 303), path
    assert await faults(cast) == []
