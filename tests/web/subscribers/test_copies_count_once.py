"""Several copies for one address count as one subscription, on pages and in files, as on Home."""

import pytest

from tests.conftest import Cast
from tests.support.billing import HOME, bill, turn_on_billing
from tests.support.factories import make_subscription
from tests.support.subscribers import found_by
from tests.web.conftest import Person
from tests.web.downloads.test_list_downloads import download
from tests.web.subscribers.test_pages import words

PIA = {"email": "pia@acme.test", "first_name": "Pia", "last_name": "Lang"}
ANNA = {"email": "anna@acme.test", "first_name": "Anna", "last_name": "Lund", "copies": 3}


@pytest.fixture
async def payer(acme: Cast) -> str:
    """Pia has a subscription of her own, and pays for three copies of Anna's."""
    await turn_on_billing(acme)
    made = await make_subscription(acme, **PIA, **HOME)
    id: str = made["subscriber"]["id"]
    await bill(acme, start_issue=1, length=2, payer_id=id, **ANNA)
    return id


async def test_lists_and_searches_count_a_group_once(acme: Cast, staff: Person, payer: str) -> None:
    for page in (
        words(await staff.text("subscribers")),
        words(await staff.text("subscribers", search="l")),
    ):
        assert "1, active; pays for 1" in page
        assert "3, active" not in page
    suggested = " ".join((await staff.text("subscribers", "suggestions", search="lu")).split())
    assert "1 subscription, active" in suggested
    suggested = " ".join((await staff.text("subscribers", "suggestions", search="la")).split())
    assert "1 subscription, active; pays for 1 subscription" in suggested


async def test_pages_of_subscribers_count_a_group_once(
    acme: Cast, staff: Person, payer: str
) -> None:
    [anna] = await found_by(acme, "anna@acme.test")
    assert "Subscriptions 1, active" in words(await staff.text("subscribers", anna))
    page = words(await staff.text("subscribers", payer))
    assert "Pays for 1 subscription of others: Anna Lund" in page
    assert "Subscriptions 1, active; pays for 1" in page


async def test_a_copy_for_another_address_counts_by_itself(
    acme: Cast, staff: Person, payer: str
) -> None:
    *_rest, oldest = (await acme.get("/v1/subscriptions/", search="anna")).json()["items"]
    await acme.patch(f"/v1/subscriptions/{oldest['id']}/", {"city": "Kiel"})
    page = words(await staff.text("subscribers"))
    assert "2, active" in page
    assert "1, active; pays for 2" in page


async def test_files_count_a_group_once(acme: Cast, staff: Person, payer: str) -> None:
    rows = await download(staff, "downloads", "subscribers", "csv")
    counts = {row["full_name"]: (row["subscriptions"], row["pays_for"]) for row in rows}
    assert counts == {"Pia Lang": ("1", "1"), "Anna Lund": ("1", "0")}


async def test_the_api_counts_each_copy(acme: Cast, payer: str) -> None:
    [anna] = await found_by(acme, "anna@acme.test")
    shown = (await acme.get(f"/v1/subscribers/{anna}/")).json()
    assert shown["subscription_count"] == 3
