"""The days on which something happened: one rule for all inputs that have one."""

from collections.abc import Awaitable, Callable, Iterator
from datetime import date, timedelta

import pytest
from msgspec import Struct, structs

from masthead.model.clock import now
from masthead.model.errors import MastheadError
from masthead.model.imports.mapping import ImportMapping
from masthead.model.input_fields import fields_of
from masthead.model.inputs import Change, Creation
from masthead.model.types.plausible_days import order_day, sent_day
from masthead.services.dispatch import runs
from masthead.web.routes import PAGES
from tests.conftest import BY, Cast
from tests.support.factories import (
    copies_of,
    fresh_order_id,
    make_dispatch,
    make_issue,
    make_subscription,
    manual,
)
from tests.support.import_tables import FACTS, prepared
from tests.web.conftest import Person
from tests.web.orders.conftest import TYPED
from tests.web.subscribers.test_pages import words

PLANNED = {
    "period_start",
    "period_end",
    "release_date_actual",
    "date_as_start_issue",
    "recurring_charge_date",
    "first_day",
    "last_day",
}
# Checked later: each report of a request has its own result, and each row of a table its reasons;
# a sandbox has its own today
LATER = {
    ("DeliveryReportCreate", "date"),
    ("SubscriptionRow", "order_date"),
    ("SubscriptionRow", "cancelled_date"),
    ("SandboxMove", "to"),
}

ROW = {"order_id": "A1", "first_name": "Ada", "country": "DE", "order_date": "2026-01-15"}
ROW |= {"price": "42", "start_issue": "1", "length": "4"}
TODAY = now().date()
FINE = [(TODAY + timedelta(days=25)).isoformat(), TODAY.isoformat(), "2001-05-01"]
IMPLAUSIBLE = [(TODAY + timedelta(days=40)).isoformat(), "2062-01-01", "9999-12-31"]

SENT = {
    "row with sent copies",
    "copies",
    "copy",
    "run",
    "run by command",
    "report",
    "copy form",
    "run form",
}

Input = Callable[[str], Awaitable[str]]  # what an input says of a day


def inputs_of(
    cast: Cast, owner: Person, subscription: str, copy_id: int, run: str
) -> dict[str, Input]:
    """Each input that has the day of something that happened."""

    async def sent(path: str, body: dict[str, object]) -> str:
        return (await cast.post(path, body)).text

    async def typed(fields: dict[str, str], *path: str, opened: str | None = None) -> str:
        address = owner.address(*path)
        return words(await owner.send(address, fields, opened=opened))

    async def row(**cells: str) -> str:
        [read] = prepared(
            [{**ROW, **cells}], ImportMapping(), facts=structs.replace(FACTS, today=TODAY)
        )
        return " ".join(reason.text for reason in read.reasons)

    async def by_command(day: str) -> str:
        try:
            await runs.mark_dispatch(cast.db, cast.account_id, "X", date.fromisoformat(day), by=BY)
        except MastheadError as reason:
            return str(reason)
        raise AssertionError("there is no run X")

    renewal = {"source": cast.shop, "price": "1"}
    report = {"copy": copy_id, "kind": "undeliverable"}
    page = owner.address("dispatches", run)
    return {
        "order": lambda day: sent("/v1/subscriptions/", manual(cast, order_date=day)),
        "renewal": lambda day: sent(
            f"/v1/subscriptions/{subscription}/renewals/",
            {**renewal, "order_id": fresh_order_id(), "order_date": day},
        ),
        "copies": lambda day: sent("/v1/copies/mark-sent/", {"ids": [1], "date": day}),
        "copy": lambda day: sent("/v1/copies/1/mark-sent/", {"date": day}),
        "run": lambda day: sent("/v1/dispatches/X/mark-sent/", {"date": day}),
        "run by command": by_command,
        "report": lambda day: sent("/v1/delivery-reports/", {"reports": [{**report, "date": day}]}),
        "row": lambda day: row(order_date=day),
        "row with sent copies": lambda day: row(sent_issues="1", sent_dates=day),
        "cancelled row": lambda day: row(status="Cancelled", cancelled_date=day),
        "order form": lambda day: typed(
            {**TYPED, "order_id": fresh_order_id(), "order_date": day}, "subscriptions", "new"
        ),
        "renewal form": lambda day: typed(
            {"price": "1", "order_date": day}, "subscriptions", subscription, "renew"
        ),
        "copy form": lambda day: typed(
            {"copy": str(copy_id), "date": day},
            *("subscriptions", subscription, "sent"),
            opened=owner.address("subscriptions", subscription),
        ),
        "run form": lambda day: typed({"date": day}, "dispatches", run, "mark", opened=page),
    }


async def test_every_input_has_the_same_rule(owner: Person, acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme)
    (copy,) = await copies_of(acme, made["id"])
    run = await make_dispatch(acme, issue["id"])
    for name, say in inputs_of(acme, owner, made["id"], copy["id"], run["id"]).items():
        for day in IMPLAUSIBLE + ["1999-12-31"] * (name in SENT):
            assert "too far in the" in await say(day), (name, day)
        for day in FINE:
            assert "too far in the" not in await say(day), (name, day)


async def test_each_page_takes_the_first_and_the_last_day_of_a_calendar(
    acme: Cast, owner: Person
) -> None:
    asked = "from to day first last date since until before after start end month year".split()
    paths = [page.path for page in PAGES if "GET" in page.methods.split()]
    fixed = [path.replace("{subdomain}", acme.subdomain) for path in paths]
    for path in (path for path in fixed if "{" not in path):
        for day in ("0001-01-01", "9999-12-31"):
            response = await owner.http.get(path, params=dict.fromkeys(asked, day))
            assert response.status_code < 500, (path, day)


@pytest.mark.parametrize(
    "rule, first", [(order_day, date(1900, 1, 1)), (sent_day, date(2000, 1, 1))]
)
def test_the_first_and_the_last_day(rule: Callable[..., date], first: date) -> None:
    today = date(2026, 1, 15)
    for day in (first, today, date(2026, 2, 15)):
        assert rule("date", day, today=today) == day
    for day in (first - timedelta(days=1), date(2026, 2, 16)):
        with pytest.raises(MastheadError, match=f"`date` is {day}, too far in the"):
            rule("date", day, today=today)


def structs_of(kind: type[Struct]) -> Iterator[type[Struct]]:
    """The structs of all inputs."""
    for each in kind.__subclasses__():
        yield each
        yield from structs_of(each)


def test_each_date_of_an_input_is_planned_or_has_the_rule() -> None:
    for struct in (*structs_of(Creation), *structs_of(Change)):
        for field in fields_of(struct).values():
            if field.is_day and field.name not in PLANNED:
                is_later = (struct.__name__, field.name) in LATER
                assert is_later or field.rule in (order_day, sent_day), (struct, field.name)
