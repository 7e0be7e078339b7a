"""GET /v1/sources/: order, shape and access."""

import asyncio

from masthead.model.types.enums import SourceType
from masthead.services import sources
from tests.conftest import BY, Cast, Client
from tests.support.walk import walk

PATH = "/v1/sources/"


async def test_a_source_has_an_id_name_type_and_is_active(acme: Cast) -> None:
    listed = {source["id"]: source for source in await walk(acme, PATH)}
    assert listed == {
        acme.shop: {"id": acme.shop, "name": "Shop", "type": "shop", "is_active": True},
        acme.imported: {
            "id": acme.imported,
            "name": "Import",
            "type": "import",
            "is_active": True,
        },
        acme.checkout: {
            "id": acme.checkout,
            "name": "Checkout",
            "type": "checkout",
            "is_active": True,
        },
        acme.inactive_source: {
            "id": acme.inactive_source,
            "name": "Old shop",
            "type": "shop",
            "is_active": False,
        },
    }


async def test_newest_sources_come_first(acme: Cast) -> None:
    listed = [source["id"] for source in await walk(acme, PATH)]
    assert listed == sorted(listed, reverse=True)
    await asyncio.sleep(0.002)  # ids of one millisecond are in no order of creation
    new = await sources.create_source(
        acme.db, acme.account_id, name="Newest", type=SourceType.SHOP, by=BY
    )
    assert [source["id"] for source in await walk(acme, PATH)] == [new.id, *listed]


async def test_a_read_only_key_can_list_sources(client: Client, acme: Cast) -> None:
    response = await client.get(PATH, key=acme.read_only_key)
    assert response.status_code == 200
    assert len(response.json()["items"]) == 4


async def test_sources_of_other_accounts_are_not_listed(acme: Cast, rival: Cast) -> None:
    listed = {source["id"] for source in await walk(acme, PATH)}
    assert rival.shop not in listed
    assert listed.isdisjoint({source["id"] for source in await walk(rival, PATH)})


async def test_a_subscription_can_have_a_listed_shop_as_its_source(acme: Cast) -> None:
    shop = next(each for each in await walk(acme, PATH) if each["name"] == "Shop")
    await acme.post("/v1/issues/", {"number": 1})
    response = await acme.post(
        "/v1/subscriptions/",
        {
            "source": shop["id"],
            "start_issue": 1,
            "length": 1,
            "first_name": "Ada",
            "country": "DE",
            "order_id": "1001",
            "order_date": "2026-01-15",
            "price": "0",
        },
    )
    assert response.status_code == 201
    assert response.json()["source"] == {"id": shop["id"], "name": "Shop"}
