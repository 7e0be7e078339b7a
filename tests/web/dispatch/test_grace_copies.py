"""Grace copies on the pages: the setting, a mailing, the forecast, and a subscriber."""

from typing import Any

import pytest

from tests.conftest import Cast
from tests.support.factories import make_issue, make_subscription
from tests.web.conftest import Person
from tests.web.dispatch.test_runs import follow, freeze, text_of
from tests.web.reports.test_home import words


@pytest.fixture
async def ended(owner: Person, acme: Cast) -> tuple[dict[str, Any], dict[str, Any]]:
    """A subscription that issue 1 completed, and issue 2; one grace copy is set."""
    response = await owner.send(owner.address("settings", "account"), {"grace_copies": "1"})
    assert response.status_code == 303, response.text
    first, second = await make_issue(acme, 1), await make_issue(acme, 2)
    subscription = await make_subscription(acme, length=1)
    await follow(owner, await freeze(owner, first), "mark", {"date": "2026-05-03"})
    return subscription, second


async def test_a_mailing_shows_its_grace_copies_and_so_does_the_subscriber(
    owner: Person, ended: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    subscription, issue = ended
    page = await text_of(owner, owner.address("issues", issue["id"], "dispatch"))
    assert "Prepare mailing 1: 1 grace copy" in page
    run = await freeze(owner, issue)
    assert "1 grace copy" in await text_of(owner, run)
    ids = {"subscribers": subscription["subscriber"]["id"], "subscriptions": subscription["id"]}
    assert "Grace copy, in a mailing that is not marked" in await seen(owner, "subscribers", ids)
    assert "is a grace copy in mailing 1" in await seen(owner, "subscriptions", ids)
    await follow(owner, run, "mark", {"date": "2026-06-03"})
    assert "Grace copy, sent on 3 June 2026: the subscription ended with issue 1" in (
        await seen(owner, "subscribers", ids)
    )
    page = await seen(owner, "subscriptions", ids)
    assert "Issue 2 was sent as a grace copy on 3 June 2026 ( mailing 1 )." in page
    assert "Grace copy of issue 2 sent on 3 June 2026 (mailing 1)" in page


async def seen(person: Person, section: str, ids: dict[str, str]) -> str:
    return words(await person.text(section, ids[section]))


async def test_the_forecast_prints_grace_copies(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 1)
    await make_subscription(acme, length=1)
    assert "Grace copies" not in await owner.text("forecast")
    await owner.send(owner.address("settings", "account"), {"grace_copies": "2"})
    page = await owner.text("forecast")
    assert "Grace copies" in page
    assert "To print" in page
    text = (await owner.see("forecast", "csv")).text.removeprefix("\ufeff")
    heading, *rows = [line.split(",") for line in text.splitlines()]
    cells = [dict(zip(heading, row, strict=True)) for row in rows]
    assert [(row["copies"], row["grace_copies"], row["to_print"]) for row in cells[:4]] == [
        ("1", "0", "1"),
        ("0", "1", "1"),
        ("0", "1", "1"),
        ("0", "0", "0"),
    ]


@pytest.mark.parametrize("typed", ["3", "-1", "one"])
async def test_an_impossible_number_is_refused_at_its_field(owner: Person, typed: str) -> None:
    response = await owner.send(owner.address("settings", "account"), {"grace_copies": typed})
    assert response.status_code == 400
    assert f"Choose 0, 1 or 2 grace copies, not {typed}." in response.text
