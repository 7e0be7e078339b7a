"""GET /v1/dispatches/ and /v1/dispatches/{id}/."""

from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import copies_of, make_dispatch, make_issues, make_subscription
from tests.support.walk import walk

PATH = "/v1/dispatches/"
COUNTS = {"held", "sent", "left", "by_country", "by_medium"}


async def test_a_run_can_be_retrieved(acme: Cast) -> None:
    (issue,) = await make_issues(acme, 1, 1)
    await make_subscription(acme)
    run = await make_dispatch(acme, issue["id"])
    response = await acme.get(f"{PATH}{run['id']}/")
    assert response.status_code == 200
    assert response.json() == run


async def test_the_list_has_the_runs_without_the_counts_of_their_lines(acme: Cast) -> None:
    (issue,) = await make_issues(acme, 1, 1)
    await make_subscription(acme)
    run = await make_dispatch(acme, issue["id"])
    plain = {name: value for name, value in run.items() if name not in COUNTS}
    assert await walk(acme, PATH) == [plain]


async def test_the_list_can_be_filtered(acme: Cast, rival: Cast) -> None:
    first, second = await make_issues(acme, 1, 2)
    for country in ("DE", "FR"):
        await make_subscription(acme, country=country)
    gone = await make_dispatch(acme, first["id"])
    await acme.post(f"{PATH}{gone['id']}/discard/")
    marked = await make_dispatch(acme, first["id"], countries=["DE"])
    await acme.post(f"{PATH}{marked['id']}/mark-sent/")
    frozen = await make_dispatch(acme, first["id"])
    other = await make_dispatch(acme, second["id"])

    async def found(**filters: str) -> list[str]:
        return [run["id"] for run in await walk(acme, PATH, limit=1, **filters)]

    assert await found() == [other["id"], frozen["id"], marked["id"], gone["id"]]
    assert await found(issue=second["id"]) == [other["id"]]
    assert await found(status="frozen") == [other["id"], frozen["id"]]
    assert await found(issue=first["id"], status="frozen") == [frozen["id"]]
    assert await found(issue=first["id"], status="discarded") == [gone["id"]]
    assert await found(issue="NOSUCHID") == []
    assert await walk(rival, PATH, issue=first["id"]) == []


@for_each(
    "filters, code",
    [
        ({"status": "Frozen"}, "validation_error"),
        ({"status": ""}, "validation_error"),
        ({"issue": ""}, "validation_error"),
        ({"number": "1"}, "unknown_parameter"),
        ({"country": "DE"}, "unknown_parameter"),
    ],
)
async def test_a_wrong_filter_is_refused(acme: Cast, filters: dict[str, str], code: str) -> None:
    refused(await acme.get(PATH, **filters), code)


async def test_a_copy_that_is_marked_outside_the_run_leaves_it_visibly(acme: Cast) -> None:
    (issue,) = await make_issues(acme, 1, 1)
    subscriber = await make_subscription(acme)
    await make_subscription(acme, country="FR")
    run = await make_dispatch(acme, issue["id"])
    (copy,) = await copies_of(acme, subscriber["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]], "date": "2026-05-03"})
    now = (await acme.get(f"{PATH}{run['id']}/")).json()
    assert now == {**run, "held": 1, "left": 1}
    (line,) = await walk(acme, f"{PATH}{run['id']}/lines/", status="left")
    assert (line["copy_id"], line["left_reason"]) == (copy["id"], "marked")
    assert line["left_at"] is not None


async def test_a_cancelled_subscription_leaves_the_run(acme: Cast) -> None:
    (issue,) = await make_issues(acme, 1, 1)
    subscriber = await make_subscription(acme)
    await make_subscription(acme)
    run = await make_dispatch(acme, issue["id"])
    await acme.post(f"/v1/subscriptions/{subscriber['id']}/cancel/", {"mode": "cancel"})
    now = (await acme.get(f"{PATH}{run['id']}/")).json()
    assert (now["held"], now["left"], now["lines"], now["copies"]) == (1, 1, 2, 2)
    (line,) = await walk(acme, f"{PATH}{run['id']}/lines/", status="left")
    assert (line["subscription_id"], line["left_reason"]) == (subscriber["id"], "cancelled")
    marked = (await acme.post(f"{PATH}{run['id']}/mark-sent/")).json()
    assert (marked["sent"], marked["left"]) == (1, 1)
