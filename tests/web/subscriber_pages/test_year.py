"""A year in which a third of all changes come from subscribers: the data check finds no error."""

import random
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from functools import partial
from itertools import cycle

from masthead.model.addresses.changes import NewAddress, TemporaryAddresses
from masthead.model.billing.inputs import PaymentCreate
from masthead.model.claims.rules import ClaimReason
from masthead.model.errors import Erased, Invalid
from masthead.model.validation import decode_input
from masthead.services.addresses.requests import ChangeRequest
from masthead.services.background.daily import redo_daily_pass
from masthead.services.billing.payments import create_payment
from masthead.services.privacy.erase import erase_subscriber
from masthead.services.self_service import actions, addresses, decide, new_email, renew
from masthead.services.self_service.actions import Caller
from masthead.services.self_service.sign_in import MyPage
from masthead.services.subscribers.merge import merge_subscribers
from masthead.store.accounts import get_account
from masthead.store.engine.interface import Database
from masthead.store.engine.wrapped import OneTransaction
from masthead.store.self_service.requests import list_waiting
from masthead.store.subscribers.corrections import get_subscriber
from tests.conftest import BY, Cast
from tests.support.billing import bill, newest_invoices, turn_on_billing
from tests.support.checks import faults
from tests.support.days import pass_on
from tests.support.factories import PLACEHOLDER_DOMAIN, make_dispatch, make_issue, make_membership
from tests.support.subscriber_pages import links_of, open_page, sent_emails

FIRST = date(2025, 1, 6)
WEEKS, READERS = 52, 14
DESK = "address name phone note pay order merge".split()  # what the desk does, in turn
READER = "address holiday move cancel name letters renew email stop data claim erase".split()
Act = Callable[[Database], Awaitable[object]]


class Year:
    """A year that is played week by week. done, refused: how often each thing was."""

    def __init__(self, cast: Cast) -> None:
        self.cast, self.random = cast, random.Random(32)
        self.done, self.refused = Counter[str](), Counter[str]()
        self.desk, self.reader = cycle(DESK), cycle(READER)
        self.count = self.issue = 0

    async def play(self) -> None:
        """Play all weeks: each has three changes, one of which a subscriber makes."""
        cast = self.cast
        await redo_daily_pass(cast.db, cast.account_id, FIRST, by=BY)
        await self.release(FIRST)
        for _ in range(READERS):
            await self.order(FIRST)
        for _ in range(6):
            self.count += 1
            await make_membership(cast, email=f"m{self.count}@reader.test", is_recurring="yes")
        for week in range(WEEKS):
            day = FIRST + timedelta(weeks=week)
            await pass_on(cast, day.isoformat())
            if week % 4 == 3:
                await self.release(day)
                await self.send_issue(day)
                await self.decide()
            for who in ("desk", "desk", "reader"):
                what = next(self.desk if who == "desk" else self.reader)
                try:
                    await getattr(self, f"{who}_{what}")(day)
                    self.done[f"{who} {what}"] += 1
                except (Invalid, Erased):
                    self.refused[f"{who} {what}"] += 1

    async def release(self, day: date) -> None:
        self.issue += 1
        await make_issue(self.cast, self.issue, date_as_start_issue=day.isoformat())

    async def send_issue(self, day: date) -> None:
        """Prepare a mailing of the issue before the newest one, and mark it as sent."""
        issues = (await self.cast.get("/v1/issues/?limit=200")).json()["items"]
        issue = next(each for each in issues if each["number"] == self.issue - 1)
        run = await make_dispatch(self.cast, issue["id"])
        body = {"date": day.isoformat()}
        done = await self.cast.post(f"/v1/dispatches/{run['id']}/mark-sent/", body)
        assert done.status_code == 200, done.text

    async def decide(self) -> None:
        """The desk decides what waits for it."""
        cast = self.cast
        account = cast.db, cast.account_id
        for each in await list_waiting(cast.db, cast.account_id, 100):
            if each.action == "claim":
                await decide.send_replacement(*account, each.id, domain="a.test", by=BY)
            else:
                await erase_subscriber(
                    *account,
                    each.subscriber_id,
                    is_cancelling=True,
                    placeholder_domain=PLACEHOLDER_DOMAIN,
                    by=BY,
                )

    async def any_subscription(self, condition: str = "true") -> tuple[str, str]:
        """The ids of a subscription and its subscriber, who has an email address."""
        rows = await self.cast.db.fetch_all(
            f"""
            SELECT s.id, s.subscriber_id
            FROM subscription s
            JOIN subscriber u ON u.account_id = s.account_id AND u.id = s.subscriber_id
            WHERE s.account_id = :account_id
              AND s.status <> 'Cancelled'
              AND u.email LIKE '%@reader.test'
              AND {condition}
            ORDER BY s.id
            """,  # noqa: S608 - constants of this test
            {"account_id": self.cast.account_id},
        )
        chosen = self.random.choice(rows)
        return chosen["id"], chosen["subscriber_id"]

    def address(self) -> dict[str, str]:
        number = self.random.randrange(1, 99)
        return {"address1": f"Weg {number}", "postcode": "10115", "city": "Berlin", "country": "DE"}

    # What the desk does

    async def order(self, day: date) -> None:
        self.count += 1
        await bill(
            self.cast,
            start_issue=self.issue,
            length=self.random.choice([2, 4, 6]),
            email=f"r{self.count}@reader.test",
            last_name=f"No. {self.count}",
            order_date=day.isoformat(),
            copies=self.random.choice([1, 1, 1, 2]),
        )

    async def desk_order(self, day: date) -> None:
        await self.order(day)

    async def desk_pay(self, _day: date) -> None:
        """Pay up to six open invoices, so that they can be renewed."""
        still = [it for it in await newest_invoices(self.cast) if it.open_amount > 0]
        for invoice in still[-6:]:
            fields = {
                "amount": f"{invoice.open_amount / 100:.2f}",
                "payer": invoice.payer_id,
                "invoices": [{"number": invoice.document.number}],
            }
            body = decode_input(PaymentCreate, fields)
            await create_payment(self.cast.db, self.cast.account_id, body, by=BY)

    async def desk_address(self, _day: date) -> None:
        await self.patch(self.address())

    async def desk_name(self, _day: date) -> None:
        await self.patch({"last_name": f"Name {self.random.randrange(99)}"})

    async def desk_phone(self, _day: date) -> None:
        await self.patch({"phone": "030 1234"})

    async def desk_note(self, _day: date) -> None:
        await self.patch({"notes": "Called"})

    async def patch(self, body: dict[str, str]) -> None:
        id, _ = await self.any_subscription()
        done = await self.cast.patch(f"/v1/subscriptions/{id}/", body)
        assert done.status_code == 200, done.text

    async def desk_merge(self, _day: date) -> None:
        kept, merged = [(await self.any_subscription())[1] for _ in range(2)]
        if kept != merged:
            await merge_subscribers(
                self.cast.db, self.cast.account_id, kept_id=kept, merged_id=merged, by=BY
            )

    # What subscribers do

    async def caller(self, subscriber_id: str) -> Caller:
        async with self.cast.db.read() as db:
            account = await get_account(db, self.cast.account_id)
            subscriber = await get_subscriber(db, account.id, subscriber_id)
        url = f"https://masthead.test/my/{account.subdomain}/"
        page = MyPage(account=account, url=url, domain="acme.test", locale="en_GB")
        return Caller(page=page, subscriber=subscriber)

    async def act(self, act: Act) -> None:
        """Do something as a form does it: all of it, or nothing."""
        db = self.cast.db
        await db.write(
            lambda tx: act(OneTransaction(db, tx, is_long=False)), account_id=self.cast.account_id
        )

    async def change(self, first: int | None = None, last: int | None = None) -> None:
        id, owner = await self.any_subscription()
        caller, request = await self.caller(owner), self.request([id], first, last)
        await self.act(lambda db: addresses.change_address(db, caller, request))

    def request(self, ids: list[str], first: int | None, last: int | None) -> ChangeRequest:
        to = NewAddress(first_name="Ada", last_name="Reader", **self.address())
        return ChangeRequest(subscription_ids=ids, address=to, first_issue=first, last_issue=last)

    async def reader_address(self, _day: date) -> None:
        await self.change()

    async def reader_holiday(self, _day: date) -> None:
        await self.change(self.issue + 1, self.issue + 1)

    async def reader_move(self, _day: date) -> None:
        """Move from the next but one issue on, with a holiday after that."""
        id, owner = await self.any_subscription("s.status = 'Active' AND NOT s.is_recurring")
        caller, first = await self.caller(owner), self.issue + 2
        for begin, end in ((first, None), (first + 1, first + 1)):
            request = self.request([id], begin, end)
            done = partial(addresses.change_address, caller=caller, request=request)
            await self.act(done)

    async def reader_cancel(self, _day: date) -> None:
        """Cancel a planned change, if there is one."""
        rows = await self.cast.db.fetch_all(
            """
            SELECT group_id, subscriber_id FROM address_change
            WHERE account_id = :account_id AND status = 'planned'
            ORDER BY id
            """,
            {"account_id": self.cast.account_id},
        )
        chosen = self.random.choice(rows)
        caller = await self.caller(chosen["subscriber_id"])
        temporary = self.random.choice(list(TemporaryAddresses))
        await self.act(
            lambda db: addresses.cancel_address(db, caller, chosen["group_id"], temporary=temporary)
        )

    async def reader_claim(self, _day: date) -> None:
        found = (await self.cast.get("/v1/copies/?status=Sent&limit=50")).json()["items"]
        sent = self.random.choice(found)
        caller, copy = await self.caller(sent["subscriber_id"]), int(sent["id"])
        reason = ClaimReason.NEVER_ARRIVED
        await self.act(lambda db: actions.claim_copy(db, caller, copy, reason, None))

    async def reader_name(self, _day: date) -> None:
        caller = await self.caller((await self.any_subscription())[1])
        names = {"first_name": "Ada", "last_name": f"R{self.random.randrange(99)}"}
        await self.act(lambda db: actions.correct_name(db, caller, names))

    async def reader_letters(self, _day: date) -> None:
        caller = await self.caller((await self.any_subscription())[1])
        await self.act(lambda db: actions.set_letters(db, caller, is_unsubscribed=True))

    async def reader_stop(self, _day: date) -> None:
        id, owner = await self.any_subscription("s.is_recurring AND s.status = 'Active'")
        caller = await self.caller(owner)
        await self.act(lambda db: actions.stop_renewals(db, caller, [id]))

    async def reader_renew(self, _day: date) -> None:
        """Renew what can be: tries some, as most have an open invoice."""
        for attempt in range(12):
            id, owner = await self.any_subscription()
            caller = await self.caller(owner)
            try:
                async with self.cast.db.read() as db:
                    seen = (await renew.find_offer(db, caller, id)).seen
            except Invalid:
                if attempt == 11:
                    raise
                continue
            site = PLACEHOLDER_DOMAIN
            done = partial(renew.renew, caller=caller, id=id, seen=seen, placeholder_domain=site)
            await self.act(done)
            return

    async def reader_email(self, _day: date) -> None:
        self.count += 1
        caller = await self.caller((await self.any_subscription())[1])
        await sent_emails(self.cast)
        email = f"new{self.count}@reader.test"
        await self.act(lambda db: new_email.ask_for_new_email(db, caller, email))
        for link in links_of(await sent_emails(self.cast)):
            await new_email.confirm(self.cast.db, caller.page, link.split("/")[-2])

    async def reader_data(self, _day: date) -> None:
        caller = await self.caller((await self.any_subscription())[1])
        await actions.download_data(self.cast.db, caller)

    async def reader_erase(self, _day: date) -> None:
        caller = await self.caller((await self.any_subscription())[1])
        await self.act(lambda db: actions.ask_for_erasure(db, caller))


async def test_after_a_year_with_subscribers_the_data_check_finds_no_error(acme: Cast) -> None:
    await turn_on_billing(acme, has_issue=True)
    await open_page(acme)
    year = Year(acme)
    await year.play()
    assert await faults(acme) == []
    assert await acme.db.list_damaged() == []
    by_readers = sum(count for what, count in year.done.items() if what.startswith("reader"))
    assert 0.3 < by_readers / year.done.total() < 0.36
    assert {what.partition(" ")[2] for what in year.done} == {*READER, *DESK}
    assert year.refused.total() < 20, year.refused
