"""Random operations, compared with a reference model after each one.

`make fuzz` runs more of them.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from datetime import date, timedelta
from operator import itemgetter
from typing import Any, ClassVar, TypeVar

import httpx
import pytest
from hypothesis import HealthCheck, Phase, settings, strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from masthead.model.types.plausible_days import MAX_DAYS_AHEAD
from masthead.services.background.daily import run_daily_pass
from masthead.services.check.accounts import check
from masthead.services.sources import rename_source
from masthead.settings import Settings
from masthead.store import accounts
from tests.conftest import BY, Cast, make_account, serving
from tests.support import order_lines as imports
from tests.support.events import show_all
from tests.support.expect import refused
from tests.support.factories import PLACEHOLDER_DOMAIN, import_options
from tests.support.followers import Followers
from tests.support.protections import PROTECTIONS
from tests.support.read_model import render_all
from tests.support.reference_model import (
    KEEP,
    RECURRING,
    DuplicateOrder,
    Issue,
    Order,
    Publication,
    Refused,
    Subscription,
)
from tests.support.walk import walk

T = TypeVar("T")

RUNS_A_DATABASE = 20
FORGETFUL = [name for name in PROTECTIONS if name.startswith("changes noted")]
NUMBERS = range(1, 9)  # of issues: few, so that operations use the same ones
EMAILS = st.sampled_from([None, "ada@example.test", "Ada@Example.TEST", "bob@example.test"])
PRICES = st.sampled_from([0, 10, 25])
PLACES = st.sampled_from(["DE", "FR", "JP"])
OFFSETS = st.none() | st.integers(-60, 120)  # days from today
# Of copies that are sent: with days too far ahead, but none that midnight allows
SENT = st.none() | st.integers(-60, MAX_DAYS_AHEAD) | st.integers(MAX_DAYS_AHEAD + 3, 120)
ANY = st.integers(0, 1000)  # an index into the existing ones
SELDOM = st.integers(0, 7).map(lambda number: number == 7)

ROWS = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["subscription", "membership", "renewal"]),
        "is_repeated": SELDOM,
        "ago": st.integers(0, 4),
        "price": PRICES,
        "refunded": st.sampled_from([0, 0, 0, 5]),
        "currency": st.sampled_from(["EUR", "EUR", "JPY"]),
        "start": ANY,
        "length": st.integers(1, 3),
        "month": st.integers(-3, 2),
        "months": st.integers(0, 2),
        "is_dated": st.booleans(),
        "email": EMAILS,
        "country": PLACES,
        "is_recurring": st.booleans(),
        "is_gift": st.booleans(),
        "status": st.sampled_from([None] * 6 + ["Cancelled", *RECURRING]),
        "sent": st.dictionaries(ANY, st.none() | st.integers(0, 3), max_size=2),
        "renews": ANY,
    }
)


class OwnService:
    """The environment of runs: each has a new account, and a few share a database.

    A check reads the whole database, so runs would become slower as it grows.
    """

    def __init__(self, runner: asyncio.Runner, make_url: Callable[[], str]) -> None:
        self._runner, self._make_url = runner, make_url
        self._open, self._runs = AsyncExitStack(), 0

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine; returns its result. Faster than the runner, which watches for Ctrl-C."""
        return self._runner.get_loop().run_until_complete(work)

    def enter(self) -> Cast:
        """A fresh account."""
        if self._runs % RUNS_A_DATABASE == 0:
            self.close()
            url = self._make_url()  # has its own loop
            service = self._open.enter_async_context(serving(Settings(database_url=url)))
            app, self._client = self.run(service)
            self._db = app.state.db
        self._runs += 1
        return self.run(make_account(self._client, self._db, "Acme"))

    def close(self) -> None:
        """Close the database."""
        self.run(self._open.aclose())


class Desk(RuleBasedStateMachine):
    """Operations of a publisher: the service and the reference model must agree."""

    own: ClassVar[OwnService]

    @initialize(first_issues=st.lists(OFFSETS, min_size=1, max_size=4))
    def open_an_account(self, first_issues: list[int | None]) -> None:
        self.run = self.own.run
        self.cast = self.own.enter()
        self.today = self.run(self._daily_date())
        self.model = Publication(self.today)
        self.followers = Followers(self.cast)
        self.asked = 0  # fresh order ids
        self.issue_ids: dict[int, str] = {}
        self.copy_ids: dict[tuple[str, int], int] = {}
        for released in first_issues:
            self.create_an_issue(0, released, None, is_taken=False)

    async def _daily_date(self) -> date:
        async with self.cast.db.read() as connection:
            account = await accounts.find_account(connection, self.cast.subdomain)
        assert account
        return account.daily_date

    def teardown(self) -> None:
        """Check that the database is consistent."""

        async def faults() -> list[Any]:
            return [fault async for fault in check(self.cast.db)]

        assert self.run(faults()) == []
        assert self.run(show_all(self.cast)) == []  # the last event of each record

    # --- issues -----------------------------------------------------------------------------------

    def _issue(self, name: str, released: int | None, charged: int | None) -> Issue:
        return Issue(name, self._day(released), self._day(charged))

    def _day(self, offset: int | None) -> date | None:
        return None if offset is None else self.today + timedelta(days=offset)

    @rule(which=ANY, released=OFFSETS, charged=OFFSETS, is_taken=SELDOM)
    def create_an_issue(
        self, which: int, released: int | None, charged: int | None, *, is_taken: bool
    ) -> None:
        taken = list(self.model.issues)
        free = [number for number in NUMBERS if number not in taken]
        number = _pick((taken or free) if is_taken else (free or taken), which)
        issue = self._issue(f"Issue {number}", released, charged)
        body = {"number": number, **_dates(issue)}
        answer = self._post("/v1/issues/", body)
        if self._agree(answer, 201, lambda: self.model.create_issue(number, issue)):
            self.issue_ids[number] = answer.json()["id"]

    @precondition(lambda self: self.model.issues)
    @rule(which=ANY, released=OFFSETS, charged=OFFSETS)
    def change_an_issue(self, which: int, released: int | None, charged: int | None) -> None:
        number = _pick(sorted(self.model.issues), which)
        issue = self._issue(f"Issue {number} in new dress", released, charged)
        body = {"name": issue.name, **_dates(issue)}
        answer = self.run(self.cast.patch(f"/v1/issues/{self.issue_ids[number]}/", body))
        self._agree(answer, 200, lambda: self.model.change_issue(number, issue))

    @rule(source=st.sampled_from(["shop", "import"]), name=st.sampled_from(["Kiosk", "Fair"]))
    def rename_a_source(self, source: str, name: str) -> None:
        id = {"shop": self.cast.shop, "import": self.cast.imported}[source]
        self.run(rename_source(self.cast.db, self.cast.account_id, id, name=name, by=BY))
        self.model.rename_source(source, name)

    # --- orders -----------------------------------------------------------------------------------

    def _order_id(self, *, is_repeated: bool) -> str:
        """An existing order id or a new one."""
        if is_repeated and self.model.orders:
            return list(self.model.orders)[-1]
        self.asked += 1
        return f"N-{self.asked:03}"

    def _start(self, which: int) -> int:
        """The number of an issue; rarely one that does not exist."""
        known = sorted(self.model.issues)
        return _pick([*known * 5, max(known, default=0) + 1], which)

    @rule(
        start=ANY,
        length=st.integers(1, 3),
        email=EMAILS,
        country=PLACES,
        price=PRICES,
        ago=st.integers(0, 4),
        is_recurring=st.booleans(),
        is_repeated=SELDOM,
        is_source_closed=SELDOM,
    )
    def order_by_hand(
        self,
        *,
        start: int,
        length: int,
        email: str | None,
        country: str,
        price: int,
        ago: int,
        is_recurring: bool,
        is_repeated: bool,
        is_source_closed: bool,
    ) -> None:
        order = Order(
            order_id=self._order_id(is_repeated=is_repeated),
            day=self.today - timedelta(days=ago),
            price=price,
            start=self._start(start),
            length=length,
            email=email,
            country=country,
            is_recurring=is_recurring,
        )
        body = {
            "source": self.cast.inactive_source if is_source_closed else self.cast.shop,
            "order_id": order.order_id,
            "order_date": order.day.isoformat(),
            "price": str(price),
            "start_issue": order.start,
            "length": length,
            "first_name": "Ada",
            "country": country.lower(),
            "is_recurring": is_recurring,
            "email": email,
        }
        answer = self._post("/v1/subscriptions/", body)
        opened: list[Subscription] = []
        if self._agree(
            answer,
            201,
            lambda: opened.append(
                self.model.create_manually(order, is_source_open=not is_source_closed)
            ),
        ):
            opened[0].id = answer.json()["id"]
            self._same(answer.json(), opened[0])

    @rule(rows=st.lists(ROWS, min_size=1, max_size=4))
    def import_orders(self, rows: list[dict[str, Any]]) -> None:
        lines, outcomes = [], []
        for number, row in enumerate(rows, 2):
            order = self._order(row)
            lines.append(imports.OrderLine(number, _cells(order)))
            try:
                self.model.import_row(order)
            except DuplicateOrder:
                outcomes.append("skipped")
            except Refused as refusal:
                outcomes.append(f"{number}: {refusal.code}")
            else:
                outcomes.append("imported")
        how = import_options(self.cast)
        rejects: list[imports.Reject] = []
        summary = self.run(imports.import_lines(self.cast.db, lines, how, on_reject=rejects.append))
        assert summary.imported == outcomes.count("imported"), (outcomes, rejects)
        assert summary.skipped == outcomes.count("skipped")
        refusals = [each for each in outcomes if each not in ("imported", "skipped")]
        assert [f"{each.line.number}: {each.column}" for each in rejects] == refusals
        self._learn_ids()

    def _order(self, row: dict[str, Any]) -> Order:
        """The order in a row."""
        order = Order(
            order_id=self._order_id(is_repeated=row["is_repeated"]),
            day=self.today - timedelta(days=row["ago"]),
            price=row["price"],
            refunded=row["refunded"],
            currency=row["currency"],
            email=row["email"],
            country=row["country"],
            is_recurring=row["is_recurring"],
            gifter="Grace" if row["is_gift"] else None,
            status=row["status"],
        )
        if row["kind"] == "membership" or (row["kind"] == "renewal" and row["is_dated"]):
            order.begins = _month(self.today, row["month"])
            order.ends = _month(self.today, row["month"] + row["months"] + 1) - timedelta(days=1)
        if row["kind"] == "renewal":
            order.renews = _pick([*self.model.orders] * 5 + ["unheard-of"], row["renews"])
            order.length = row["length"]
        elif order.begins is None:
            order.start, order.length = self._start(row["start"]), row["length"]
        issues = self.model.issues
        owed = [number for number, issue in issues.items() if order.includes(number, issue)]
        order.sent = {
            _pick(owed or list(issues) or [1], which): self._day(offset)
            for which, offset in row["sent"].items()
        }
        return order

    def _learn_ids(self) -> None:
        """Read the ids of imported subscriptions."""
        for order_id, subscription in self.model.orders.items():
            if not subscription.id:
                found = self.run(walk(self.cast, "/v1/subscriptions/", 200, search=order_id))
                assert found, order_id
                subscription.id = next(
                    each["id"] for each in found if each["id"] not in self._known_ids()
                )

    def _known_ids(self) -> set[str]:
        return {each.id for each in self.model.subscriptions}

    # --- subscriptions ----------------------------------------------------------------------------

    @precondition(lambda self: self.model.subscriptions)
    @rule(which=ANY, country=PLACES, notes=st.sampled_from(["seen", "called"]))
    def patch_a_subscription(self, which: int, country: str, notes: str) -> None:
        subscription = _pick(self.model.subscriptions, which)
        body = {"country": country, "notes": notes}
        answer = self.run(self.cast.patch(f"/v1/subscriptions/{subscription.id}/", body))
        self._agree(answer, 200, lambda: self.model.patch(subscription, country, notes))
        self._same(answer.json(), subscription)

    @precondition(lambda self: self.model.subscriptions)
    @rule(which=ANY)
    def stop_the_renewals(self, which: int) -> None:
        subscription = _pick(self.model.subscriptions, which)
        answer = self._post(
            f"/v1/subscriptions/{subscription.id}/cancel/", {"mode": "stop_renewals"}
        )
        if self._agree(answer, 200, lambda: self.model.stop_renewals(subscription)):
            self._same(answer.json(), subscription)

    @precondition(lambda self: self.model.subscriptions)
    @rule(which=ANY)
    def cancel(self, which: int) -> None:
        subscription = _pick(self.model.subscriptions, which)
        answer = self._post(f"/v1/subscriptions/{subscription.id}/cancel/", {"mode": "cancel"})
        self._agree(answer, 200, lambda: self.model.cancel(subscription))
        self._same(answer.json(), subscription)

    @precondition(lambda self: self.model.subscriptions)
    @rule(which=ANY)
    def look_at_one(self, which: int) -> None:
        subscription = _pick(self.model.subscriptions, which)
        path = f"/v1/subscriptions/{subscription.id}/"
        self._same(self.run(self.cast.get(path)).json(), subscription)
        answer = self.run(self.cast.client.get(path + "status/"))
        assert answer.json() == {"status": subscription.status}

    # --- copies and time --------------------------------------------------------------------------

    @precondition(lambda self: self.copy_ids)
    @rule(which=st.lists(ANY, min_size=1, max_size=6), day=SENT, is_dated=st.booleans())
    def send(self, which: list[int], day: int | None, *, is_dated: bool) -> None:
        ids = [_pick(list(self.copy_ids.values()), each) for each in which]
        body = {"ids": [*ids, *ids[:1], 7], **self._sending(day, is_dated=is_dated)}
        self._sent(self._post("/v1/copies/mark-sent/", body), set(ids), day, is_dated=is_dated)

    @precondition(lambda self: self.copy_ids)
    @rule(which=ANY, day=SENT, is_dated=st.booleans())
    def send_one(self, which: int, day: int | None, *, is_dated: bool) -> None:
        id = _pick(list(self.copy_ids.values()), which)
        body = self._sending(day, is_dated=is_dated) or None
        answer = self._post(f"/v1/copies/{id}/mark-sent/", body)
        self._sent(answer, {id}, day, is_dated=is_dated)

    def _sending(self, day: int | None, *, is_dated: bool) -> dict[str, str | None]:
        sent_on = self._day(day)
        return {"date": sent_on.isoformat() if sent_on else None} if is_dated else {}

    def _sent(
        self, answer: httpx.Response, ids: set[int], day: int | None, *, is_dated: bool
    ) -> None:
        """Check that the model marks the same copies as the response."""
        if is_dated and day is not None and day > MAX_DAYS_AHEAD:
            refused(answer, "validation_error")
            return
        assert answer.status_code == 200, answer.text
        places = {id: place for place, id in self.copy_ids.items()}
        by_id = {each.id: each for each in self.model.subscriptions}
        copies = {id: by_id[places[id][0]].copies[places[id][1]] for id in sorted(ids)}
        marked = self.model.mark_sent(list(copies.values()), self._day(day) if is_dated else KEEP)
        assert answer.json()["updated_count"] == len(marked)
        assert [item["id"] for item in answer.json()["items"]] == [
            id for id, copy in copies.items() if any(copy is each for each in marked)
        ]

    @rule(days=st.integers(-2, 40))
    def let_days_pass(self, days: int) -> None:
        day = self.model.today + timedelta(days=days)
        work = run_daily_pass(self.cast.db, self.cast.account_id, day, by=BY)
        assert self.run(work) is self.model.pass_to(day)

    # --- what must be equal after each
    # -------------------------------------------------------------

    @invariant()
    def the_service_says_what_the_model_says(self) -> None:
        listed = self._list("/v1/subscriptions/")
        self.run(render_all(self.cast))  # so that a change that is not recorded keeps the old state
        by_id = {each.id: each for each in self.model.subscriptions}
        assert len(listed) == len(by_id)
        for item in listed:
            self._same(item, by_id[item["id"]])
        self._same_copies()
        self._same_subscribers(listed)
        assert self.run(self.followers.follow()) == []
        issues = [
            {name: item[name] for name in ("number", "name", *_dates(Issue("", None, None)))}
            for item in self._list("/v1/issues/")
        ]
        assert issues == self.model.show_issues()

    def _same_copies(self) -> None:
        copies = self._list("/v1/copies/")
        ids = {(each["subscription_id"], each["issue"]["number"]): each["id"] for each in copies}
        self.copy_ids = {  # sorted without ids, because ids are random
            place: ids[place]
            for subscription in self.model.subscriptions
            for number in NUMBERS
            if (place := (subscription.id, number)) in ids
        }
        names = ("subscription_id", "status", "date_sent", "country")
        shown = [
            {name: each[name] for name in names}
            | {"number": each["issue"]["number"], "name": each["issue"]["name"]}
            for each in copies
        ]
        key = itemgetter("subscription_id", "number")
        assert sorted(shown, key=key) == sorted(self.model.show_copies(), key=key)

    def _same_subscribers(self, listed: list[dict[str, Any]]) -> None:
        shown = []
        for item in self._list("/v1/subscribers/"):
            figures = (
                "subscription_count has_active_subscription latest_order_date latest_country ltv"
            )
            email = item["email"].casefold()
            own = [each["id"] for each in listed if each["subscriber"]["id"] == item["id"]]
            shown.append(
                {name: item[name] for name in figures.split()}
                | {"email": None if email.endswith(PLACEHOLDER_DOMAIN) else email}
                | {"subscriptions": sorted(own)}
            )
        key = itemgetter("subscriptions")
        assert sorted(shown, key=key) == sorted(self.model.show_subscribers(), key=key)

    def _same(self, answer: dict[str, Any], subscription: Subscription) -> None:
        """Check that the response shows the subscription as the model does."""
        expected = self.model.show_subscription(subscription)
        shown = {name: answer[name] for name in expected}
        shown["periods"] = [
            _without_id(period) | {"source": _without_id(period["source"])}
            for period in answer["periods"]
        ]
        shown["start_issue"] = answer["start_issue"] and _without_id(answer["start_issue"])
        shown["source"] = _without_id(answer["source"])
        assert shown == expected
        assert answer["shipping_address"]["country"] == subscription.country

    # --- sending requests -------------------------------------------------------------------------

    def _post(self, path: str, body: object) -> httpx.Response:
        return self.run(self.cast.post(path, body))

    def _list(self, path: str) -> list[dict[str, Any]]:
        return self.run(walk(self.cast, path, 200))

    def _agree(self, answer: httpx.Response, status: int, ask: Callable[[], object]) -> bool:
        """Whether it succeeded; the service and the model refuse it for the same reason."""
        expected: tuple[int, str | None] = status, None
        try:
            ask()
        except Refused as refusal:
            expected = 400, refusal.code
        assert (answer.status_code, answer.json().get("code")) == expected, answer.text
        return answer.is_success


def _without_id(item: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name != "id"}


def _pick(choices: list[T], which: int) -> T:
    return choices[which % len(choices)]


def _month(day: date, offset: int) -> date:
    """The first day of the month that is `offset` months from that of a day."""
    year, month = divmod(day.year * 12 + day.month - 1 + offset, 12)
    return date(year, month + 1, 1)


def _dates(issue: Issue) -> dict[str, str | None]:
    return {
        "release_date_actual": issue.released.isoformat() if issue.released else None,
        "recurring_charge_date": issue.charged.isoformat() if issue.charged else None,
    }


def _cells(order: Order) -> dict[str, str]:
    """The import row for an order."""
    is_membership = order.begins is not None
    values: dict[str, object] = {
        "order_id": order.order_id,
        "order_date": order.day,
        "price": order.price,
        "refunded": order.refunded,
        "currency": order.currency,
        "start_issue": order.start,
        "length": order.length,
        "period_start": order.begins,
        "period_end": order.ends,
        "interval_months": 1 if is_membership and order.renews is None else None,
        "type": "membership" if is_membership and order.renews is None else None,
        "email": order.email,
        "first_name": "Ada",
        "country": order.country,
        "is_recurring": "yes" if order.is_recurring else "no",
        "is_gift": "yes" if order.gifter else None,
        "gifter_name": order.gifter,
        "gifter_email": "gifter@example.test" if order.gifter else None,
        "status": order.status,
        "sent_issues": "|".join(map(str, order.sent)),
        "sent_dates": "|".join(str(day or "") for day in order.sent.values()),
        "renews": order.renews,
    }
    return {name: str(value) for name, value in values.items() if value is not None}


@pytest.fixture
def own(migrated_database: Callable[[], str]) -> Iterator[OwnService]:
    """The environment of the runs of one test."""
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        own = OwnService(runner, migrated_database)
        yield own
        own.close()


def run_desks(own: OwnService, **chance: Any) -> None:
    """Run random operations."""
    Desk.own = own
    chosen = settings(
        stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck), **chance
    )
    run_state_machine_as_test(Desk, settings=chosen)


@pytest.mark.fuzz
def test_the_service_and_the_reference_model_agree(own: OwnService) -> None:
    run_desks(own)


def test_an_order_id_of_two_subscribers_in_one_file_is_refused(own: OwnService) -> None:
    """They have no email, the same name, and different countries."""
    Desk.own = own
    desk = Desk()
    desk.open_an_account(first_issues=[0])
    row = dict.fromkeys(("email", "status")) | {"sent": {}, "is_repeated": False, "renews": 0}
    row |= dict.fromkeys(("ago", "refunded", "start", "month", "months", "price"), 0)
    row |= {"kind": "membership", "country": "DE", "currency": "EUR", "length": 1}
    row |= dict.fromkeys(("is_dated", "is_recurring", "is_gift"), False)
    again = row | {"is_repeated": True}
    for rows in ([row, again | {"kind": "subscription", "country": "FR"}], [row, again]):
        desk.import_orders(rows=rows)
        desk.the_service_says_what_the_model_says()
    desk.teardown()


@pytest.mark.slow
@pytest.mark.fuzz
@pytest.mark.parametrize("forgetful", sorted(FORGETFUL))
def test_the_test_detects_a_change_that_is_not_recorded(
    own: OwnService, monkeypatch: pytest.MonkeyPatch, forgetful: str
) -> None:
    """The control: without one of the protections, the test above fails."""
    for replacement in PROTECTIONS[forgetful]:
        monkeypatch.setattr(*replacement)
    with pytest.raises((AssertionError, ExceptionGroup)):
        run_desks(own, max_examples=1000, phases=[Phase.generate], derandomize=True)
