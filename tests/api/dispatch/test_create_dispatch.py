"""POST /v1/dispatches/: freeze a run of the copies that are free."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.dispatches import claim_copy, hold_address
from tests.support.expect import refused
from tests.support.factories import copies_of, make_dispatch, make_issue, make_subscription
from tests.support.walk import walk

PATH = "/v1/dispatches/"


async def three_subscribers(cast: Cast) -> dict[str, Any]:
    """Issue 1, with copies in two countries and three media."""
    issue = await make_issue(cast)
    await make_subscription(cast, country="DE", medium="Print")
    await make_subscription(cast, country="FR", medium="Print + digital")
    await make_subscription(cast, country="DE", medium="Digital")
    return issue


@pytest.fixture
async def issue(acme: Cast) -> dict[str, Any]:
    """Issue 1 of Acme, with the copies of `three_subscribers`."""
    return await three_subscribers(acme)


async def test_a_run_takes_all_free_copies_of_the_issue(acme: Cast, rival: Cast) -> None:
    issue = await three_subscribers(acme)
    await three_subscribers(rival)
    before = datetime.now(UTC) - timedelta(seconds=1)
    response = await acme.post(PATH, {"issue": issue["id"]})
    assert response.status_code == 201
    run = response.json()
    assert before < datetime.fromisoformat(run.pop("created_at")) < datetime.now(UTC)
    assert len(run.pop("fingerprint")) == 64
    assert run.pop("id")
    assert run == {
        "issue": {"id": issue["id"], "number": 1, "name": "Issue 1"},
        "number": 1,
        "status": "frozen",
        "copies": 3,
        "replacements": 0,
        "grace_copies": 0,
        "lines": 3,
        "countries": [],
        "media": [],
        "sources": [],
        "only_replacements": False,
        "date_sent": None,
        "marked_at": None,
        "undo_until": None,
        "discarded_at": None,
        "held": 3,
        "sent": 0,
        "left": 0,
        "by_country": {"DE": 2, "FR": 1},
        "by_medium": {"Digital": 1, "Print": 1, "Print + digital": 1},
    }
    assert {copy["status"] for copy in await walk(acme, "/v1/copies/")} == {"Not sent"}


async def test_the_next_run_has_what_was_added_since(acme: Cast) -> None:
    issue = await three_subscribers(acme)
    first = await make_dispatch(acme, issue["id"])
    late = await make_subscription(acme, country="AT")
    second = await make_dispatch(acme, issue["id"])
    assert (second["number"], second["copies"], second["by_country"]) == (2, 1, {"AT": 1})
    taken = [
        line["subscription_id"]
        for run in (first, second)
        for line in await walk(acme, f"{PATH}{run['id']}/lines/")
    ]
    assert len(taken) == len(set(taken)) == 4
    assert taken[-1] == late["id"]


@pytest.mark.parametrize(
    "choices, copies",
    [
        ({"countries": ["DE"]}, 2),
        ({"countries": ["de", " DE "]}, 2),
        ({"countries": ["FR", "DE"]}, 3),
        ({"media": ["Print"]}, 1),
        ({"media": ["Print", "Print + digital"]}, 2),
        ({"media": ["Digital"], "countries": ["DE"]}, 1),
        ({"countries": None, "media": None, "sources": None, "only_replacements": None}, 3),
        ({"only_replacements": False}, 3),
    ],
)
async def test_a_run_takes_only_the_chosen_copies(
    acme: Cast, choices: dict[str, Any], copies: int
) -> None:
    issue = await three_subscribers(acme)
    run = await make_dispatch(acme, issue["id"], **choices)
    assert run["copies"] == run["held"] == copies
    assert run["countries"] == list(
        dict.fromkeys(code.strip().upper() for code in choices.get("countries") or ())
    )
    assert run["media"] == (choices.get("media") or [])
    if copies < 3:
        assert (await make_dispatch(acme, issue["id"]))["copies"] == 3 - copies


async def test_a_run_takes_only_copies_from_the_chosen_sources(acme: Cast) -> None:
    issue = await three_subscribers(acme)
    await make_subscription(acme, source=acme.imported)
    run = await make_dispatch(acme, issue["id"], sources=[f" {acme.imported} ", acme.checkout])
    assert (run["copies"], run["sources"]) == (1, [acme.imported, acme.checkout])


async def test_a_run_has_the_replacements_of_claimed_copies(acme: Cast) -> None:
    issue = await make_issue(acme)
    subscriber = await make_subscription(acme)
    first = await make_dispatch(acme, issue["id"])
    await acme.post(f"{PATH}{first['id']}/mark-sent/", {"date": "2026-05-03"})
    (copy,) = await copies_of(acme, subscriber["id"])
    claim = await claim_copy(acme, copy["id"])
    await make_subscription(acme)
    run = await make_dispatch(acme, issue["id"], only_replacements=True)
    assert (run["copies"], run["replacements"], run["lines"]) == (0, 1, 1)
    assert run["only_replacements"] is True
    (line,) = await walk(acme, f"{PATH}{run['id']}/lines/")
    assert (line["kind"], line["claim_id"], line["copy_id"]) == ("replacement", claim, copy["id"])
    assert await copies_of(acme, subscriber["id"]) == [copy]
    assert copy["date_sent"] == "2026-05-03"


# --- nothing to send ------------------------------------------------------------------------------


async def test_a_repeated_request_finds_nothing_left_to_send(acme: Cast) -> None:
    issue = await three_subscribers(acme)
    run = await make_dispatch(acme, issue["id"])
    message = refused(await acme.post(PATH, {"issue": issue["id"]}), "nothing_to_send")
    assert "issue 1" in message
    assert "prepared" in message
    (only,) = await walk(acme, PATH)
    assert only["id"] == run["id"]


async def test_an_issue_without_copies_cannot_be_frozen(acme: Cast) -> None:
    issue = await make_issue(acme)
    message = refused(await acme.post(PATH, {"issue": issue["id"]}), "nothing_to_send")
    assert "no copies" in message
    assert await walk(acme, PATH) == []


async def test_choices_that_match_nothing_say_so(acme: Cast) -> None:
    issue = await three_subscribers(acme)
    body = {"issue": issue["id"], "countries": ["US"]}
    message = refused(await acme.post(PATH, body), "nothing_to_send")
    assert "3 copies are not selected by the filters" in message


async def test_a_copy_whose_address_is_on_hold_waits(acme: Cast) -> None:
    issue = await make_issue(acme)
    subscriber = await make_subscription(acme)
    (copy,) = await copies_of(acme, subscriber["id"])
    await hold_address(acme, copy)
    message = refused(await acme.post(PATH, {"issue": issue["id"]}), "nothing_to_send")
    assert "undeliverable" in message


async def test_a_sent_and_a_cancelled_copy_are_not_taken(acme: Cast) -> None:
    issue = await make_issue(acme)
    sent, gone = await make_subscription(acme), await make_subscription(acme)
    (copy,) = await copies_of(acme, sent["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]]})
    await acme.post(f"/v1/subscriptions/{gone['id']}/cancel/", {"mode": "cancel"})
    message = refused(await acme.post(PATH, {"issue": issue["id"]}), "nothing_to_send")
    assert "sent or cancelled" in message


async def test_two_requests_at_once_take_each_copy_once(acme: Cast) -> None:
    issue = await three_subscribers(acme)
    responses = await asyncio.gather(*(acme.post(PATH, {"issue": issue["id"]}) for _ in range(4)))
    assert sorted(response.status_code for response in responses) == [201, 400, 400, 400]
    (run,) = await walk(acme, PATH)
    assert run["copies"] == 3


# --- refusals -------------------------------------------------------------------------------------


@for_each(
    "field, value, said",
    [
        ("issue", None, "`issue`"),
        ("issue", "", "`issue` is empty"),
        ("issue", 1, "`issue` is 1"),
        ("countries", [], "`countries` has 0 elements; expected a list of 1 to 300 texts"),
        ("countries", "DE", '`countries` is "DE"'),
        ("countries", ["DE", "UK"], "`countries[1]` is `UK`"),
        ("countries", [""], "`countries[0]` is ``"),
        ("countries", ["DE", None], "`countries[1]` is null"),
        ("countries", [1], "`countries[0]` is 1"),
        ("countries", ["DE"] * 301, "`countries` has 301 elements"),
        ("media", [], "`media` has 0 elements"),
        ("media", ["Print", "print"], '`media[1]` is "print"; expected one of `Print`'),
        ("media", "Print", '`media` is "Print"'),
        ("sources", [], "`sources` has 0 elements"),
        ("sources", [" "], "`sources[0]` is empty"),
        ("sources", ["x" * 256], "`sources[0]`"),
        ("sources", [["x"]], "`sources[0]` is"),
        ("only_replacements", "true", "`only_replacements`"),
        ("only_replacements", 1, "`only_replacements` is 1"),
    ],
)
async def test_an_invalid_value_is_refused_with_its_place(
    acme: Cast, issue: dict[str, Any], field: str, value: object, said: str
) -> None:
    body = {"issue": issue["id"], field: value}
    message = refused(await acme.post(PATH, body), "validation_error")
    assert said in message
    assert await walk(acme, PATH) == []


async def test_an_empty_list_of_choices_says_how_to_choose_all(acme: Cast) -> None:
    message = refused(await acme.post(PATH, {"issue": "1", "countries": []}), "validation_error")
    assert message.endswith("Leave the field out to choose all.")


async def test_the_message_for_a_medium_names_all_media(acme: Cast) -> None:
    message = refused(await acme.post(PATH, {"issue": "1", "media": ["x"]}), "validation_error")
    assert "`Print`, `Digital`, `Print + digital`" in message


@for_each("field", ["country", "date", "status", "medium"])
async def test_an_unknown_field_is_refused(acme: Cast, issue: dict[str, Any], field: str) -> None:
    refused(await acme.post(PATH, {"issue": issue["id"], field: "DE"}), "unknown_field")
    assert await walk(acme, PATH) == []


async def test_an_unknown_and_a_foreign_issue_are_refused(acme: Cast, rival: Cast) -> None:
    foreign = await three_subscribers(rival)
    for id in (foreign["id"], foreign["id"].lower(), "1"):
        message = refused(await acme.post(PATH, {"issue": id}), "unknown_issue")
        assert f"There is no issue `{id}` in this account" in message
    assert await walk(rival, PATH) == []


async def test_an_unknown_and_a_foreign_source_are_refused(acme: Cast, rival: Cast) -> None:
    issue = await three_subscribers(acme)
    for id in (rival.shop, "1"):
        body = {"issue": issue["id"], "sources": [acme.shop, id]}
        message = refused(await acme.post(PATH, body), "invalid_source")
        assert f"There is no source `{id}` in this account" in message
    assert await walk(acme, PATH) == []
