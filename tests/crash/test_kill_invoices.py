"""`kill -9` in the middle of issuing invoices: no gap, each order once, and then it goes on."""

import subprocess
import sys

import pytest

from masthead.cli.command import run_with_database
from masthead.model.actors import Actor
from masthead.model.orders.entry import OrderCreate
from masthead.model.orders.order import OrderDefaults
from masthead.model.validation import decode_input
from masthead.services.orders.create import create_orders
from masthead.store.accounts import find_account
from masthead.store.engine.interface import Database
from tests.cli.conftest import CommandLine, bare
from tests.cli.test_subscriber import own
from tests.support.rounds import rounds

__all__ = ["bare", "own"]
pytestmark = pytest.mark.crash

# Kills itself when it has written half of the invoices
PROGRAM = """
import os, signal, sys
from masthead.cli import run
from masthead.services.billing import issue

write, left = issue.write_document, int(sys.argv[2])

async def write_or_die(*args, **options):
    global left
    made = await write(*args, **options)
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    return made

issue.write_document = write_or_die
run(["invoice", "create", "--account", sys.argv[1]])
"""
ADDRESS = "--name Acme --street Lindenallee --postcode 10117 --city Berlin --country DE"
COUNT = min(25 * rounds(4), 1_000)


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


@pytest.mark.parametrize("last", [COUNT // 2 + 5, 0], ids=["killed", "control"])
def test_killed_invoices_are_issued_once_and_without_a_gap(own: CommandLine, last: int) -> None:
    account = own.account()
    source = own.source(account)
    own(f"issue create --account {account} --number 1")
    own(f"invoice settings --account {account} {ADDRESS} --tax-number 12")
    run_with_database(lambda db: place_orders(db, account, source))
    own(f"invoice rate --account {account} --from 2020-01-01 --place home --percent 7")
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, account, str(last)], capture_output=True, check=False
    )
    assert ended.returncode == (-9 if last else 0), ended.stderr
    own("check")
    issued = len(own(f"invoice list --account {account} --json").json["items"])
    assert issued == (last - last % 20 if last else COUNT)
    done = own(f"invoice create --account {account} --json").json
    assert done == {"issued": COUNT - issued, "problems": {}}
    listed = own(f"invoice list --account {account} --json").json["items"]
    places = sorted(int(each["number"].partition("-")[2]) for each in listed)
    assert places == list(range(1, COUNT + 1))
    own("check")
