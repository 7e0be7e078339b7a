"""Returns of direct debits, merges, erasures, and the export of the whole account."""

from datetime import date
from pathlib import Path

import pytest

from masthead.model.billing.documents import DocumentKind
from masthead.model.billing.inputs import PaymentCreate
from masthead.model.debits.rules import DebitStatus
from masthead.model.errors import Invalid
from masthead.model.privacy.erasures import Record
from masthead.model.validation import decode_input
from masthead.services.billing.bank_lines import confirm_return, confirm_safe, reopen_line
from masthead.services.billing.bank_statements.camt import read_camt
from masthead.services.billing.bank_statements.mt940 import read_mt940
from masthead.services.billing.payments import create_payment
from masthead.services.billing.returned import propose_returned
from masthead.services.debits.mandates import (
    INVALID_FILE,
    add_mandate,
    make_signed_file,
    set_signed_file,
)
from masthead.services.debits.settings import save_settings
from masthead.services.pictures import MAX_UPLOAD
from masthead.services.privacy.erase import erase_subscriber, preview_erasure
from masthead.services.subscribers.merge import merge_subscribers
from masthead.services.subscribers.undo_merge import undo_merge
from masthead.store.debits import mandates as mandate_store, to_do
from tests.conftest import BY, Cast
from tests.support.bank import bank_line, import_lines, list_lines
from tests.support.billing import newest_invoices, read_invoice
from tests.support.checks import faults
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
    turn_on_debits,
)
from tests.support.factories import PLACEHOLDER_DOMAIN, make_subscription

DAY, BACK = date.fromisoformat(DUE), date(2026, 3, 5)
PDF = b"%PDF-1.7\nsigned\n%%EOF\n"


async def collect_and_return(
    cast: Cast, reason: str, *, charges_bank_fee: bool = False
) -> tuple[str, str, str]:
    """Collect an invoice, and let it come back; returns payer, invoice and bank line."""
    await turn_on_debits(cast)
    await save_settings(
        cast.db,
        cast.account_id,
        creditor_id=CREDITOR_ID,
        notice_days=5,
        charges_bank_fee=charges_bank_fee,
        by=BY,
    )
    payer = await make_debtor(cast)
    invoice = await debit_one(cast, payer)
    collection = await collect_all(cast)
    await pass_on(cast, "2026-03-05")
    [debit] = await list_debits(cast, invoice.id)
    await import_lines(cast, bank_line(6000, booking_date=DAY, reference=f"{collection.id}-RCU"))
    [line] = await list_lines(cast)
    await confirm_safe(cast.db, cast.account_id, [line.id], by=BY)
    back = bank_line(
        -6300, booking_date=BACK, reference=debit.id, return_reason=reason, original_amount=6000
    )
    await import_lines(cast, back)
    _first, returned = await list_lines(cast)
    async with cast.db.read() as db:
        [proposed] = await propose_returned(db, cast.account_id, returned)
    assert proposed.is_named
    await confirm_return(cast.db, cast.account_id, returned.id, proposed.id, by=BY)
    return payer, invoice.id, returned.id


@pytest.mark.parametrize("reason", ["AC04", "MD01", "MD06"])
async def test_a_return_opens_the_invoice_and_stops_the_mandate(acme: Cast, reason: str) -> None:
    payer, invoice, line = await collect_and_return(acme, reason)
    assert (await read_invoice(acme, invoice)).open_amount == 6000
    [debit] = await list_debits(acme, invoice)
    assert (debit.status, debit.return_reason, debit.returned_date) == (
        DebitStatus.RETURNED,
        reason,
        BACK,
    )
    [mandate] = await list_mandates(acme, payer)
    assert (mandate.revoked_date, mandate.revoke_reason) == (BACK, reason)
    async with acme.db.read() as db:
        assert await to_do.count_returned(db, acme.account_id) == 1
    assert await faults(acme) == []
    await reopen_line(acme.db, acme.account_id, line, by=BY)
    assert (await read_invoice(acme, invoice)).open_amount == 0
    [mandate] = await list_mandates(acme, payer)
    assert mandate.revoked_date is None
    assert (await list_debits(acme, invoice))[0].status is DebitStatus.PAID
    assert await faults(acme) == []


@pytest.mark.parametrize("reason", ["AM04", "MS03"])
async def test_too_little_money_does_not_stop_the_mandate(acme: Cast, reason: str) -> None:
    payer, invoice, _line = await collect_and_return(acme, reason)
    assert (await read_invoice(acme, invoice)).open_amount == 6000
    [mandate] = await list_mandates(acme, payer)
    assert mandate.revoked_date is None
    assert await faults(acme) == []


def test_formats_of_banks_name_debits_and_collections() -> None:
    id, collection = "00001" + "0" * 26, "00002" + "A" * 26
    camt = f"""<Document><BkToCstmrStmt><Stmt>
      <Acct><Id><IBAN>{IBAN}</IBAN></Id><Ccy>EUR</Ccy></Acct>
      <Ntry><Amt Ccy="EUR">120.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>
        <BookgDt><Dt>2026-03-02</Dt></BookgDt>
        <NtryDtls><Btch><PmtInfId>{collection}-RCU</PmtInfId><NbOfTxs>2</NbOfTxs></Btch></NtryDtls>
      </Ntry>
      <Ntry><Amt Ccy="EUR">63.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>
        <BookgDt><Dt>2026-03-05</Dt></BookgDt>
        <NtryDtls><TxDtls><Refs><EndToEndId>{id}</EndToEndId><MndtId>M1-1</MndtId></Refs>
        <RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf></TxDtls></NtryDtls>
      </Ntry>
    </Stmt></BkToCstmrStmt></Document>"""
    [statement] = read_camt(camt.encode())
    assert [each.reference for each in statement.lines] == [f"{collection}-RCU", id]
    assert statement.lines[1].return_reason == "AC04"
    mt940 = (
        ":20:1\n:25:10020030/1234567\n:28C:1\n:60F:C260301EUR0,00\n"
        ":61:2603020302C120,00N192NONREF\n"
        f":86:192?00BASISLASTSCHRIFT?20KREF+{collection[:22]}?21{collection[22:]}-RCU\n"
        ":61:2603050305D63,00N109NONREF\n"
        f":86:109?00RUECKLASTSCHRIFT?20EREF+{id[:22]}?21{id[22:]}?22SVWZ+Zurueck"
        "?34902\n"
        ":62F:C260305EUR57,00\n-\n"
    )
    [other] = read_mt940(mt940)
    assert [each.reference for each in other.lines] == [f"{collection}-RCU", id]
    assert other.lines[1].return_reason == "AC04"


async def test_a_merge_moves_mandates_and_its_undo_moves_them_back(acme: Cast) -> None:
    await turn_on_debits(acme)
    payer = await make_debtor(acme)
    invoice = await debit_one(acme, payer)
    kept = (await make_subscription(acme))["subscriber"]["id"]
    merge = await merge_subscribers(acme.db, acme.account_id, kept_id=kept, merged_id=payer, by=BY)
    assert await list_mandates(acme, payer) == []
    assert len(await list_mandates(acme, kept)) == 1
    assert (await collect_all(acme)).debits == 1
    assert (await debit_one(acme, kept)).payer_id == kept
    assert await faults(acme) == []
    await undo_merge(acme.db, acme.account_id, merge, by=BY)
    assert len(await list_mandates(acme, payer)) == 1
    assert (await list_debits(acme, invoice.id))[0].status is DebitStatus.COLLECTED


async def test_an_erasure_keeps_what_was_collected_and_deletes_other_mandates(acme: Cast) -> None:
    await turn_on_debits(acme)
    payer = await make_debtor(acme)
    invoice = await debit_one(acme, payer)
    await collect_all(acme)
    [used] = await list_mandates(acme, payer)
    await set_signed_file(acme.db, acme.account_id, used.id, make_signed_file(PDF), by=BY)
    await add_mandate(acme.db, acme.account_id, payer, new_mandate(reference="UNUSED"), by=BY)
    async with acme.db.read() as db:
        preview = await preview_erasure(
            db, acme.account_id, payer, placeholder_domain=PLACEHOLDER_DOMAIN
        )
    assert preview.counts[Record.MANDATES] == 2
    done = await erase_subscriber(
        acme.db,
        acme.account_id,
        payer,
        is_cancelling=True,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )
    [kept] = await list_mandates(acme, payer)
    assert (kept.id, kept.iban, kept.holder) == (used.id, IBAN, "Ann Müller")
    assert kept.revoked_date == date(2026, 2, 27)
    assert kept.has_file
    assert done.kept[Record.MANDATES] == 2
    assert (await list_debits(acme, invoice.id))[0].status is DebitStatus.COLLECTED
    await pass_on(acme, "2026-03-03")
    [debit] = await list_debits(acme, invoice.id)
    await import_lines(acme, bank_line(6000, booking_date=DAY, reference=debit.id))
    [line] = await list_lines(acme)
    assert (await confirm_safe(acme.db, acme.account_id, [line.id], by=BY)).count == 1
    assert await faults(acme) == []


async def test_ibans_are_in_no_log_of_changes_and_no_event(acme: Cast) -> None:
    _payer, _invoice, _line = await collect_and_return(acme, "MD06")
    for table in ("audit", "event", "outbox", "stored_answer", "submission", "searchable"):
        rows = await acme.db.fetch_all(
            f"SELECT * FROM {table} WHERE account_id = :account_id",  # noqa: S608 - a table above
            {"account_id": acme.account_id},
        )
        assert IBAN[8:] not in str([dict(row) for row in rows]), table


@pytest.mark.parametrize("content", [b"<html>", b"%PDF-1.7 cut", Path(__file__).read_bytes()])
def test_a_signed_file_is_a_whole_pdf_or_a_picture(content: bytes) -> None:
    assert make_signed_file(PDF).media_type == "application/pdf"
    with pytest.raises(Invalid) as error:
        make_signed_file(content)
    assert error.value.field == "file"


def test_a_signed_file_has_at_most_some_megabytes() -> None:
    with pytest.raises(Invalid, match="Make it smaller first") as error:
        make_signed_file(PDF + b" " * MAX_UPLOAD)
    assert (error.value.code, error.value.field) == (INVALID_FILE, "file")


async def test_a_mandate_for_one_debit_is_used_once(acme: Cast) -> None:
    await turn_on_debits(acme)
    payer = (await make_subscription(acme))["subscriber"]["id"]
    once = new_mandate(is_recurring=False)
    id = await add_mandate(acme.db, acme.account_id, payer, once, by=BY)
    await debit_one(acme, payer)
    await collect_all(acme)
    async with acme.db.read() as db:
        assert (await mandate_store.get_mandate(db, acme.account_id, id)).is_used_up
    with pytest.raises(Invalid, match="no mandate"):
        await debit_one(acme, payer)


@pytest.mark.parametrize("charges", [False, True])
async def test_the_fee_of_the_bank_is_owed_if_the_settings_say_so(
    acme: Cast, charges: bool
) -> None:
    payer, invoice_id, line_id = await collect_and_return(acme, "AM04", charges_bank_fee=charges)
    fees = [each for each in await newest_invoices(acme) if each.kind is DocumentKind.FEE]
    assert (await read_invoice(acme, invoice_id)).open_amount == 60_00
    assert [(each.payer_id, each.open_amount) for each in fees] == [(payer, 3_00)] * charges
    assert await faults(acme) == []
    await reopen_line(acme.db, acme.account_id, line_id, by=BY)
    open_now = [each.open_amount for each in await newest_invoices(acme)]
    assert open_now == [0] * len(open_now)
    assert await faults(acme) == []


async def test_a_return_whose_fee_is_paid_cannot_be_undone(acme: Cast) -> None:
    payer, _invoice_id, line_id = await collect_and_return(acme, "AM04", charges_bank_fee=True)
    [fee] = [each for each in await newest_invoices(acme) if each.kind is DocumentKind.FEE]
    asked = {"amount": "3.00", "payer": payer, "invoices": [{"number": fee.document.number}]}
    body = decode_input(PaymentCreate, asked)
    await create_payment(acme.db, acme.account_id, body, by=BY)
    with pytest.raises(Invalid, match="FEE-2026-00001 for this return is paid"):
        await reopen_line(acme.db, acme.account_id, line_id, by=BY)
    assert await faults(acme) == []
