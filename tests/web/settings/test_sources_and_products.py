"""The pages of sources and products."""

import re
from typing import Any

import pytest

from masthead.model.ids import new_id
from masthead.model.types.enums import SourceType
from masthead.services import sources
from masthead.store import products as store
from masthead.store.products import AccountProduct
from tests.conftest import BY, Cast
from tests.support.factories import make_issue, make_subscription, manual
from tests.web.conftest import Person, fields_of
from tests.web.nasty import NASTY, is_harmless
from tests.web.orders.conftest import TYPED


async def sources_of(cast: Cast) -> dict[str, dict[str, Any]]:
    """The sources of an account as the API lists them, by name."""
    items = (await cast.get("/v1/sources/", limit=200)).json()["items"]
    return {each["name"]: each for each in items}


async def products_of(cast: Cast) -> list[AccountProduct]:
    """The products of an account, oldest first."""
    async with cast.db.read() as connection:
        return await store.list_products(connection, cast.account_id)


async def actions_of(cast: Cast, id: str) -> list[tuple[str, str]]:
    """The actions on a record, with the kinds of actors."""
    async with cast.db.read() as connection:
        rows = await connection.fetch_all(
            "SELECT action, actor_kind FROM audit WHERE account_id = :a AND subject_id = :id"
            " ORDER BY id",
            {"a": cast.account_id, "id": id},
        )
    return [(row["action"], row["actor_kind"]) for row in rows]


# --- Sources --------------------------------------------------------------------------------------


async def test_a_new_source_accepts_orders(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    answer = await owner.send(owner.address("settings", "sources", "new"), {"name": " Kiosk "})
    assert answer.status_code == 303
    page = await owner.http.get(answer.headers["Location"])
    assert "Kiosk is added." in page.text
    made = (await sources_of(acme))["Kiosk"]
    assert (made["type"], made["is_active"]) == ("shop", True)
    assert (await make_subscription(acme, source=made["id"]))["source"]["name"] == "Kiosk"


async def test_a_source_form_that_is_sent_twice_creates_one_source(
    owner: Person, acme: Cast
) -> None:
    address = owner.address("settings", "sources", "new")
    await owner.send(address, {"name": "Kiosk", "type": "import"})
    before = await sources_of(acme)
    assert (await owner.post(address, owner.sent)).status_code == 303
    assert await sources_of(acme) == before
    assert before["Kiosk"]["type"] == "import"


@pytest.mark.parametrize(
    "typed, says",
    [
        ({"name": ""}, "Give the source a name"),
        ({"name": "x" * 256}, "at most 255"),
        ({"name": "Kiosk", "type": "checkout"}, "Not a valid choice"),
    ],
)
async def test_an_invalid_source_keeps_the_input(
    owner: Person, acme: Cast, typed: dict[str, str], says: str
) -> None:
    before = await sources_of(acme)
    answer = await owner.send(owner.address("settings", "sources", "new"), typed)
    assert answer.status_code == 400
    assert says in answer.text
    assert 'aria-invalid="true"' in answer.text
    assert fields_of(answer.text)["name"] == typed["name"]
    assert await sources_of(acme) == before


async def test_a_source_is_renamed_deactivated_and_activated(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    await owner.send(owner.address("settings", "sources", acme.shop, "edit"), {"name": "Kiosk"})
    shown = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert shown["source"]["name"] == "Kiosk"
    for _ in range(2):
        await owner.post(owner.address("settings", "sources", acme.shop, "deactivate"))
    refused = await acme.post("/v1/subscriptions/", manual(acme))
    assert refused.json()["code"] == "invalid_source"
    assert "Inactive" in await owner.text("settings", "sources")
    await owner.post(owner.address("settings", "sources", acme.shop, "activate"))
    assert (await acme.post("/v1/subscriptions/", manual(acme))).status_code == 201
    assert await actions_of(acme, acme.shop) == [
        ("source.create", "command"),
        ("source.rename", "user"),
        ("source.deactivate", "user"),
        ("source.activate", "user"),
    ]


@pytest.mark.parametrize("name", NASTY)
async def test_names_of_sources_and_products_are_escaped(owner: Person, name: str) -> None:
    for part in ("sources", "products"):
        address = owner.address("settings", part, "new")
        typed = {"name": name, "benefits": name} if part == "products" else {"name": name}
        answer = await owner.send(address, typed)
        assert answer.status_code == 303
        page = await owner.text("settings", part)
        assert is_harmless(page, name)
        assert is_harmless((await owner.http.get(answer.headers["Location"])).text, name)
        [*_, id] = sorted(re.findall(rf"/settings/{part}/(\w{{31}})/edit/", page))
        assert is_harmless(await owner.text("settings", part, id, "edit"), name)


async def test_records_of_other_accounts_and_unknown_ids_are_not_found(
    owner: Person, acme: Cast, rival: Cast
) -> None:
    (foreign,) = await products_of(rival)
    for part, known in (("sources", rival.shop), ("products", foreign.id)):
        for id in (known, new_id(acme.account_id), "NOSUCH"):
            edit = owner.address("settings", part, id, "edit")
            assert (await owner.http.get(edit)).status_code == 404
            assert (await owner.post(edit, {"name": "Mine"})).status_code == 404
            for verb in ("activate", "deactivate"):
                answer = await owner.post(owner.address("settings", part, id, verb))
                assert answer.status_code == 404
    assert await products_of(rival) == [foreign]
    assert (await sources_of(rival))["Shop"]["is_active"]


async def test_many_sources_are_paginated(owner: Person, acme: Cast) -> None:
    for number in range(50):
        name = f"Source {number:02}"
        await sources.create_source(
            acme.db, acme.account_id, name=name, type=SourceType.SHOP, by=BY
        )
    first = await owner.text("settings", "sources")
    found = re.search(r'href="([^"]+)" rel="next"', first)
    assert found
    second = (await owner.http.get(found[1].replace("&amp;", "&"))).text
    assert "Source 49" in first
    assert "Old shop" not in first
    assert "Old shop" in second
    assert "First page" in second
    assert (await owner.see("settings", "sources", cursor="x")).status_code == 400


async def test_an_account_without_sources_says_what_to_do(owner: Person, acme: Cast) -> None:
    async def work(tx: Any) -> None:
        await tx.execute("DELETE FROM source WHERE account_id = :a", {"a": acme.account_id})

    await acme.db.write(work)
    page = await owner.text("settings", "sources")
    assert "There are no sources yet" in page
    assert page.count('role="button"') == 1


# --- Products -------------------------------------------------------------------------------------


async def test_a_product_is_created_with_one_benefit_on_each_line(
    owner: Person, acme: Cast
) -> None:
    address = owner.address("settings", "products", "new")
    typed = {"name": "Premium", "benefits": "Tote bag\r\n\r\n Archive \r\n"}
    for _ in range(2):
        answer = await (
            owner.send(address, typed) if not owner.sent else owner.post(address, owner.sent)
        )
        assert answer.status_code == 303
    _, made = await products_of(acme)
    assert (made.name, made.benefits) == ("Premium", ["Tote bag", "Archive"])
    assert await actions_of(acme, made.id) == [("product.create", "user")]


async def test_a_product_is_changed_and_its_subscriptions_show_it(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    (first,) = await products_of(acme)
    page = await owner.text("settings", "products", first.id, "edit")
    assert "benefits" not in fields_of(page)
    await owner.send(owner.address("settings", "products", first.id, "edit"), {"name": "Yearly"})
    shown = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert shown["product"] == {"id": first.id, "name": "Yearly", "benefits": []}


async def test_the_first_product_stays_active_and_without_benefits(
    owner: Person, acme: Cast
) -> None:
    (first,) = await products_of(acme)
    assert "deactivate/" not in await owner.text("settings", "products")
    address = owner.address("settings", "products", first.id)
    refused = await owner.post(f"{address}deactivate/")
    assert refused.status_code == 400
    assert "cannot be deactivated" in refused.text
    refused = await owner.send(f"{address}edit/", {"name": "Yearly", "benefits": "Archive"})
    assert refused.status_code == 400
    assert "of imported subscriptions" in refused.text
    assert fields_of(refused.text)["benefits"] == "Archive"
    assert await products_of(acme) == [first]


async def test_a_product_is_deactivated_and_activated(owner: Person, acme: Cast) -> None:
    await owner.send(owner.address("settings", "products", "new"), {"name": "Premium"})
    _, made = await products_of(acme)
    address = owner.address("settings", "products", made.id)
    assert (await owner.post(f"{address}deactivate/")).status_code == 303
    assert not (await products_of(acme))[1].is_active
    assert (await owner.post(f"{address}activate/")).status_code == 303
    assert (await products_of(acme))[1].is_active


@pytest.mark.parametrize(
    "typed, says",
    [
        ({"name": " "}, "Give the product a name"),
        ({"name": "Premium", "benefits": "x\n" * 51}, "51 lines; at most 50"),
    ],
)
async def test_an_invalid_product_keeps_the_input(
    owner: Person, acme: Cast, typed: dict[str, str], says: str
) -> None:
    answer = await owner.send(owner.address("settings", "products", "new"), typed)
    assert answer.status_code == 400
    assert says in answer.text
    assert fields_of(answer.text)["name"] == typed["name"].strip()
    assert len(await products_of(acme)) == 1


async def test_a_manual_subscription_has_the_chosen_product(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    address = owner.address("subscriptions", "new")
    assert "product" not in fields_of((await owner.http.get(address)).text)
    await owner.send(owner.address("settings", "products", "new"), {"name": "Premium"})
    first, made = await products_of(acme)
    page = (await owner.http.get(address)).text
    assert fields_of(page)["product"] == first.id
    typed = {**TYPED, "email": ""}
    answer = await owner.send(address, {**typed, "product": made.id})
    assert answer.status_code == 303
    (shown,) = (await acme.get("/v1/subscriptions/")).json()["items"]
    assert shown["product"]["name"] == "Premium"
    refused = await owner.send(address, {**typed, "first_name": "Eve", "product": "NOSUCH"})
    assert refused.status_code == 400
    assert "not an active product" in refused.text
    await owner.post(owner.address("settings", "products", made.id, "deactivate"))
    assert "product" not in fields_of((await owner.http.get(address)).text)
