"""POST /v1/subscriptions/: the subscriber of the new subscription, and the welcome email."""

import pytest

from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import ABSENT, make_issue, make_subscription, manual

PATH = "/v1/subscriptions/"


async def test_an_unknown_email_creates_a_subscriber(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(
        acme, email="ada@example.test", first_name="Ada", last_name="Lovelace"
    )
    assert created["subscriber"] == {
        "id": created["subscriber"]["id"],
        "full_name": "Ada Lovelace",
        "email": "ada@example.test",
    }
    found = await acme.get(f"/v1/subscribers/{created['subscriber']['id']}/")
    assert found.json()["email"] == "ada@example.test"


async def test_a_known_email_adds_the_subscription_to_its_subscriber(acme: Cast) -> None:
    await make_issue(acme)
    first = await make_subscription(acme, email="ada@example.test")
    second = await make_subscription(acme, email="ada@example.test")
    assert second["subscriber"] == first["subscriber"]
    subscriber = (await acme.get(f"/v1/subscribers/{first['subscriber']['id']}/")).json()
    assert subscriber["subscription_count"] == 2


@pytest.mark.parametrize(
    "first, second",
    [
        ("ada@example.test", "ADA@Example.TEST"),
        ("Ada@example.test", "  ada@example.test "),
        ("josé@example.test", "jose\u0301@example.test"),
        ("strasse@example.test", "Straße@example.test"),
        ("ΣΊΣΥΦΟΣ@example.test", "σίσυφος@example.test"),
    ],
)
async def test_emails_match_regardless_of_case_spaces_and_unicode_form(
    acme: Cast, first: str, second: str
) -> None:
    await make_issue(acme)
    one = await make_subscription(acme, email=first)
    other = await make_subscription(acme, email=second)
    assert other["subscriber"]["id"] == one["subscriber"]["id"]


@pytest.mark.parametrize(
    "other", ["a.da@example.test", "ada+news@example.test", "ada@mail.example.test"]
)
async def test_emails_with_different_dots_or_plus_tags_do_not_match(acme: Cast, other: str) -> None:
    await make_issue(acme)
    one = await make_subscription(acme, email="ada@example.test")
    two = await make_subscription(acme, email=other)
    assert two["subscriber"]["id"] != one["subscriber"]["id"]


async def test_emails_do_not_match_across_accounts(acme: Cast, rival: Cast) -> None:
    for cast in (acme, rival):
        await make_issue(cast)
    ours = await make_subscription(acme, email="ada@example.test")
    theirs = await make_subscription(rival, email="ada@example.test")
    assert ours["subscriber"]["id"] != theirs["subscriber"]["id"]


async def test_a_known_subscriber_keeps_their_names(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, email="ada@example.test", first_name="Ada", last_name="Byron")
    created = await make_subscription(
        acme, email="ada@example.test", first_name="Augusta", last_name="King"
    )
    assert created["first_name"] == "Augusta"
    assert created["last_name"] == "King"
    assert created["subscriber"]["full_name"] == "Ada Byron"


async def test_each_order_without_an_email_gets_its_own_placeholder(acme: Cast) -> None:
    await make_issue(acme)
    one = (await make_subscription(acme, email=ABSENT))["subscriber"]
    two = (await make_subscription(acme, email=ABSENT))["subscriber"]
    assert one["id"] != two["id"]
    assert one["email"] != two["email"]
    for subscriber in (one, two):
        assert subscriber["email"].endswith("@placeholder.example")


@for_each("email", ["x@placeholder.example", "X@Placeholder.EXAMPLE", "x@ｐlaceholder.example"])
async def test_a_placeholder_address_is_refused(shared: Cast, email: str) -> None:
    message = refused(await shared.post(PATH, manual(shared, email=email)), "validation_error")
    assert "email" in message


@for_each(
    "email",
    [
        "ada",
        "ada@",
        "@example.test",
        "ada@@example.test",
        "ada lovelace@example.test",
        "ada@example..test",
        "Ada <ada@example.test>",
        "ada@example.test,bob@example.test",
        "ada@exam\nple.test",
        f"{'a' * 250}@example.test",
        7,
    ],
)
async def test_an_invalid_email_is_refused(shared: Cast, email: object) -> None:
    message = refused(await shared.post(PATH, manual(shared, email=email)), "validation_error")
    assert "email" in message


async def test_an_email_is_checked_by_syntax_only(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, email="o'hara+x@no-such-host.test")
    assert created["subscriber"]["email"] == "o'hara+x@no-such-host.test"


async def letters_of(cast: Cast) -> list[str]:
    """The recipients of the emails in the outbox of the account."""
    async with cast.db.read() as connection:
        rows = await connection.fetch_all(
            "SELECT recipient FROM outbox WHERE account_id = :account_id ORDER BY id",
            {"account_id": cast.account_id},
        )
    return [row["recipient"] for row in rows]


async def test_a_welcome_email_is_queued_if_requested(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, email="ada@example.test", send_welcome_email=True)
    assert await letters_of(acme) == ["ada@example.test"]


@pytest.mark.parametrize("flag", [False, None, ABSENT])
async def test_no_email_is_queued_by_default(acme: Cast, flag: object) -> None:
    await make_issue(acme)
    await make_subscription(acme, email="ada@example.test", send_welcome_email=flag)
    assert await letters_of(acme) == []


async def test_a_known_subscriber_gets_the_welcome_email_at_the_stored_address(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, email="ada@example.test")
    await make_subscription(acme, email="ADA@example.test", send_welcome_email=True)
    assert await letters_of(acme) == ["ada@example.test"]


async def test_no_email_is_queued_for_a_placeholder_address(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, email=ABSENT, send_welcome_email=True)
    assert await letters_of(acme) == []


async def test_a_refused_subscription_queues_no_email(acme: Cast) -> None:
    await make_issue(acme)
    holder = await make_subscription(acme, order_id="1001")
    body = manual(acme, order_id="1001", email="ada@example.test", send_welcome_email=True)
    refused(await acme.post(PATH, body), "duplicate_order_id", id=holder["id"])
    assert await letters_of(acme) == []
