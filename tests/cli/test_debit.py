"""`masthead debit`: settings, mandates, what is due, and the file for the bank."""

import stat
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from lxml import etree

from masthead.cli.command import run_with_database
from masthead.model.actors import Actor
from masthead.model.debits.bank_days import next_bank_day
from masthead.model.orders.entry import OrderCreate
from masthead.model.orders.order import OrderDefaults
from masthead.model.validation import decode_input
from masthead.services.orders.create import create_order
from masthead.store.accounts import find_account
from masthead.store.engine.interface import Database
from tests.cli.conftest import CommandLine, bare
from tests.cli.test_subscriber import own
from tests.support.debits import CREDITOR_ID, IBAN

__all__ = ["bare", "own"]
HOME = {"address1": "1 Mill Lane", "city": "Ulm", "postcode": "89073", "country": "DE"}
ADDRESS = "--name Acme --street Lindenallee --postcode 10117 --city Berlin --country DE"
EMAIL = "ann@example.org"
SIGNED = datetime.now(UTC).date()
DAY = next_bank_day(SIGNED + timedelta(days=40))
HOLIDAY = date(SIGNED.year + 2, 1, 1)


def turn_on(own: CommandLine, account: str) -> str:
    """Let an account collect, with an issue, and a payer with a mandate; returns the source."""
    source = own.source(account)
    own(f"issue create --account {account} --number 1")
    own(f"invoice settings --account {account} {ADDRESS} --tax-number 12 --iban {IBAN}")
    own(f"invoice rate --account {account} --from 2020-01-01 --place home --percent 7")
    own(f"debit settings --account {account} --creditor-id {CREDITOR_ID} --notice-days 2")
    place(own, account, source, "FIRST", {"is_billed": False})
    mandate = f"--payer {EMAIL} --iban {IBAN} --holder Ann --signed {SIGNED}"
    own(f"debit mandate --account {account} {mandate}")
    return source


def place_debit(own: CommandLine, account: str, source: str, order_id: str) -> None:
    """Place an order by direct debit."""
    place(own, account, source, order_id, {"is_debited": True})


def place(
    own: CommandLine, account: str, source: str, order_id: str, fields: dict[str, object]
) -> None:
    """Place an order of the payer."""

    async def work(db: Database) -> None:
        found = await find_account(db, account)
        assert found is not None
        asked = {
            "source": source,
            "start_issue": 1,
            "length": 1,
            "price": "60",
            "is_billed": True,
            "order_id": order_id,
            "order_date": "2026-01-05",
            "first_name": "Ann",
            "email": EMAIL,
            **HOME,
            **fields,
        }
        await create_order(
            db,
            found.id,
            decode_input(OrderCreate, asked),
            defaults=OrderDefaults(found.currency, "placeholder.test"),
            by=Actor(kind="command", id="tests"),
        )

    run_with_database(work)


def test_what_is_due_becomes_a_file_for_the_bank(own: CommandLine, tmp_path: Path) -> None:
    account = own.account()
    source = turn_on(own, account)
    place_debit(own, account, source, "O1")
    [waiting] = own(f"debit list --account {account} --json").json["items"]
    assert waiting["iban"] == "DE** **** … 2051"
    assert (waiting["amount"], waiting["problem"]) == ("60.00", "")
    file = tmp_path / "debits.xml"
    early = own(f"debit create --account {account} --output {file} --day 2026-01-05", code=1)
    assert "a day before" in early.said
    holiday = own(f"debit create --account {account} --output {file} --day {HOLIDAY}", code=1)
    assert "TARGET" in holiday.said
    assert not file.exists()
    made = own(f"debit create --account {account} --output {file} --day {DAY} --json").json
    assert (made["number"], made["debits"], made["total"]) == (1, 1, "60.00")
    assert etree.parse(str(file)).getroot().tag.endswith("Document")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again = own(f"debit create --account {account} --output {file}", code=1)
    assert "exists already" in again.said
    none = own(f"debit create --account {account} --output {tmp_path / 'b.xml'}", code=1)
    assert "Nothing is due" in none.said


def test_a_wrong_iban_is_refused_without_the_number(own: CommandLine) -> None:
    account = own.account()
    turn_on(own, account)
    wrong = f"--payer {EMAIL} --iban DE02120300000000202052 --holder Ann --signed {SIGNED}"
    refused = own(f"debit mandate --account {account} {wrong}", code=1)
    assert "check digits" in refused.said
    assert "202052" not in refused.said


def test_settings_are_changed_one_by_one(own: CommandLine) -> None:
    account = own.account()
    turn_on(own, account)
    shown = own(f"debit settings --account {account} --mark-first --json").json
    assert (shown["marks_first"], shown["charges_bank_fee"]) == (True, False)
    own(f"debit settings --account {account} --charge-bank-fee --no-mark-first")
    assert own(f"debit settings --account {account} --json").json == {
        "creditor_id": CREDITOR_ID,
        "notice_days": 2,
        "marks_first": False,
        "charges_bank_fee": True,
    }
    refused = own(f"debit settings --account {account} --notice-days 0", code=1)
    assert "from 1 to 60" in refused.said
    none = own.account()
    assert "--creditor-id" in own(f"debit settings --account {none} --mark-first", code=1).said


def test_company_mandates_have_a_file_of_their_own(own: CommandLine, tmp_path: Path) -> None:
    account = own.account()
    source = turn_on(own, account)
    place_debit(own, account, source, "O1")
    mandate = f"--payer {EMAIL} --iban {IBAN} --holder Ann --signed {SIGNED} --b2b"
    refused = own(f"debit mandate --account {account} {mandate}", code=1)
    assert "for companies only" in refused.said
    place(own, account, source, "O2", {"email": "c@example.org", "company": "Acme GmbH"})
    own(f"debit mandate --account {account} {mandate.replace(EMAIL, 'c@example.org')}")
    place(own, account, source, "O3", {"email": "c@example.org", "is_debited": True})
    waiting = own(f"debit list --account {account} --json").json["items"]
    assert [each["is_b2b"] for each in waiting] == [False, True]
    for file, option, is_b2b in (("core.xml", "", False), ("b2b.xml", "--b2b", True)):
        place_ = tmp_path / file
        asked = f"debit create --account {account} --output {place_} --day {DAY} {option} --json"
        made = own(asked).json
        assert (made["debits"], made["is_b2b"]) == (1, is_b2b)
        assert (b"<Cd>B2B</Cd>" in place_.read_bytes()) is is_b2b
