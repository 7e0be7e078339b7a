"""`kill -9` while a billed subscription moves, or its price changes: all of it, or nothing."""

import subprocess
import sys

import pytest

from masthead.cli.command import run_with_database
from masthead.store.accounts import find_account
from masthead.store.engine.interface import Database
from tests.cli.conftest import CommandLine, bare
from tests.cli.test_debit import ADDRESS, place
from tests.cli.test_subscriber import own
from tests.support.debits import IBAN

__all__ = ["bare", "own"]
pytestmark = pytest.mark.crash

# Kills itself when the invoice is taken back by a credit note, and the new one is not issued
PROGRAM = """
import asyncio, os, signal, sys
from masthead.cli.command import run_with_database
from masthead.model.actors import Actor
from masthead.model.subscriptions.billed_changes import PriceChange, SubscriptionMove
from masthead.services.billing import credit
from masthead.services.subscriptions.move import give_subscription
from masthead.services.subscriptions.price import change_order_price

write = credit.orders.rebill

async def write_or_die(*args, **options):
    await write(*args, **options)
    if sys.argv[2] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)

credit.orders.rebill = write_or_die
change, _fate, account_id, id, given = sys.argv[1:]
BY = Actor(kind="command", id="tests")

async def work(db):
    if change == "move":
        body = SubscriptionMove(subscriber=given, invoice_action="replace")
        await give_subscription(db, int(account_id), id, body, by=BY)
    else:
        body = PriceChange(order_id=given, price="48.00", invoice_action="replace")
        await change_order_price(db, int(account_id), id, body, by=BY)

run_with_database(work)
"""


def facts(account: str) -> tuple[int, list[tuple[str, str, int]]]:
    """The id of an account, and its orders: subscription, subscriber, and price."""

    async def work(db: Database) -> tuple[int, list[tuple[str, str, int]]]:
        found = await find_account(db, account)
        assert found is not None
        rows = await db.fetch_all(
            """
            SELECT s.id, s.subscriber_id, p.price
            FROM subscription s
            JOIN period p ON p.account_id = s.account_id AND p.subscription_id = s.id
            WHERE s.account_id = :account_id
            ORDER BY p.id
            """,
            {"account_id": found.id},
        )
        return found.id, [(row["id"], row["subscriber_id"], row["price"]) for row in rows]

    return run_with_database(work)


@pytest.mark.parametrize("change", ["move", "price"])
@pytest.mark.parametrize("fate", ["killed", "control"])
def test_a_killed_change_is_not_there(own: CommandLine, change: str, fate: str) -> None:
    account = own.account()
    source = own.source(account)
    own(f"issue create --account {account} --number 1")
    own(f"invoice settings --account {account} {ADDRESS} --tax-number 12 --iban {IBAN}")
    own(f"invoice rate --account {account} --from 2020-01-01 --place home --percent 7")
    place(own, account, source, "O1", {})
    place(own, account, source, "O2", {"email": "bea@example.org", "first_name": "Bea"})
    account_id, before = facts(account)
    [(id, owner, _price), (_id, other, _other_price)] = before
    given = other if change == "move" else "O1"

    def run(fate: str) -> int:
        argv = [sys.executable, "-c", PROGRAM, change, fate, str(account_id), id, given]
        ended = subprocess.run(argv, capture_output=True, check=False)
        assert ended.returncode in (0, -9), ended.stderr
        return ended.returncode

    is_killed = fate == "killed"
    assert run(fate) == (-9 if is_killed else 0)
    own("check")
    if is_killed:
        assert facts(account)[1] == before
        assert len(own(f"invoice list --account {account} --json").json["items"]) == 2
        assert run("control") == 0
    listed = own(f"invoice list --account {account} --json").json["items"]
    numbers = sorted(int(each["number"].partition("-")[2]) for each in listed)
    assert numbers == [1, 2, 3, 4]  # no gap: two orders, the credit note, and the new invoice
    [(_id, owner_now, price), _other] = facts(account)[1]
    assert (owner_now, price) == ((other, 60_00) if change == "move" else (owner, 48_00))
    own("check")
