"""GET /v1/issues/{id}/: one issue in full."""

from tests.conftest import Cast, Client
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import make_issue

PATH = "/v1/issues/"


async def test_an_issue_with_all_fields_is_shown_in_full(acme: Cast) -> None:
    created = await make_issue(
        acme,
        number=12,
        name="Winter",
        release_date_actual="2026-12-01",
        release_date_fuzzy="December 2026",
        date_as_start_issue="2026-11-15",
        recurring_charge_date="2026-11-20",
        newsstand_ean="4190000012345",
    )
    response = await acme.get(f"{PATH}{created['id']}/")
    assert response.status_code == 200
    assert response.json() == {
        "id": created["id"],
        "number": 12,
        "name": "Winter",
        "release_date_actual": "2026-12-01",
        "release_date_fuzzy": "December 2026",
        "date_as_start_issue": "2026-11-15",
        "recurring_charge_date": "2026-11-20",
        "newsstand_ean": "4190000012345",
    }


async def test_omitted_fields_are_null(acme: Cast) -> None:
    response = await acme.post(PATH, {"number": 3})
    created = response.json()
    assert (await acme.get(f"{PATH}{created['id']}/")).json() == {
        "id": created["id"],
        "number": 3,
        "name": "Issue 3",
        "release_date_actual": None,
        "release_date_fuzzy": None,
        "date_as_start_issue": None,
        "recurring_charge_date": None,
        "newsstand_ean": None,
    }


async def test_the_id_is_a_string_and_the_number_an_integer(acme: Cast) -> None:
    created = await make_issue(acme)
    shown = (await acme.get(f"{PATH}{created['id']}/")).json()
    assert isinstance(shown["id"], str)
    assert shown["id"].isascii()
    assert shown["id"].isalnum()
    assert type(shown["number"]) is int


@for_each("unknown", ["NOSUCH", "1", "a-b", "é", "x" * 300])
async def test_an_unknown_id_is_not_found(shared: Cast, unknown: str) -> None:
    refused(await shared.get(f"{PATH}{unknown}/"), "not_found", status=404)


async def test_an_issue_of_another_account_is_not_found(acme: Cast, rival: Cast) -> None:
    theirs = (await make_issue(rival))["id"]
    answer = refused(await acme.get(f"{PATH}{theirs}/"), "not_found", status=404)
    unknown = refused(await acme.get(f"{PATH}NOSUCH/"), "not_found", status=404)
    assert answer.replace(theirs, "NOSUCH") == unknown


async def test_a_read_only_key_can_read_an_issue(client: Client, acme: Cast) -> None:
    created = await make_issue(acme)
    response = await client.get(f"{PATH}{created['id']}/", key=acme.read_only_key)
    assert response.json() == created


async def test_a_query_parameter_is_refused(acme: Cast) -> None:
    created = await make_issue(acme)
    response = await acme.get(f"{PATH}{created['id']}/", limit=1)
    assert "limit" in refused(response, "unknown_parameter")
