"""Several copies for one address are one thing on the pages: one row, one card, one change."""

from tests.conftest import Cast
from tests.support.checks import faults
from tests.support.factories import make_issue, make_issues
from tests.web.conftest import Person, fields_of
from tests.web.subscribers.test_pages import words
from tests.web.subscriptions.facts import cancel, mark, rows_of, shown
from tests.web.subscriptions.test_renew import make_bundle


async def subscriber_of(cast: Cast, id: str) -> str:
    """The id of the subscriber of a subscription."""
    subscriber: dict[str, str] = (await shown(cast, id))["subscriber"]
    return subscriber["id"]


async def test_copies_for_one_address_are_one_row_of_the_list(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    ids = await make_bundle(acme, 3)
    for query in ({}, {"search": "Harbour"}, {"status": "Active"}, {"country": "DE"}):
        page = await owner.see("subscriptions", **query)
        assert page.text.count("Harbour Books</bdi>") == 1, query
        assert "3 copies: Print, issues 1–2" in words(page)
        assert owner.address("subscriptions", ids[0]) in page.text
    assert "1 subscription, newest first" in words(await owner.see("subscriptions"))
    await cancel(acme, ids[0])
    text = words(await owner.see("subscriptions"))
    assert "2 copies: Print, issues 1–2" in text
    assert "2 subscriptions, newest first" in text


async def test_a_subscriber_has_one_card_and_one_sentence_for_each_issue(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    ids = await make_bundle(acme, 3)
    text = words(await owner.see("subscribers", await subscriber_of(acme, ids[0])))
    assert text.count("3 copies: Print, issues 1–2, €30.00, ordered 15 January 2026") == 1
    assert text.count("not sent yet:") == 1
    assert "Issue 1 3 copies: not sent yet:" in text
    [issue] = await rows_of(acme, "issue")
    why = await owner.see(
        "issues", issue["id"], "why", subscriber=await subscriber_of(acme, ids[0])
    )
    assert why.text.count('<section aria-label="Subscription') == 1
    assert "3 copies Copy" in words(why)
    await mark(acme, ids[0], 1)
    text = words(await owner.see("subscribers", await subscriber_of(acme, ids[0])))
    assert "2 copies: not sent yet:" in text


async def test_the_page_of_several_copies_has_their_number_and_their_price(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    ids = await make_bundle(acme, 3)
    page = await owner.see("subscriptions", ids[0])
    assert "Copies of each issue 3" in words(page)
    assert "Price €30.00" in words(page)
    assert "Ordered together" not in words(page)
    copy = (await rows_of(acme, "copy"))[0]["id"]
    typed = {"copy": str(copy), "date": "2026-01-20", "is_confirmed": "1"}
    sent = await owner.send(owner.address("subscriptions", ids[0], "sent"), typed)
    assert sent.is_redirect
    assert "3 copies are marked as sent." in words(await owner.see("subscriptions", ids[0]))
    assert {row["status"] for row in await rows_of(acme, "copy")} == {"Sent"}


async def move(owner: Person, address: str, typed: dict[str, str]) -> None:
    """Change an address now."""
    form = {**fields_of((await owner.http.get(address)).text), **typed}
    shown = await owner.post(address, {**form, "action": "preview"})
    saved = await owner.post(address, {**fields_of(shown.text), "action": "save"})
    assert saved.is_redirect, saved.text


async def test_a_corrected_address_is_that_of_all_copies(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    ids = await make_bundle(acme, 3)
    payer = (await shown(acme, ids[1]))["subscriber"]["id"]
    path = owner.address("subscribers", payer, "address")
    typed = {"address1": "Quay 1", "city": "Hamburg", "postcode": "20457"}
    await move(owner, f"{path}?begin={ids[1]}", typed)
    assert [(await shown(acme, id))["shipping_address"]["city"] for id in ids] == ["Hamburg"] * 3
    page = (await owner.http.get(f"{path}?begin={ids[1]}")).text
    assert f"{path}?begin={ids[1]}&amp;with=one" in page
    await move(owner, f"{path}?begin={ids[1]}&with=one", {"city": "Bremen"})
    cities = [(await shown(acme, id))["shipping_address"]["city"] for id in ids]
    assert cities == ["Hamburg", "Bremen", "Hamburg"]
    text = words(await owner.see("subscriptions", ids[0]))
    assert "Copies of each issue 2" in text
    assert (
        "Ordered together with 1 other subscription: Harbour Books, Bremen, Print, until issue 2 "
        in text
    )
    text = words(await owner.see("subscriptions", ids[1]))
    others = "Harbour Books, Hamburg, Print, until issue 2, 2 copies"
    assert f"Ordered together with 2 other subscriptions: {others}" in text
    assert await faults(acme) == []


async def test_terms_change_for_all_copies_and_they_are_reopened_together(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 3)
    ids = await make_bundle(acme, 3)
    path = owner.address("subscriptions", ids[0], "terms")
    opened = fields_of((await owner.http.get(path)).text)
    assert (await owner.post(path, {**opened, "length": "3"})).is_redirect
    assert "3 copies were added." in words(await owner.see("subscriptions", ids[0]))
    for id in ids:
        await cancel(acme, id)
    path = owner.address("subscriptions", ids[2], "reopen")
    page = await owner.http.get(path)
    assert "For each of the 3 copies:" in words(page)
    assert (await owner.post(path, fields_of(page.text))).is_redirect
    assert [(await shown(acme, id))["status"] for id in ids] == ["Active"] * 3
    assert await faults(acme) == []


async def test_renewals_of_all_copies_stop_together(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    ids = await make_bundle(acme, 2, is_recurring=True)
    path = owner.address("subscriptions", ids[0], "cancel")
    stop, _end = (await owner.http.get(path)).text.split('id="cancel-title"')
    assert "For each of the 2 copies:" in stop
    opened = fields_of(stop)
    assert opened["mode"] == "stop_renewals"
    assert (await owner.post(path, opened)).is_redirect
    assert [(await shown(acme, id))["status"] for id in ids] == ["Active - Renewals stopped"] * 2


async def test_a_refund_is_divided_among_the_copies(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    ids = await make_bundle(acme, 3)
    path = owner.address("subscriptions", ids[0], "refund")
    page = await owner.http.get(path)
    assert (
        "For all 3 copies together. The order costs €30.00; issues that were sent: 0 of 2."
        in words(page)
    )
    opened = fields_of(page.text)
    [field] = [name for name in opened if name.startswith("amount_")]
    refused = await owner.post(path, {**opened, field: "30.01"})
    assert refused.status_code == 400
    assert "at most €30.00 can be refunded" in words(refused)
    assert (await owner.post(path, {**opened, field: "10.00"})).is_redirect
    assert [(await shown(acme, id))["refunded"] for id in ids] == ["3.34", "3.33", "3.33"]
    assert await faults(acme) == []


async def test_copies_move_together(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    ids = await make_bundle(acme, 3)
    subscriber = await subscriber_of(acme, ids[0])
    path = owner.address("subscribers", subscriber, "address")
    page = await owner.http.get(path)
    assert page.text.count('name="subscriptions"') == 1
    typed = fields_of(page.text) | {
        "subscriptions": ids[0],
        "address1": "Quay 1",
        "city": "Hamburg",
        "postcode": "20457",
        "country": "DE",
    }
    preview = await owner.post(path, {**typed, "action": "preview"})
    assert words(preview).count("3 copies: Print, issues 1–2, Harbour Books") == 1
    saved = await owner.post(
        path,
        {
            **fields_of(preview.text),
            **typed,
            "action": "save",
            "digest": fields_of(preview.text)["digest"],
        },
    )
    assert saved.is_redirect
    assert [(await shown(acme, id))["shipping_address"]["city"] for id in ids] == ["Hamburg"] * 3
