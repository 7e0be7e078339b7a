"""GET /v1/dispatches/{id}/lines/: who is in a run, at which frozen address."""

from typing import Any

from masthead.model.dispatch.copy_keys import line_of_key
from masthead.model.types.enums import Salutation
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import copies_of, make_dispatch, make_issue, make_subscription
from tests.support.subscribers import correct
from tests.support.walk import walk

SUBSCRIBER = {
    "first_name": "Ada",
    "last_name": "Lovelace",
    "company": "Analytical Engines",
    "address1": "12 St James's Square",
    "address2": "Flat 3",
    "city": "London",
    "postcode": "SW1Y 4JH",
    "country": "GB",
}


async def lines_of(cast: Cast, run: dict[str, Any], **filters: Any) -> list[dict[str, Any]]:
    return await walk(cast, f"/v1/dispatches/{run['id']}/lines/", **filters)


async def test_a_line_has_the_subscriber_the_address_and_the_key(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, **SUBSCRIBER)
    (copy,) = await copies_of(acme, made["id"])
    run = await make_dispatch(acme, issue["id"])
    (line,) = await lines_of(acme, run)
    assert line_of_key(acme.account_id, line["key"]) == line["id"]
    assert len(line["key"]) == 9
    lines = line.pop("address_lines")
    assert lines[0] == "Ada Lovelace"
    assert {"Analytical Engines", "12 St James's Square", "Flat 3"} <= set(lines)
    assert any("SW1Y 4JH" in each for each in lines)
    assert line == {
        **SUBSCRIBER,
        "id": line["id"],
        "sequence": 1,
        "key": line["key"],
        "salutation": None,
        "title": None,
        "kind": "copy",
        "copy_id": copy["id"],
        "claim_id": None,
        "subscription_id": made["id"],
        "subscriber_id": made["subscriber"]["id"],
        "name": "Ada Lovelace",
        "state": None,
        "country_name": "United Kingdom",
        "medium": "Print",
        "status": "held",
        "left_reason": None,
        "left_at": None,
        "shipped_date": None,
    }


async def test_the_address_is_laid_out_as_its_country_writes_it(acme: Cast) -> None:
    issue = await make_issue(acme)
    for country, city, postcode in (("DE", "Berlin", "10117"), ("US", "Boston", "02108")):
        await make_subscription(acme, country=country, city=city, postcode=postcode, state="MA")
    run = await make_dispatch(acme, issue["id"])
    german, american = [each["address_lines"] for each in await lines_of(acme, run)]
    assert any(each.startswith("10117 Berlin") for each in german)
    assert any(each.upper().startswith("BOSTON, MA 02108") for each in american)


async def test_the_name_is_the_company_if_there_is_no_other(acme: Cast) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme, first_name=None, company="Acme Ltd")
    run = await make_dispatch(acme, issue["id"])
    (line,) = await lines_of(acme, run)
    assert line["name"] == "Acme Ltd"
    assert line["address_lines"].count("Acme Ltd") == 1


async def test_lines_are_numbered_by_country_postcode_and_name(acme: Cast) -> None:
    issue = await make_issue(acme)
    for country, postcode, name in (
        ("FR", "75001", "A"),
        ("DE", "20095", "B"),
        ("DE", "10117", "D"),
        ("DE", "10117", "C"),
    ):
        await make_subscription(acme, country=country, postcode=postcode, last_name=name)
    run = await make_dispatch(acme, issue["id"])
    lines = await lines_of(acme, run)
    assert [line["last_name"] for line in lines] == ["C", "D", "B", "A"]
    assert [line["sequence"] for line in lines] == [1, 2, 3, 4]
    assert len({line["key"] for line in lines}) == 4
    late = await make_subscription(acme)
    (line,) = await lines_of(acme, await make_dispatch(acme, issue["id"]))
    assert (line["subscription_id"], line["sequence"]) == (late["id"], 1)
    assert line["key"] not in {each["key"] for each in lines}


async def test_a_changed_address_does_not_change_the_line(acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, **SUBSCRIBER)
    run = await make_dispatch(acme, issue["id"])
    before = await lines_of(acme, run)
    await acme.patch(f"/v1/subscriptions/{made['id']}/", {"city": "Paris", "country": "FR"})
    assert await lines_of(acme, run) == before
    assert (await acme.get(f"/v1/dispatches/{run['id']}/")).json() == run


async def test_lines_can_be_filtered(acme: Cast) -> None:
    issue = await make_issue(acme)
    for country, medium in (("DE", "Print"), ("DE", "Digital"), ("FR", "Print")):
        await make_subscription(acme, country=country, medium=medium)
    run = await make_dispatch(acme, issue["id"])

    async def count(**filters: str) -> int:
        return len(await lines_of(acme, run, **filters))

    assert await count() == 3
    assert await count(country="de") == 2
    assert await count(country="US") == 0
    assert await count(medium="Print") == 2
    assert await count(country="DE", medium="Print") == 1
    assert await count(status="held") == 3
    assert await count(status="sent") == 0
    await acme.post(f"/v1/dispatches/{run['id']}/mark-sent/")
    assert await count(status="sent", country="FR") == 1


@for_each(
    "filters, code",
    [
        ({"medium": "print"}, "validation_error"),
        ({"status": "Sent"}, "validation_error"),
        ({"country": ""}, "validation_error"),
        ({"subscriber": "1"}, "unknown_parameter"),
    ],
)
async def test_a_wrong_filter_is_refused(acme: Cast, filters: dict[str, str], code: str) -> None:
    refused(await acme.get(f"/v1/dispatches/{'0' * 31}/lines/", **filters), code)


async def test_a_line_keeps_the_salutation_and_the_title_of_the_subscriber(acme: Cast) -> None:
    issue = await make_issue(acme)
    own = {"first_name": "Ada", "last_name": "Byron", "email": "ada@example.test", "country": "DE"}
    made = await make_subscription(acme, **own)
    await make_subscription(acme, **own | {"first_name": "Tom"})
    await correct(acme, made["subscriber"]["id"], salutation=Salutation.MS, title="Dr.")
    planned = (await acme.get(f"/v1/issues/{issue['id']}/addresses/")).json()["items"]
    lines = await lines_of(acme, await make_dispatch(acme, issue["id"]))
    await correct(acme, made["subscriber"]["id"], title=None)
    for found in (planned, lines):
        shown = {each["first_name"]: each for each in found}
        assert (shown["Ada"]["salutation"], shown["Ada"]["title"]) == ("ms", "Dr.")
        assert shown["Ada"]["address_lines"][0] == "Dr. Ada Byron"
        assert (shown["Tom"]["salutation"], shown["Tom"]["title"]) == (None, None)
