"""`kill -9` in the middle of issuing invoices: no gap, each order once, and then it goes on."""

import subprocess
import sys

import pytest

from masthead.cli.command import run_with_database
from masthead.model.actors import Actor
from masthead.model.orders.entry import OrderCreate
from masthead.model.orders.order import OrderDefaults
from masthead.model.validation import decode_input
from masthead.services.billing.waiting import PAYERS_OF_A_WRITE
from masthead.services.orders.create import create_orders
from masthead.store.accounts import find_account
from masthead.store.engine.interface import Database
from tests.cli.conftest import CommandLine, bare
from tests.cli.test_subscriber import own
from tests.support.rounds import rounds

__all__ = ["bare", "own"]
pytestmark = pytest.mark.crash

# Kills itself after so many numbers were taken, or so many documents were written
PROGRAM = """
import os, signal, sys
from masthead.cli import run
from masthead.services.billing import issue

account, place, left, without = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
owner = issue.numbers if place == "number" else issue
name = "take_number" if place == "number" else "write_document"
step = getattr(owner, name)

async def step_and_die(*args, **options):
    global left
    made = await step(*args, **options)
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    return made

setattr(owner, name, step_and_die)
if without:
    from tests.support.protections import PROTECTIONS
    for each in PROTECTIONS[without]:
        setattr(*each)
run(["invoice", "create", "--account", account])
"""
ADDRESS = "--name Acme --street Lindenallee --postcode 10117 --city Berlin --country DE"
COUNT = min(25 * rounds(4), 1_000)
LAST = COUNT // 2 + 5  # which is not the last of a transaction


async def place_orders(db: Database, subdomain: str, source: str) -> None:
    """Orders that wait for their invoice, because there is no rate of VAT yet."""
    account = await find_account(db, subdomain)
    assert account is not None
    home = {"address1": "1 Mill Lane", "city": "Ulm", "postcode": "89073", "country": "DE"}
    sold = {"source": source, "start_issue": 1, "length": 1, "price": "60", "is_billed": True}
    bodies = [
        decode_input(
            OrderCreate,
            {
                **sold,
                **home,
                "order_id": f"O{n}",
                "order_date": "2026-01-05",
                "first_name": f"L{n}",
            },
        )
        for n in range(COUNT)
    ]
    results = await create_orders(
        db,
        account.id,
        bodies,
        defaults=OrderDefaults(account.currency, "placeholder.test"),
        by=Actor(kind="command", id="tests"),
    )
    assert [each.error for each in results if each.error] == []


def begin(own: CommandLine) -> str:
    """An account whose orders wait for their invoice; its subdomain."""
    account = own.account()
    source = own.source(account)
    own(f"issue create --account {account} --number 1")
    own(f"invoice settings --account {account} {ADDRESS} --tax-number 12")
    run_with_database(lambda db: place_orders(db, account, source))
    own(f"invoice rate --account {account} --from 2020-01-01 --place home --percent 7")
    return account


def kill(account: str, place: str, last: int, *, without: str = "") -> None:
    """Issue invoices, and be killed at a place of the last one."""
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, account, place, str(last), without],
        capture_output=True,
        check=False,
    )
    assert ended.returncode == -9, ended.stderr


def list_issued() -> tuple[list[int], list[str]]:
    """The numbers in their series, and the orders that are on invoices, each in their order."""
    return run_with_database(_read_issued)


async def _read_issued(db: Database) -> tuple[list[int], list[str]]:
    async with db.read() as connection:
        rows = await connection.fetch_all(
            """
            SELECT i.series_number, p.order_id
            FROM invoice i
            JOIN invoice_line l ON l.account_id = i.account_id AND l.invoice_id = i.id
            JOIN period p ON p.account_id = l.account_id AND p.id = l.period_id
            ORDER BY i.series_number
            """,
            {},
        )
    orders = [str(row["order_id"]) for row in rows]
    return [row["series_number"] for row in rows], sorted(orders, key=_number_of)


def _number_of(order: str) -> int:
    return int(order[1:])


ALL = list(range(1, COUNT + 1))
ORDERS = [f"O{n}" for n in range(COUNT)]


@pytest.mark.parametrize("place", ["number", "document"])
def test_killed_invoices_are_issued_once_and_without_a_gap(own: CommandLine, place: str) -> None:
    account = begin(own)
    kill(account, place, LAST)
    own("check")
    issued = len(list_issued()[0])
    assert issued == LAST - LAST % PAYERS_OF_A_WRITE > 0
    done = own(f"invoice create --account {account} --json").json
    assert done == {"issued": COUNT - issued, "problems": {}}
    assert list_issued() == (ALL, ORDERS)
    own("check")


@pytest.mark.parametrize(
    "place, places, orders",
    [
        ("number", [n for n in range(1, COUNT + 2) if n != LAST], ORDERS),
        (
            "document",
            [*ALL, COUNT + 1],
            sorted([*ORDERS, f"O{LAST - 1}"], key=_number_of),
        ),
    ],
    ids=["a gap", "an order twice"],
)
def test_the_test_detects_invoices_that_are_not_issued_in_transactions(
    own: CommandLine, place: str, places: list[int], orders: list[str]
) -> None:
    account = begin(own)
    kill(account, place, LAST, without="transactions")
    own("check", code=1)
    own(f"invoice create --account {account} --json")
    assert list_issued() == (places, orders)
