"""Collections: what is in them, their file, and what the bank books."""

import re
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
import sepaxml
from lxml import etree

from masthead.model.debits.bank_text import plain
from masthead.model.debits.rules import DebitStatus
from masthead.model.errors import Invalid
from masthead.services.billing import bank_lines
from masthead.services.billing.bank_lines import confirm_debits, confirm_safe
from masthead.services.billing.files.wording import debit_sentence
from masthead.services.billing.undo import undo_payment
from masthead.services.debits import collect
from masthead.services.debits.book import book_collection
from masthead.services.debits.bookings import find_bookings
from masthead.services.debits.collect import (
    cancel_collection,
    create_collection,
    create_collections,
    mark_sent,
)
from masthead.services.debits.mandates import add_mandate, revoke_mandate
from masthead.services.debits.mark import mark_invoice, unmark_invoice
from masthead.services.debits.notice import write_notice
from masthead.services.debits.pain008 import NAMESPACE
from masthead.services.debits.settings import save_settings
from masthead.store.debits import records as debit_store
from tests.conftest import BY, Cast
from tests.support.bank import bank_line, import_lines, list_lines
from tests.support.billing import bill_one, read_invoice, turn_on_billing
from tests.support.checks import execute, faults, faults_after
from tests.support.days import pass_on
from tests.support.debits import (
    CREDITOR_ID,
    DUE,
    IBAN,
    collect_all,
    debit_one,
    list_debits,
    list_mandates,
    make_debtor,
    new_mandate,
    read_file,
    turn_on_debits,
)
from tests.support.factories import make_subscription

SCHEMA = Path(sepaxml.__file__).parent / "schemas" / "pain.008.001.08.xsd"
DAY = date.fromisoformat(DUE)
CH_IBAN = "CH9300762011623852957"


async def test_an_invoice_tells_the_payer_what_is_collected_when(acme: Cast) -> None:
    await turn_on_debits(acme)
    payer = await make_debtor(acme)
    invoice = await debit_one(acme, payer, due_days=3)
    document = invoice.document
    assert document.debit is not None
    assert document.debit.reference == (await list_mandates(acme, payer))[0].reference
    assert document.debit.creditor_id == CREDITOR_ID
    assert document.debit.iban == "DE** **** … 2051"
    assert document.debit.day >= document.issue_date + timedelta(days=5)
    day = f"{document.debit.day.day} {document.debit.day:%b %Y}"
    said = f"We collect €60.00 by SEPA direct debit on {day} from your account DE**"
    assert debit_sentence(document, document.debit).startswith(said)
    _, text = write_notice(document, document.debit, magazine="Acme", amount=1000)
    assert "We collect €10.00 by" in text
    assert text.endswith(f"\nKind regards\n{document.seller.name}\n")
    [debit] = await list_debits(acme, invoice.id)
    assert (debit.status, debit.collect_date) == (DebitStatus.WAITING, document.debit.day)
    shown = (await acme.get(f"/v1/invoices/{invoice.id}/")).json()
    assert shown["mandate_reference"] == document.debit.reference
    assert shown["collect_date"] == document.debit.day.isoformat()


async def test_the_file_is_valid_by_the_official_schema(acme: Cast) -> None:
    await turn_on_debits(acme, name="Müller & Söhne – Verlag")
    first, second = await make_debtor(acme), await make_debtor(acme)
    once = new_mandate(is_recurring=False, reference="ONCE/1", iban="FR1420041010050500013M02606")
    await add_mandate(acme.db, acme.account_id, second, once, by=BY)
    made = [await debit_one(acme, each) for each in (first, first, second)]
    collection = await collect_all(acme)
    content = await read_file(acme, collection.id)
    tree = etree.fromstring(content)
    etree.XMLSchema(etree.parse(str(SCHEMA))).assertValid(tree)
    names = {"p": NAMESPACE}

    def texts(path: str) -> list[str]:
        return [each.text or "" for each in tree.findall(f".//{{*}}{path.replace('/', '/{*}')}")]

    assert (collection.debits, collection.total) == (3, 18000)
    assert texts("GrpHdr/NbOfTxs") == ["3"]
    assert texts("GrpHdr/CtrlSum") == ["180.00"]
    assert texts("SeqTp") == ["RCUR", "OOFF"]
    assert texts("PmtInf/CtrlSum") == ["120.00", "60.00"]
    assert set(texts("ReqdColltnDt")) == {DUE}
    assert texts("PmtInf/Cdtr/Nm")[0] == "Mueller + Soehne Verlag"
    assert texts("CdtrSchmeId/Id/PrvtId/Othr/Id") == [CREDITOR_ID] * 2
    assert sum(map(Decimal, texts("InstdAmt"))) == 180
    assert texts("DbtrAcct/Id/IBAN") == [IBAN, IBAN, once.iban]
    debits = [(await list_debits(acme, each.id))[0] for each in made]
    assert texts("EndToEndId") == [each.id for each in debits]
    assert made[0].document.number in texts("RmtInf/Ustrd")[0]
    assert tree.findall(".//p:DrctDbtTxInf", names)
    assert await faults(acme) == []
    broken = content.replace(b"<SeqTp>RCUR", b"<SeqTp>LAST")
    assert not etree.XMLSchema(etree.parse(str(SCHEMA))).validate(etree.fromstring(broken))


async def test_a_bank_outside_the_eea_gets_the_address_of_the_payer(acme: Cast) -> None:
    await turn_on_debits(acme)
    for number, (town, iban) in enumerate(
        [("Zürich", IBAN), ("Zürich", CH_IBAN), ("蘇黎世", CH_IBAN), ("Bern", CH_IBAN)]
    ):
        payer = str((await make_subscription(acme))["subscriber"]["id"])
        mandate = new_mandate(iban=iban, bic="UBSWCHZH80A", reference=f"ZH-{number}")
        await add_mandate(acme.db, acme.account_id, payer, mandate, by=BY)
        home = {"address1": "Zur Grünen Straße 5", "city": town}
        home["postcode"] = "" if town == "Bern" else "8001"
        await debit_one(acme, payer, **home, country="CH")
    collection = await collect_all(acme)
    tree = etree.fromstring(await read_file(acme, collection.id))
    etree.XMLSchema(etree.parse(str(SCHEMA))).assertValid(tree)
    debtors = tree.findall(".//{*}DrctDbtTxInf/{*}Dbtr")
    addresses = [
        [(etree.QName(part).localname, part.text) for part in each.findall("{*}PstlAdr/*")]
        for each in debtors
    ]
    assert addresses == [
        [],
        [
            ("StrtNm", "Zur Gruenen Strasse 5"),
            ("PstCd", "8001"),
            ("TwnNm", "Zuerich"),
            ("Ctry", "CH"),
        ],
        [("StrtNm", "Zur Gruenen Strasse 5"), ("TwnNm", "Bern"), ("Ctry", "CH")],
    ]
    async with acme.db.read() as db:
        [left] = await debit_store.list_waiting(db, acme.account_id, limit=10)
    assert "A bank in CH needs the town of the payer in Latin letters" in left.problem_on(DAY)
    assert await faults(acme) == []


async def test_company_mandates_go_to_the_bank_in_a_file_of_their_own(acme: Cast) -> None:
    await turn_on_debits(acme)
    person, company = await make_debtor(acme), await make_debtor(acme, company="Acme GmbH")
    between = new_mandate(is_b2b=True, reference="B2B/1")
    await add_mandate(acme.db, acme.account_id, company, between, by=BY)
    refused = new_mandate(is_b2b=True, reference="B2B/2")
    with pytest.raises(Invalid, match="for companies only") as refusal:
        await add_mandate(acme.db, acme.account_id, person, refused, by=BY)
    assert (refusal.value.code, refusal.value.field) == ("not_a_company", "scheme")
    made = [await debit_one(acme, each) for each in (company, person, company)]
    shown = (await acme.get(f"/v1/invoices/{made[0].id}/")).json()
    assert (shown["mandate_reference"], shown["mandate_scheme"]) == ("B2B/1", "b2b")
    await pass_on(acme, "2026-02-27")
    core, b2b = await create_collections(acme.db, acme.account_id, day=DAY, by=BY)
    found = []
    for each in (core, b2b):
        tree = etree.fromstring(await read_file(acme, each.id))
        etree.XMLSchema(etree.parse(str(SCHEMA))).assertValid(tree)
        kinds = [part.text for part in tree.findall(".//{*}LclInstrm/{*}Cd")]
        found.append((each.number, each.is_b2b, each.debits, kinds))
    assert found == [(1, False, 1, ["CORE"]), (2, True, 2, ["B2B"])]
    assert core.returned_until == DAY + timedelta(weeks=8)
    assert b2b.returned_until == date(2026, 3, 5)
    with pytest.raises(Invalid, match="Nothing is due"):
        await create_collections(acme.db, acme.account_id, day=DAY, by=BY)
    assert await faults(acme) == []


async def test_only_one_kind_can_be_collected(acme: Cast) -> None:
    await turn_on_debits(acme)
    await debit_one(acme, await make_debtor(acme))
    await pass_on(acme, "2026-02-27")
    with pytest.raises(Invalid, match="Nothing is due"):
        await create_collection(acme.db, acme.account_id, day=DAY, is_b2b=True, by=BY)
    assert (await create_collection(acme.db, acme.account_id, day=DAY, by=BY)).debits == 1


def test_names_have_only_letters_that_every_bank_reads() -> None:
    assert plain("Łukasz O’Brien & Cie. „Übersee“ №7", 70) == "Lukasz O Brien + Cie. Uebersee No7"
    assert plain("Þór Œuvre, IŞIK Sarı", 70) == "Thor Oeuvre, ISIK Sari"
    assert plain("Юрий Щукин, Ґанна Ђорђевић", 70) == "Yurii Shchukin, Ganna Djordjevic"
    assert plain("ΕΚΔΌΣΕΙΣ Ψυχάρης", 70) == "EKDOSEIS Psycharis"


async def test_a_mandate_needs_a_name_that_banks_can_read(acme: Cast) -> None:
    await turn_on_debits(acme)
    payer = await make_debtor(acme)
    for holder in ("王小明", "王 - 李", "محمد علي", "佐藤"):
        with pytest.raises(Invalid, match="Type the name in Latin letters") as refusal:
            await add_mandate(acme.db, acme.account_id, payer, new_mandate(holder=holder), by=BY)
        assert refusal.value.field == "holder"


async def test_a_debit_whose_holder_no_bank_can_read_waits(acme: Cast) -> None:
    await turn_on_debits(acme)
    payer = await make_debtor(acme)
    invoice = await debit_one(acme, payer)
    await execute(acme, "UPDATE mandate SET holder = '王小明'")  # as an older version allowed
    reference = (await list_mandates(acme, payer))[0].reference
    [debit] = await list_debits(acme, invoice.id)
    with pytest.raises(Invalid, match="Nothing is due"):
        await collect_all(acme)
    with pytest.raises(Invalid, match=f"the account holder of mandate {reference}") as refusal:
        await create_collections(acme.db, acme.account_id, day=DAY, debit_ids={debit.id}, by=BY)
    assert refusal.value.code == "cannot_collect"


async def test_the_name_of_the_creditor_is_one_that_banks_can_read(acme: Cast) -> None:
    await turn_on_debits(acme, name="灯台")
    await debit_one(acme, await make_debtor(acme))
    with pytest.raises(Invalid, match="the name of your company, `灯台`"):
        await collect_all(acme)


async def test_a_collection_never_changes_and_is_downloaded_byte_for_byte(acme: Cast) -> None:
    await turn_on_debits(acme)
    payer = await make_debtor(acme)
    await debit_one(acme, payer)
    collection = await collect_all(acme)
    before = await read_file(acme, collection.id)
    [mandate] = await list_mandates(acme, payer)
    await revoke_mandate(
        acme.db, acme.account_id, mandate.id, day=DAY - timedelta(5), reason="", by=BY
    )
    await mark_sent(acme.db, acme.account_id, collection.id, by=BY)
    assert await read_file(acme, collection.id) == before
    with pytest.raises(Invalid, match="went to the bank"):
        await cancel_collection(acme.db, acme.account_id, collection.id, by=BY)


async def test_nothing_is_collected_before_the_day_that_the_payer_was_told(acme: Cast) -> None:
    await turn_on_debits(acme)
    invoice = await debit_one(acme, await make_debtor(acme), due_days=30)
    [debit] = await list_debits(acme, invoice.id)
    await pass_on(acme, str(debit.collect_date - timedelta(days=8)))
    early = debit.collect_date - timedelta(days=7)
    with pytest.raises(Invalid, match="Nothing is due"):
        await create_collection(acme.db, acme.account_id, day=early, by=BY)
    with pytest.raises(Invalid, match="was told") as error:
        await create_collections(acme.db, acme.account_id, day=early, debit_ids=[debit.id], by=BY)
    assert error.value.code == "too_early"


@pytest.mark.parametrize(
    "day, words",
    [
        ("2026-02-27", "a day before"),
        ("2026-02-28", "a day before"),
        ("2026-04-03", "TARGET"),
        ("9999-12-31", "year ahead"),
    ],
)
async def test_a_day_on_which_banks_do_not_collect_is_refused(
    acme: Cast, day: str, words: str
) -> None:
    await turn_on_debits(acme)
    await debit_one(acme, await make_debtor(acme))
    await pass_on(acme, "2026-02-27")  # a Friday
    with pytest.raises(Invalid, match=words) as error:
        await create_collection(acme.db, acme.account_id, day=date.fromisoformat(day), by=BY)
    assert error.value.field == "day"
    made = await create_collection(acme.db, acme.account_id, by=BY)
    assert made.collect_date == DAY


async def test_a_collection_has_at_most_as_many_debits_as_a_file_may_have(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collect, "MAX_DEBITS", 1)
    await turn_on_debits(acme)
    made = [await debit_one(acme, await make_debtor(acme)) for _ in range(2)]
    with pytest.raises(Invalid, match="at most 1 direct debits") as error:
        await collect_all(acme)
    assert error.value.code == "too_many"
    [debit] = await list_debits(acme, made[0].id)
    [one] = await create_collections(acme.db, acme.account_id, day=DAY, debit_ids=[debit.id], by=BY)
    assert one.debits == 1


async def test_creditor_identifiers_need_a_bank_account(acme: Cast) -> None:
    await turn_on_billing(acme, iban="")
    with pytest.raises(Invalid, match="Type the IBAN of your bank account") as error:
        await save_settings(acme.db, acme.account_id, creditor_id=CREDITOR_ID, notice_days=5, by=BY)
    assert error.value.field == "creditor_id"


async def test_only_euros_are_collected(acme: Cast) -> None:
    await turn_on_debits(acme)
    with pytest.raises(Invalid, match="this order is in USD") as error:
        await debit_one(acme, await make_debtor(acme), currency="USD")
    assert error.value.field == "currency"


async def test_an_order_by_debit_needs_a_creditor_identifier(acme: Cast) -> None:
    await turn_on_billing(acme)
    made = await make_subscription(acme)
    with pytest.raises(Invalid, match="creditor identifier") as error:
        await debit_one(acme, made["subscriber"]["id"])
    assert error.value.code == "debits_off"


async def test_an_order_by_debit_needs_a_mandate(acme: Cast) -> None:
    await turn_on_debits(acme)
    made = await make_subscription(acme)
    with pytest.raises(Invalid) as error:
        await debit_one(acme, made["subscriber"]["id"], order_id="NO-1")
    assert error.value.code == "no_mandate"
    payer = await make_debtor(acme)
    [mandate] = await list_mandates(acme, payer)
    await revoke_mandate(
        acme.db, acme.account_id, mandate.id, day=mandate.signed_date, reason="By phone", by=BY
    )
    with pytest.raises(Invalid, match="no mandate"):
        await debit_one(acme, payer)


async def test_a_revoked_mandate_stops_what_waits(acme: Cast) -> None:
    await turn_on_debits(acme)
    payer, other = await make_debtor(acme), await make_debtor(acme)
    stopped, kept = await debit_one(acme, payer), await debit_one(acme, other)
    [mandate] = await list_mandates(acme, payer)
    await revoke_mandate(
        acme.db, acme.account_id, mandate.id, day=mandate.signed_date, reason="By phone", by=BY
    )
    collection = await collect_all(acme)
    assert collection.debits == 1
    assert (await list_debits(acme, kept.id))[0].collection_id == collection.id
    [waiting] = await list_debits(acme, stopped.id)
    [used] = await list_mandates(acme, other)
    late = date(2026, 2, 28)  # tomorrow
    with pytest.raises(Invalid, match="cannot be revoked after today") as error:
        await revoke_mandate(acme.db, acme.account_id, used.id, day=late, reason="", by=BY)
    assert error.value.field == "day"
    with pytest.raises(Invalid, match="revoked"):
        await create_collections(acme.db, acme.account_id, day=DAY, debit_ids=[waiting.id], by=BY)
    with pytest.raises(Invalid, match="revoked already"):
        await revoke_mandate(
            acme.db, acme.account_id, mandate.id, day=mandate.signed_date, reason="", by=BY
        )


async def test_a_mandate_reference_is_used_once(acme: Cast) -> None:
    await turn_on_debits(acme)
    payer = await make_debtor(acme)
    [first] = await list_mandates(acme, payer)
    same = new_mandate(reference=first.reference.lower())
    with pytest.raises(Invalid) as error:
        await add_mandate(acme.db, acme.account_id, payer, same, by=BY)
    assert error.value.field == "reference"
    await add_mandate(acme.db, acme.account_id, payer, new_mandate(), by=BY)
    assert len({each.reference for each in await list_mandates(acme, payer)}) == 2
    number = first.reference.partition("-")[0]
    other = (await make_subscription(acme))["subscriber"]["id"]
    taken = new_mandate(reference=f"{number}-3")
    await add_mandate(acme.db, acme.account_id, other, taken, by=BY)
    await add_mandate(acme.db, acme.account_id, payer, new_mandate(), by=BY)
    assert {each.reference for each in await list_mandates(acme, payer)} == {
        f"{number}-{n}" for n in (1, 2, 4)
    }


async def test_a_cancelled_collection_is_collected_again(acme: Cast) -> None:
    await turn_on_debits(acme)
    invoice = await debit_one(acme, await make_debtor(acme))
    first = await collect_all(acme)
    with pytest.raises(Invalid, match="Nothing is due"):
        await collect_all(acme)
    await cancel_collection(acme.db, acme.account_id, first.id, by=BY)
    with pytest.raises(Invalid, match="cancelled already"):
        await cancel_collection(acme.db, acme.account_id, first.id, by=BY)
    second = await collect_all(acme)
    assert (second.number, second.total) == (2, first.total)
    new, old = await list_debits(acme, invoice.id)
    assert (new.status, old.status) == (DebitStatus.COLLECTED, DebitStatus.CANCELLED)
    assert new.id != old.id
    assert await faults(acme) == []


async def test_what_was_paid_otherwise_is_not_collected(acme: Cast) -> None:
    await turn_on_debits(acme)
    payer = await make_debtor(acme)
    paid, part, out = [await debit_one(acme, payer) for _ in range(3)]
    for each, amount in ((paid, "60.00"), (part, "20.00")):
        body = {"amount": amount, "invoices": [{"number": each.document.number}]}
        await acme.post("/v1/payments/", body)
    await unmark_invoice(acme.db, acme.account_id, out.id, by=BY)
    collection = await collect_all(acme)
    assert (collection.debits, collection.total) == (1, 4000)
    with pytest.raises(Invalid, match="does not wait"):
        await unmark_invoice(acme.db, acme.account_id, part.id, by=BY)
    day = await mark_invoice(acme.db, acme.account_id, out.id, notified=DAY, by=BY)
    assert day == date(2026, 3, 9)  # seven days later, as the notice ends on a Saturday
    with pytest.raises(Invalid, match="already"):
        await mark_invoice(acme.db, acme.account_id, out.id, notified=DAY, by=BY)
    with pytest.raises(Invalid, match="Nothing is open") as error:
        await mark_invoice(acme.db, acme.account_id, paid.id, notified=DAY, by=BY)
    assert error.value.code == "not_open"


async def test_one_sum_of_the_bank_books_the_whole_collection(acme: Cast) -> None:
    await turn_on_debits(acme)
    made = [await debit_one(acme, await make_debtor(acme)) for _ in range(2)]
    collection = await collect_all(acme)
    await pass_on(acme, "2026-03-03")
    line = bank_line(12000, booking_date=DAY, reference=f"{collection.id}-RCU")
    await import_lines(acme, line, bank_line(12000, booking_date=DAY, text="Other", name="X Y"))
    booked, other = await list_lines(acme)
    async with acme.db.read() as db:
        found = await find_bookings(db, acme.account_id, [booked, other])
    assert [each.is_safe for each in found.values()] == [True]
    done = await confirm_safe(acme.db, acme.account_id, [booked.id, other.id], by=BY)
    assert (done.count, done.left) == (1, 1)
    assert [(await read_invoice(acme, each.id)).open_amount for each in made] == [0, 0]
    assert await faults(acme) == []
    with pytest.raises(Invalid, match="before"):
        await confirm_debits(acme.db, acme.account_id, booked.id, by=BY)
    [debit] = await list_debits(acme, made[0].id)
    assert debit.payment_id is not None
    with pytest.raises(Invalid) as error:
        await undo_payment(acme.db, acme.account_id, debit.payment_id, by=BY)
    assert error.value.code == "booked_together"
    await bank_lines.reopen_line(acme.db, acme.account_id, booked.id, by=BY)
    assert [(await read_invoice(acme, each.id)).open_amount for each in made] == [6000, 6000]
    assert await faults(acme) == []


async def test_single_lines_of_the_bank_book_each_debit(acme: Cast) -> None:
    await turn_on_debits(acme)
    made = [await debit_one(acme, await make_debtor(acme)) for _ in range(2)]
    await collect_all(acme)
    await pass_on(acme, "2026-03-03")
    debits = [(await list_debits(acme, each.id))[0] for each in made]
    named = [bank_line(6000, booking_date=DAY, reference=each.id) for each in debits]
    again = bank_line(6000, booking_date=DAY, reference=debits[0].id, name="Again")
    other = bank_line(5900, booking_date=DAY, reference=debits[0].id, name="Other amount")
    await import_lines(acme, *named, again, other)
    lines = await list_lines(acme)
    done = await confirm_safe(acme.db, acme.account_id, [each.id for each in lines], by=BY)
    assert (done.count, done.left) == (2, 2)
    for line in await list_lines(acme, status="open"):
        with pytest.raises(Invalid, match="were booked otherwise") as error:
            await confirm_debits(acme.db, acme.account_id, line.id, by=BY)
        assert error.value.code == "changed_meanwhile"
    debit = (await list_debits(acme, made[1].id))[0]
    with pytest.raises(Invalid, match="so the bank has the file"):
        await cancel_collection(acme.db, acme.account_id, str(debit.collection_id), by=BY)
    assert [(await read_invoice(acme, each.id)).open_amount for each in made] == [0, 0]
    [debit] = await list_debits(acme, made[0].id)
    assert debit.payment_id is not None
    await undo_payment(acme.db, acme.account_id, debit.payment_id, by=BY)
    assert (await list_debits(acme, made[0].id))[0].status is DebitStatus.COLLECTED
    assert await faults(acme) == []


async def test_a_collection_is_booked_without_a_statement(acme: Cast) -> None:
    await turn_on_debits(acme)
    invoice = await debit_one(acme, await make_debtor(acme))
    collection = await collect_all(acme)
    with pytest.raises(Invalid, match="on that day"):
        await book_collection(acme.db, acme.account_id, collection.id, by=BY)
    await pass_on(acme, DUE)
    assert await book_collection(acme.db, acme.account_id, collection.id, by=BY) == 1
    assert (await read_invoice(acme, invoice.id)).open_amount == 0
    with pytest.raises(Invalid, match="booked already"):
        await book_collection(acme.db, acme.account_id, collection.id, by=BY)
    assert await faults(acme) == []


async def test_broken_direct_debits_are_found(acme: Cast) -> None:
    await turn_on_debits(acme)
    await debit_one(acme, await make_debtor(acme))
    await collect_all(acme)
    for sql in (
        "UPDATE debit SET status = 'waiting' WHERE {own}",
        "UPDATE debit SET amount = 1 WHERE {own}",
        "UPDATE debit SET status = 'paid' WHERE {own}",
        "UPDATE collection SET total = total + 1 WHERE {own}",
        "DELETE FROM collection_file WHERE {own}",
    ):
        assert await faults_after(acme, sql), sql
    assert await faults(acme) == []


async def test_other_invoices_are_paid_as_before(acme: Cast) -> None:
    await turn_on_debits(acme)
    invoice = await bill_one(acme)
    assert invoice.document.debit is None
    assert await list_debits(acme, invoice.id) == []


async def test_the_first_debit_of_a_mandate_is_a_group_of_its_own_if_the_bank_wants_it(
    acme: Cast,
) -> None:
    await turn_on_debits(acme)
    await save_settings(
        acme.db, acme.account_id, creditor_id=CREDITOR_ID, notice_days=5, marks_first=True, by=BY
    )
    payer = await make_debtor(acme)
    first = await debit_one(acme, payer)
    cancelled = await collect_all(acme)
    await cancel_collection(acme.db, acme.account_id, cancelled.id, by=BY)
    collection = await collect_all(acme)
    content = await read_file(acme, collection.id)
    assert re.findall(rb"<SeqTp>(....)", content) == [b"FRST"]
    [debit, _cancelled] = await list_debits(acme, first.id)
    assert debit.sequence_type == "FRST"
    async with acme.db.read() as db:
        ids = [debit.mandate_id, "another"]
        used = await debit_store.list_used_mandates(db, acme.account_id, ids)
    assert used == {debit.mandate_id}  # so that the next one is RCUR
    assert await faults(acme) == []
