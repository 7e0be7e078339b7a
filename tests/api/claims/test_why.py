"""GET /v1/issues/{id}/why/: why a subscriber got an issue or did not."""

from datetime import date

from masthead.model.dispatch.runs import DispatchSelection
from masthead.services.dispatch import runs
from tests.conftest import BY, Cast
from tests.support.expect import refused
from tests.support.factories import make_issue, make_subscription


async def test_the_answer_has_a_code_a_sentence_and_each_subscription(
    acme: Cast, rival: Cast
) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, email="ada@example.com", city="Berlin")
    selection = DispatchSelection()
    run = await runs.freeze_dispatch(acme.db, acme.account_id, issue["id"], selection, by=BY)
    await runs.mark_dispatch(acme.db, acme.account_id, run.id, date(2026, 5, 3), by=BY)
    path = f"/v1/issues/{issue['id']}/why/"
    answer = (await acme.get(path, subscriber=" ADA@example.com ")).json()
    assert list(answer) == [
        "code",
        "sentence",
        "issue_number",
        "issue",
        "subscriber",
        "subscriptions",
    ]
    assert answer["sentence"] == "Issue 1 was sent to Ada: mailing 1 of 2026-05-03, to Berlin."
    assert answer["code"] == "sent"
    (one,) = answer["subscriptions"]
    assert one["subscription_id"] == made["id"]
    assert (one["run"]["number"], one["run"]["date_sent"]) == (1, "2026-05-03")
    assert len(one["key"]) == 9
    assert (await acme.get(path, subscriber=made["subscriber"]["id"])).json() == answer
    refused(await rival.get(path, subscriber="ada@example.com"), "not_found", status=404)


async def test_an_unknown_subscriber_is_an_answer(acme: Cast) -> None:
    issue = await make_issue(acme)
    path = f"/v1/issues/{issue['id']}/why/"
    answer = (await acme.get(path, subscriber="bo@example.com")).json()
    assert (answer["code"], answer["subscriber"]) == ("unknown_subscriber", None)
    assert answer["subscriptions"] == []
    refused(await acme.get(path), "validation_error")
    refused(await acme.get(path, subscriber=" "), "validation_error")
    refused(
        await acme.get("/v1/issues/X/why/", subscriber="bo@example.com"), "not_found", status=404
    )
