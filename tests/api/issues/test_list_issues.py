"""GET /v1/issues/: highest number first, in pages."""

from tests.conftest import Cast, Client
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import make_issue, make_issues
from tests.support.walk import walk

PATH = "/v1/issues/"


async def test_an_account_without_issues_gets_an_empty_page(acme: Cast) -> None:
    response = await acme.get(PATH)
    assert response.status_code == 200
    assert response.json() == {"items": [], "has_more": False, "cursor": None}


async def test_issues_are_sorted_by_number_highest_first(acme: Cast) -> None:
    for number in (2, 10, 1, 9):
        await make_issue(acme, number=number)
    numbers = [issue["number"] for issue in (await acme.get(PATH)).json()["items"]]
    assert numbers == [10, 9, 2, 1]


async def test_items_have_the_same_shape_as_a_single_issue(acme: Cast) -> None:
    await make_issue(acme, number=1, release_date_actual="2026-01-01", newsstand_ean="4190")
    await make_issue(acme, number=2)
    for item in (await acme.get(PATH)).json()["items"]:
        assert item == (await acme.get(f"{PATH}{item['id']}/")).json()


async def test_paging_with_any_limit_returns_every_issue_once(acme: Cast) -> None:
    await make_issues(acme, 1, 5)
    walks = {limit: await walk(acme, PATH, limit=limit) for limit in (1, 2, 3, 200)}
    numbers = {limit: [issue["number"] for issue in issues] for limit, issues in walks.items()}
    assert numbers == {limit: [5, 4, 3, 2, 1] for limit in walks}


async def test_a_page_has_50_issues_by_default(acme: Cast) -> None:
    await make_issues(acme, 1, 51)
    page = (await acme.get(PATH)).json()
    assert len(page["items"]) == 50
    assert page["has_more"] is True
    rest = (await acme.get(PATH, cursor=page["cursor"])).json()
    assert [issue["number"] for issue in rest["items"]] == [1]
    assert rest["has_more"] is False
    assert rest["cursor"] is None


async def test_a_list_of_exactly_one_page_has_no_next_page(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    page = (await acme.get(PATH, limit=2)).json()
    assert page["has_more"] is False
    assert page["cursor"] is None


async def test_a_new_issue_does_not_shift_the_following_pages(acme: Cast) -> None:
    await make_issues(acme, 1, 4)
    page = (await acme.get(PATH, limit=2)).json()
    await make_issue(acme, number=9)
    rest = (await acme.get(PATH, limit=2, cursor=page["cursor"])).json()
    assert [issue["number"] for issue in page["items"] + rest["items"]] == [4, 3, 2, 1]


async def test_issues_of_another_account_are_not_listed(acme: Cast, rival: Cast) -> None:
    await make_issue(rival, number=1)
    assert (await acme.get(PATH)).json()["items"] == []


@for_each("name", ["search", "number", "status", "offset"])
async def test_the_error_for_an_unknown_parameter_names_it(acme: Cast, name: str) -> None:
    assert name in refused(await acme.get(PATH, **{name: "1"}), "unknown_parameter")


async def test_a_read_only_key_can_list_issues(client: Client, acme: Cast) -> None:
    await make_issue(acme)
    response = await client.get(PATH, key=acme.read_only_key)
    assert len(response.json()["items"]) == 1
