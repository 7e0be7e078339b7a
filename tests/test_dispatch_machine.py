"""Random orders, runs and changes: each copy goes out once, and no copy is forgotten.

After each operation, the copies and the lines of all runs are compared with a reference model.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any, ClassVar

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

from masthead.model.dispatch.runs import DispatchSelection
from masthead.model.errors import Invalid
from masthead.services.check.accounts import check
from masthead.services.dispatch import runs as service
from masthead.store.dispatch import line_states, lines
from tests.conftest import BY
from tests.support.factories import copies_of, make_issues, make_subscription
from tests.support.walk import walk
from tests.test_state_machine import OwnService

ISSUES = (1, 2)
COUNTRIES = st.sampled_from(["DE", "FR"])
CITIES = st.sampled_from(["Bonn", "Köln", "Paris"])
DAYS = st.none() | st.sampled_from([date(2026, 5, 3), date(2026, 5, 4)])
ANY = st.integers(0, 1000)  # an index into the existing ones

Place = tuple[str, str]  # country and city
Key = tuple[str, int]  # subscription and issue number


@dataclass
class Copy:
    """A copy. run: the index of the live run that holds it."""

    id: int
    status: str = "Not sent"
    day: date | None = None
    run: int | None = None


@dataclass
class Run:
    """A run. lines: status, reason of leaving, and the frozen place, by copy."""

    id: str
    number: int
    status: str = "frozen"
    lines: dict[Key, tuple[str, str | None, Place]] = field(default_factory=dict)

    def move(self, key: Key, status: str, reason: str | None = None) -> None:
        """Change the status of a line."""
        self.lines[key] = (status, reason, self.lines[key][2])

    def keys(self, status: str) -> list[Key]:
        """The copies of the lines with a status."""
        return [key for key, line in self.lines.items() if line[0] == status]


class Dispatching(RuleBasedStateMachine):
    """A publisher's desk, and what it must lead to."""

    own: ClassVar[OwnService]

    @initialize()
    def open_an_account(self) -> None:
        self.run = self.own.run
        self.cast = self.own.enter()
        self.issues = {
            each["number"]: each["id"] for each in self.run(make_issues(self.cast, 1, 2))
        }
        self.places: dict[str, Place] = {}
        self.cancelled: set[str] = set()
        self.copies: dict[Key, Copy] = {}
        self.runs: list[Run] = []

    def teardown(self) -> None:
        """Send what is left; then each copy was sent once, or is cancelled."""
        if not hasattr(self, "runs"):
            return
        for index, run in enumerate(self.runs):
            if run.status == "frozen" and run.keys("held"):
                self.mark(index, None)
        for number in ISSUES:
            before = len(self.runs)
            self.freeze(number - 1, None)
            if len(self.runs) > before:
                self.mark(before, None)
        self.agrees()
        for key, copy in self.copies.items():
            assert copy.status == ("Cancelled" if key[0] in self.cancelled else "Sent") or (
                copy.status == "Sent"
            )
        sent = [key for run in self.runs for key in run.keys("sent")]
        assert len(sent) == len(set(sent))

        async def faults() -> list[Any]:
            return [fault async for fault in check(self.cast.db)]

        assert self.run(faults()) == []

    # --- orders and changes -----------------------------------------------------------------------

    @rule(country=COUNTRIES, city=CITIES, start=st.sampled_from(ISSUES), length=st.integers(1, 2))
    def order(self, country: str, city: str, start: int, length: int) -> None:
        fields = {"country": country, "city": city, "start_issue": start, "length": length}
        made = self.run(make_subscription(self.cast, **fields))
        self.places[made["id"]] = country, city
        for copy in self.run(copies_of(self.cast, made["id"])):
            self.copies[made["id"], copy["issue"]["number"]] = Copy(copy["id"])

    @precondition(lambda self: self.places)
    @rule(which=ANY, country=COUNTRIES, city=CITIES)
    def change_address(self, which: int, country: str, city: str) -> None:
        id = self._subscription(which)
        path, body = f"/v1/subscriptions/{id}/", {"country": country, "city": city}
        assert self.run(self.cast.patch(path, body)).is_success
        self.places[id] = country, city

    @precondition(lambda self: self.places)
    @rule(which=ANY)
    def cancel(self, which: int) -> None:
        id = self._subscription(which)
        path, body = f"/v1/subscriptions/{id}/cancel/", {"mode": "cancel"}
        assert self.run(self.cast.post(path, body)).is_success
        self.cancelled.add(id)
        for key, copy in self.copies.items():
            if key[0] == id and copy.status == "Not sent":
                self._cancel(key)

    @precondition(lambda self: self.copies)
    @rule(which=ANY, day=DAYS, has_date=st.booleans())
    def mark_over_the_api(self, which: int, day: date | None, has_date: bool) -> None:
        key = list(self.copies)[which % len(self.copies)]
        copy = self.copies[key]
        body: dict[str, Any] = {"ids": [copy.id]}
        if has_date:
            body["date"] = day and str(day)
        assert self.run(self.cast.post("/v1/copies/mark-sent/", body)).is_success
        if copy.status == "Cancelled":
            return
        if copy.status == "Not sent" or (has_date and copy.day != day):
            if copy.run is not None:
                reason = "marked" if copy.status == "Not sent" else "changed"
                self.runs[copy.run].move(key, "left", reason)
            copy.status, copy.day, copy.run = "Sent", day if has_date else None, None

    # --- runs -------------------------------------------------------------------------------------

    @rule(which=ANY, country=st.none() | COUNTRIES)
    def freeze(self, which: int, country: str | None) -> None:
        number = ISSUES[which % len(ISSUES)]
        selection = DispatchSelection(countries=(country,) if country else ())
        taken = [
            key
            for key, copy in self.copies.items()
            if key[1] == number
            and copy.status == "Not sent"
            and copy.run is None
            and country in (None, self.places[key[0]][0])
        ]
        made = self._attempt(
            service.freeze_dispatch(
                self.cast.db, self.cast.account_id, self.issues[number], selection, by=BY
            ),
            None if taken else "nothing_to_send",
        )
        if made is None:
            return
        assert made.copies == made.lines == len(taken)
        earlier = [run for run in self.runs if run.number == number]
        assert made.number == len(earlier) + 1
        self.runs.append(Run(made.id, number))
        for key in taken:
            self.runs[-1].lines[key] = "held", None, self.places[key[0]]
            self.copies[key].run = len(self.runs) - 1

    @precondition(lambda self: self.runs)
    @rule(which=ANY, day=DAYS)
    def mark(self, which: int, day: date | None) -> None:
        run = self.runs[which % len(self.runs)]
        held = run.keys("held")
        refusal = {"marked": "already_marked", "discarded": "already_discarded"}.get(run.status)
        made = self._attempt(
            service.mark_dispatch(self.cast.db, self.cast.account_id, run.id, day, by=BY),
            refusal or (None if held else "nothing_to_send"),
        )
        if made is None:
            return
        assert made[1] == len(held)
        run.status = "marked"
        for key in held:
            run.move(key, "sent")
            self.copies[key].status, self.copies[key].day = "Sent", day

    @precondition(lambda self: self.runs)
    @rule(which=ANY)
    def undo(self, which: int) -> None:
        run = self.runs[which % len(self.runs)]
        sent = run.keys("sent")
        refusal = None if run.status == "marked" else "not_marked"
        made = self._attempt(
            service.undo_dispatch(self.cast.db, self.cast.account_id, run.id, by=BY),
            refusal or (None if sent else "already_shipped"),
        )
        if made is None:
            return
        assert made[1] == len(sent)
        run.status = "frozen"
        for key in sent:
            run.move(key, "held")
            self.copies[key].status, self.copies[key].day = "Not sent", None
            if key[0] in self.cancelled:
                self._cancel(key)

    @precondition(lambda self: self.runs)
    @rule(which=ANY)
    def discard(self, which: int) -> None:
        run = self.runs[which % len(self.runs)]
        refusal = {"marked": "already_marked", "discarded": "already_discarded"}.get(run.status)
        made = self._attempt(
            service.discard_dispatch(self.cast.db, self.cast.account_id, run.id, by=BY), refusal
        )
        if made is None:
            return
        run.status = "discarded"
        for key in run.keys("held"):
            run.move(key, "left", "discarded")
            self.copies[key].run = None

    # --- comparison -------------------------------------------------------------------------------

    @invariant()
    def agrees(self) -> None:
        """The copies and the lines are those of the model."""
        if not hasattr(self, "runs"):
            return
        shown = {
            (each["subscription_id"], each["issue"]["number"]): (each["status"], each["date_sent"])
            for each in self.run(walk(self.cast, "/v1/copies/", 200))
        }
        assert shown == {
            key: (copy.status, copy.day and str(copy.day)) for key, copy in self.copies.items()
        }
        for run in self.runs:
            found = self.run(
                lines.list_lines(self.cast.db, self.cast.account_id, run.id, after=0, limit=999)
            )
            assert {
                (line.subscription_id, line.issue_number): (
                    line.status.value,
                    line.left_reason.value if line.left_reason else None,
                    (line.country, line.city),
                )
                for line in found
            } == run.lines

    def _subscription(self, which: int) -> str:
        return list(self.places)[which % len(self.places)]

    def _cancel(self, key: Key) -> None:
        copy = self.copies[key]
        if copy.run is not None:
            self.runs[copy.run].move(key, "left", "cancelled")
        copy.status, copy.run = "Cancelled", None

    def _attempt(self, write: Any, refusal: str | None) -> Any:
        """The result of a write, or None if it is refused as expected."""
        made, code = None, None
        try:
            made = self.run(write)
        except Invalid as refused:
            code = refused.code
        assert code == refusal
        return made


@pytest.fixture
def own(migrated_database: Callable[[], str]) -> Iterator[OwnService]:
    """The environment of the runs of one test."""
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        own = OwnService(runner, migrated_database)
        yield own
        own.close()


def run_machine(own: OwnService, **chance: Any) -> None:
    """Run random operations."""
    Dispatching.own = own
    chosen = settings(
        stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck), **chance
    )
    run_state_machine_as_test(Dispatching, settings=chosen)


@pytest.mark.fuzz
def test_each_copy_is_sent_once_after_any_operations(own: OwnService) -> None:
    assert settings.default
    run_machine(own, max_examples=settings.default.max_examples // 5)


@pytest.mark.slow
@pytest.mark.fuzz
@pytest.mark.parametrize("forgotten", ["leave_marked", "leave_lines"])
def test_the_test_detects_a_copy_that_stays_in_its_run(
    own: OwnService, monkeypatch: pytest.MonkeyPatch, forgotten: str
) -> None:
    """The control: without one of the statements, the test above fails."""

    async def forget(*_: object) -> None:
        """Change no line."""

    monkeypatch.setattr(line_states, forgotten, forget)
    with pytest.raises((AssertionError, ExceptionGroup)):
        run_machine(own, max_examples=200, phases=[Phase.generate], derandomize=True)
