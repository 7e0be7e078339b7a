"""The pages that delete an issue, or give it another number."""

from masthead.model.dispatch.runs import DispatchSelection
from masthead.services.dispatch import runs
from tests.conftest import BY, Cast
from tests.support.factories import copies_of, make_issue, make_issues, make_subscription
from tests.web.conftest import Person, fields_of


async def test_an_issue_is_deleted_after_a_preview(staff: Person, acme: Cast) -> None:
    _, second = await make_issues(acme, 1, 2)
    subscription = await make_subscription(acme)
    page = await staff.text("issues", second["id"])
    assert staff.address("issues", second["id"], "delete") in page
    page = await staff.text("issues", second["id"], "delete")
    assert "1 copy that is not sent is deleted." in page
    assert "1 subscription keeps the number 2" in page
    address = staff.address("issues", second["id"], "delete")
    for message in ("“Issue 2” is deleted.", "already done"):
        response = await staff.post(address, fields_of(page))
        assert response.headers["Location"] == staff.address("issues")
        assert message in await staff.text("issues")
    assert len(await copies_of(acme, subscription["id"])) == 1
    assert (await staff.see("issues", second["id"], "delete")).status_code == 404


async def test_a_copy_that_was_added_meanwhile_is_in_the_next_preview(
    owner: Person, acme: Cast
) -> None:
    _, second = await make_issues(acme, 1, 2)
    address = owner.address("issues", second["id"], "delete")
    page = await owner.text("issues", second["id"], "delete")
    assert "It has no copies." in page
    await make_subscription(acme)
    response = await owner.post(address, fields_of(page))
    assert response.status_code == 400
    assert "Something has changed since the preview" in response.text
    assert "1 copy that is not sent is deleted." in response.text
    assert (await owner.post(address, fields_of(response.text))).status_code == 303


async def test_an_issue_in_use_says_why_it_stays(owner: Person, acme: Cast) -> None:
    first, second = await make_issues(acme, 1, 2)
    subscription = await make_subscription(acme, last_name="Byron")
    for page in ("delete", "number"):
        text = await owner.text("issues", first["id"], page)
        assert "1 subscription starts with this issue" in text
        assert owner.address("subscriptions", subscription["id"]) in text
        assert "idempotency_key" not in text
    run = await runs.freeze_dispatch(
        acme.db, acme.account_id, second["id"], DispatchSelection(), by=BY
    )
    assert "sent or being sent" in await owner.text("issues", second["id"], "number")
    assert owner.address("issues", second["id"], "delete") not in await owner.text(
        "issues", second["id"]
    )
    await runs.discard_dispatch(acme.db, acme.account_id, run.id, by=BY)
    assert "1 discarded mailing is deleted" in await owner.text("issues", second["id"], "delete")
    for _ in range(21):
        await make_subscription(acme)
    assert "and 2 more" in await owner.text("issues", first["id"], "delete")


async def test_an_issue_with_sent_copies_does_not_list_who_starts_with_it(
    owner: Person, acme: Cast
) -> None:
    first = await make_issue(acme)
    subscription = await make_subscription(acme)
    (copy,) = await copies_of(acme, subscription["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]]})
    text = await owner.text("issues", first["id"], "number")
    assert "1 copy of this issue is sent or being sent" in text
    assert owner.address("subscriptions", subscription["id"]) not in text


async def test_an_issue_gets_another_number_after_a_preview(staff: Person, acme: Cast) -> None:
    await make_issue(acme)
    issue = await make_issue(acme, 7)
    subscription = await make_subscription(acme)
    address = staff.address("issues", issue["id"], "number")
    assert address in await staff.text("issues", issue["id"], "edit")
    page = await staff.http.get(address)
    assert 'value="7"' in page.text
    assert "What will happen" not in page.text
    fields = {**fields_of(page.text), "number": "3", "action": "preview"}
    moved = await staff.post(address, fields)
    assert moved.headers["Location"] == f"{address}?number=3"  # so that “Back” shows it again
    preview = (await staff.http.get(moved.headers["Location"])).text
    assert "1 copy is added" in preview
    fields = {**fields_of(preview), "action": "save"}
    for message in ("The issue has the number 3.", "already done"):
        response = await staff.post(address, fields)
        assert response.headers["Location"] == staff.address("issues", issue["id"])
        assert message in await staff.text("issues", issue["id"])
    numbers = [copy["issue"]["number"] for copy in await copies_of(acme, subscription["id"])]
    assert numbers == [1, 3]
    assert "1 copy stays and gets" in (await staff.http.get(f"{address}?number=4")).text
    nine = (await staff.http.get(f"{address}?number=9")).text
    assert "1 copy that is not sent is deleted" in nine
    for number, says in (("x", "Type a number such as 12."), ("3", 'value="3"')):
        text = (await staff.http.get(f"{address}?number={number}")).text
        assert says in text
        assert "What will happen" not in text


async def test_a_number_that_cannot_be_used_is_refused_at_the_field(
    owner: Person, acme: Cast
) -> None:
    first = await make_issue(acme, 1, name="Spring")
    issue = await make_issue(acme, 2)
    address = owner.address("issues", issue["id"], "number")
    page = (await owner.http.get(address)).text
    for number, message in (
        ("1", "The number 1 is taken by “Spring”"),
        ("2", "The issue has this number already."),
        ("0", "Type a number such as 12."),
        ("two", "Type a number such as 12."),
    ):
        for action in ("preview", "save"):
            fields = {**fields_of(page), "number": number, "action": action}
            response = await owner.post(address, fields)
            assert response.status_code == 400
            assert message in response.text
            assert 'id="number-error"' in response.text
            assert "What will happen" not in response.text
    fields = {**fields_of(page), "number": "1", "action": "preview"}
    assert owner.address("issues", first["id"]) in (await owner.post(address, fields)).text


async def test_a_preview_that_is_old_is_shown_again(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    issue = await make_issue(acme, 7)
    address = owner.address("issues", issue["id"], "number")
    preview = (await owner.http.get(f"{address}?number=2")).text
    assert "The issue has no copies, and gets none." in preview
    await make_subscription(acme)
    response = await owner.post(address, {**fields_of(preview), "action": "save"})
    assert response.status_code == 400
    assert "Something has changed since the preview" in response.text
    assert "1 copy is added" in response.text


async def test_a_taken_number_is_answered_with_the_name_and_a_link(
    owner: Person, acme: Cast
) -> None:
    issue = await make_issue(acme, 1, name="Spring")
    response = await owner.send(owner.address("issues", "new"), {"number": "1"})
    assert response.status_code == 400
    assert "The number 1 is taken by “Spring”" in response.text
    assert f'href="{owner.address("issues", issue["id"])}"' in response.text
    assert f"issue {issue['id']}" not in response.text
