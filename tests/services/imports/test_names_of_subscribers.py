"""Subscribers of imports may have a last name or an email address alone, and can be changed."""

from tests.conftest import Cast
from tests.support.factories import import_row, make_issue
from tests.support.subscribers import correct

ONE = {"start_issue": "1", "length": "4"}


async def test_a_subscriber_with_a_last_name_alone_can_move_and_keeps_the_name(acme: Cast) -> None:
    await make_issue(acme)
    made = await import_row(acme, **ONE, first_name="", last_name="Bell", email="bell@example.test")
    assert (made["first_name"], made["last_name"]) == (None, "Bell")
    path = f"/v1/subscriptions/{made['id']}/"
    assert (await acme.patch(path, {"city": "Bonn"})).status_code == 200
    assert (await acme.patch(path, {"first_name": "Ada"})).status_code == 200
    refused = await acme.patch(path, {"first_name": ""})
    assert "`first_name` and `company` are both missing" in refused.text


async def test_correcting_a_subscriber_with_a_last_name_alone_asks_for_no_first_name(
    acme: Cast,
) -> None:
    await make_issue(acme)
    made = await import_row(acme, **ONE, first_name="", last_name="Bell", email="bell@example.test")
    result = await correct(
        acme, made["subscriber"]["id"], last_name="Belle", with_subscriptions=True
    )
    assert result.subscriptions == 1


async def test_a_digital_subscriber_needs_an_email_address_alone(acme: Cast) -> None:
    await make_issue(acme)
    made = await import_row(acme, **ONE, first_name="", email="x@example.test", medium="Digital")
    assert made["subscriber"]["full_name"] == "x@example.test"
