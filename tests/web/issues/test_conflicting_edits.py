"""Two users who edit the same issue do not overwrite each other's changes."""

import pytest

from tests.conftest import Cast
from tests.web.conftest import Person, fields_of


async def test_a_change_by_another_user_is_kept(owner: Person, acme: Cast) -> None:
    made = (await acme.post("/v1/issues/", {"number": 7, "name": "Tide"})).json()
    address = owner.address("issues", made["id"], "edit")
    page = await owner.http.get(address)
    await acme.patch(f"/v1/issues/{made['id']}/", {"release_date_actual": "2026-06-10"})
    saved = await owner.post(address, {**fields_of(page.text), "name": "High tide"})
    assert saved.status_code == 303
    issue = (await acme.get(f"/v1/issues/{made['id']}/")).json()
    assert (issue["name"], issue["release_date_actual"]) == ("High tide", "2026-06-10")


async def test_a_conflicting_change_needs_confirmation(owner: Person, acme: Cast) -> None:
    made = (await acme.post("/v1/issues/", {"number": 7, "name": "Tide"})).json()
    address = owner.address("issues", made["id"], "edit")
    page = await owner.http.get(address)
    await acme.patch(f"/v1/issues/{made['id']}/", {"name": "Low tide"})
    refused = await owner.post(address, {**fields_of(page.text), "name": "High tide"})
    assert refused.status_code == 400
    assert "“Low tide”" in refused.text
    again = fields_of(refused.text)
    assert again["name"] == "High tide"
    assert (await owner.post(address, again)).status_code == 303
    assert (await acme.get(f"/v1/issues/{made['id']}/")).json()["name"] == "High tide"


@pytest.mark.parametrize("was", ["", "{}", '{"name": 1}', "[]", "x"])
async def test_a_form_without_its_original_values_is_refused(
    owner: Person, acme: Cast, was: str
) -> None:
    made = (await acme.post("/v1/issues/", {"number": 7, "name": "Tide"})).json()
    address = owner.address("issues", made["id"], "edit")
    refused = await owner.send(address, {"name": "High tide", "was": was})
    assert refused.status_code == 400
    assert "incomplete" in refused.text
