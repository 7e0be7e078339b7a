"""`/v1/claims/`: record, list, read and withdraw claims."""

from datetime import date
from typing import Any

from masthead.model.dispatch.copy_keys import key_of
from masthead.model.dispatch.runs import Dispatch, DispatchSelection
from masthead.services.dispatch import runs
from tests.conftest import BY, Cast
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import copies_of, made, make_issue, make_subscription
from tests.support.walk import walk

FIELDS = (
    "id copy_id issue subscriber_id subscription_id country reason notes status replacement "
    "dispatch_id date_sent date_created"
).split()


async def sent_copy(cast: Cast, **fields: Any) -> tuple[dict[str, Any], Dispatch]:
    """A copy of issue 1 that was sent in a run, and the run."""
    issue = await make_issue(cast)
    subscription = await make_subscription(cast, **fields)
    selection = DispatchSelection()
    run = await runs.freeze_dispatch(cast.db, cast.account_id, issue["id"], selection, by=BY)
    run, _, _completed = await runs.mark_dispatch(
        cast.db, cast.account_id, run.id, date(2026, 5, 3), by=BY
    )
    (copy,) = await copies_of(cast, subscription["id"])
    return copy, run


async def claim(cast: Cast, copy: dict[str, Any], **fields: object) -> dict[str, Any]:
    body = {"copy": copy["id"], "reason": "never_arrived", **fields}
    response = await cast.post("/v1/claims/", body)
    assert response.status_code == 201, response.text
    return made(response)


async def test_a_claim_has_all_fields_and_can_be_read(acme: Cast, rival: Cast) -> None:
    copy, _ = await sent_copy(acme)
    created = await claim(acme, copy, notes=" Called ")
    assert list(created) == [*FIELDS, "warnings"]
    assert created["warnings"] == []
    assert (created["status"], created["notes"]) == ("open", "Called")
    assert (created["copy_id"], created["country"]) == (copy["id"], copy["country"])
    assert created["issue"] == copy["issue"]
    del created["warnings"]
    assert (await acme.get(f"/v1/claims/{created['id']}/")).json() == created
    refused(await rival.get(f"/v1/claims/{created['id']}/"), "not_found", status=404)
    assert await walk(rival, "/v1/claims/") == []


async def test_a_claim_can_name_the_key_of_the_label(acme: Cast) -> None:
    _, run = await sent_copy(acme)
    key = key_of(acme.account_id, run.first_line)
    body = {"key": key, "reason": "damaged", "replacement": False}
    created = made(await acme.post("/v1/claims/", body))
    assert (created["status"], created["replacement"]) == ("closed", False)
    body = {"key": key[::-1], "reason": "damaged"}
    assert (await acme.post("/v1/claims/", body)).status_code in (400, 404)


@for_each(
    "fields, message",
    [
        ({"reason": "never_arrived"}, "Send either `copy`"),
        ({"copy": 1, "key": "X", "reason": "other"}, "Send either `copy`"),
        ({"copy": 1}, "`reason` is required"),
        ({"copy": 1, "reason": "lost"}, "expected one of `never_arrived`"),
        ({"copy": "1", "reason": "other"}, '`copy` is "1"'),
        ({"copy": 0, "reason": "other"}, "`copy` is 0"),
        ({"key": "K7", "reason": "other"}, "has 2 characters"),
        ({"copy": 1, "reason": "other", "replacement": "no"}, "expected true or false"),
    ],
)
async def test_invalid_claims_are_refused(
    acme: Cast, fields: dict[str, object], message: str
) -> None:
    response = await acme.post("/v1/claims/", fields)
    assert response.status_code == 400
    assert message in response.json()["message"]


async def test_a_copy_that_cannot_be_claimed_is_refused_with_the_reason(
    acme: Cast, rival: Cast
) -> None:
    await make_issue(acme)
    subscription = await make_subscription(acme)
    (copy,) = await copies_of(acme, subscription["id"])
    body = {"copy": copy["id"], "reason": "other"}
    refused(await acme.post("/v1/claims/", body), "copy_not_sent")
    refused(await rival.post("/v1/claims/", body), "unknown_copy")
    await acme.post(f"/v1/copies/{copy['id']}/mark-sent/")
    first = await claim(acme, copy)
    again = await acme.post("/v1/claims/", body)
    refused(again, "claim_exists", id=first["id"])
    assert first["id"] in again.json()["message"]


async def test_a_claim_over_the_limit_has_a_warning(acme: Cast) -> None:
    copy, _ = await sent_copy(acme)
    for _ in range(2):
        created = await claim(acme, copy)
        await runs.freeze_dispatch(
            acme.db, acme.account_id, copy["issue"]["id"], DispatchSelection(), by=BY
        )
        (run,) = await walk(acme, "/v1/dispatches/", status="frozen")
        await acme.post(f"/v1/dispatches/{run['id']}/mark-sent/", {"date": "2026-05-20"})
        got = (await acme.get(f"/v1/claims/{created['id']}/")).json()
        assert (got["status"], got["dispatch_id"]) == ("sent", run["id"])
        assert got["date_sent"] == "2026-05-20"
    (warning,) = (await claim(acme, copy))["warnings"]
    assert "This is replacement 3 for this subscriber within 6 issues" in warning


async def test_a_claim_is_withdrawn_once(acme: Cast) -> None:
    copy, _ = await sent_copy(acme)
    created = await claim(acme, copy)
    path = f"/v1/claims/{created['id']}/close/"
    bodies: tuple[object, ...] = (None, {}, None)
    for body in bodies:
        response = await acme.post(path, body)
        assert response.status_code == 200, response.text
        assert response.json()["status"] == "closed"
    again = await claim(acme, copy)
    await runs.freeze_dispatch(
        acme.db, acme.account_id, copy["issue"]["id"], DispatchSelection(), by=BY
    )
    (run,) = await walk(acme, "/v1/dispatches/", status="frozen")
    refused(await acme.post(f"/v1/claims/{again['id']}/close/"), "claim_held", id=run["id"])


async def test_claims_are_listed_newest_first_and_filtered(acme: Cast) -> None:
    copy, _ = await sent_copy(acme)
    first = await claim(acme, copy, replacement=False)
    second = await claim(acme, copy, reason="damaged")
    assert [each["id"] for each in await walk(acme, "/v1/claims/", limit=1)] == [
        second["id"],
        first["id"],
    ]
    for filters, found in (
        ({"status": "open"}, [second]),
        ({"reason": "never_arrived"}, [first]),
        ({"issue": copy["issue"]["id"], "status": "held"}, []),
        ({"subscriber": copy["subscriber_id"], "country": "de"}, [second, first]),
        ({"subscription": copy["subscription_id"]}, [second, first]),
        ({"copy": copy["id"]}, [second, first]),
        ({"copy": 1}, []),
    ):
        items = await walk(acme, "/v1/claims/", **filters)
        assert [each["id"] for each in items] == [each["id"] for each in found], filters
    refused(await acme.get("/v1/claims/", status="Open"), "validation_error")
