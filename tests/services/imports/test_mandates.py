"""SEPA mandates in an import: who gets them, what is refused, and the undo."""

from datetime import date, timedelta

import pytest

from masthead.model.clock import account_today
from masthead.model.imports.batches import BatchStatus, ImportBatch, RowOutcome
from masthead.model.imports.guesses import guess_mapping
from masthead.model.imports.plan import ImportPlan
from masthead.model.pagination import PageRequest
from masthead.services.debits.mandates import add_mandate
from masthead.services.debits.settings import save_settings
from masthead.store.debits import mandates as store
from masthead.store.imports import batch_rows
from tests.conftest import BY, Cast
from tests.services.imports.support import imported, reading_of, row, undone
from tests.support.billing import turn_on_billing
from tests.support.checks import faults
from tests.support.debits import CREDITOR_ID, new_mandate, turn_on_debits_today
from tests.support.walk import walk

IBAN, OTHER = "DE02 1203 0000 0000 2020 51", "DE75512108001245126199"
LAST_YEAR = account_today().year - 1
SIGNED = date(LAST_YEAR, 1, 2)  # less than 36 months ago, so the mandate is valid
PAGE = PageRequest(limit=200, after=None, binding=b"")


def with_mandate(order_id: str, **cells: str) -> dict[str, str]:
    """A row with a mandate."""
    signed = {"iban": IBAN, "mandate_date": f"{SIGNED}"}
    return row(order_id, city="Berlin", **{**signed, **cells})


async def mandates_of(cast: Cast, email: str) -> list[tuple[str, str, str]]:
    """IBAN, holder and reference of the mandates of a subscriber."""
    [found] = await walk(cast, "/v1/subscribers/", email=email)
    async with cast.db.read() as db:
        listed = await store.list_of_payer(db, cast.account_id, found["id"])
    return [(each.iban, each.holder, each.reference) for each in listed]


async def reasons(cast: Cast, batch: ImportBatch, outcome: RowOutcome = RowOutcome.REFUSED) -> str:
    """What is said of the rows with an outcome."""
    page = await batch_rows.list_rows(cast.db, cast.account_id, batch.id, outcome, PAGE)
    return " ".join(
        f"{it.column} {it.value} {it.text}" for each in page.items for it in each.reasons
    )


async def test_the_columns_of_a_list_give_who_pays_a_mandate(acme: Cast) -> None:
    """Once each, even if the file is imported again, or has several orders of one payer."""
    await turn_on_debits_today(acme)
    rows = [
        with_mandate("A1", mandate_reference="OLD-1", account_holder="Max Bell"),
        with_mandate("A2", iban=OTHER.lower(), email="a2@example.test"),
        with_mandate("A3", email="a2@example.test", iban=OTHER),
        row("A4"),
    ]
    batch = await imported(acme, *rows)
    assert (batch.counts.imported, batch.counts.mandates, batch.counts.rejected) == (4, 2, 0)
    assert await mandates_of(acme, "a1@example.test") == [
        (IBAN.replace(" ", ""), "Max Bell", "OLD-1")
    ]
    assert await mandates_of(acme, "a2@example.test") == [(OTHER, "Ada Lovelace", "M2-1")]
    again = await imported(acme, *rows, sha256="2")
    assert (again.counts.skipped, again.counts.mandates) == (4, 0)
    assert await faults(acme) == []


async def test_a_mandate_that_another_system_has_used_is_valid_for_36_months_more(
    acme: Cast,
) -> None:
    await turn_on_debits_today(acme)
    used = {"mandate_date": "2012-05-01", "mandate_last_used": f"{LAST_YEAR}-05-01"}
    batch = await imported(acme, with_mandate("A1", **used))
    assert batch.counts.mandates == 1
    [payer] = await walk(acme, "/v1/subscribers/")
    async with acme.db.read() as db:
        [mandate] = await store.list_of_payer(db, acme.account_id, payer["id"])
    assert mandate.last_day == date(LAST_YEAR + 3, 5, 1)


async def test_who_gets_the_invoice_gets_the_mandate(acme: Cast) -> None:
    await turn_on_debits_today(acme)
    payer = {
        **{"is_billed": "yes", "payer_company": "Fox AG", "payer_email": "fox@x.test"},
        **{"payer_address1": "Ring 1", "payer_city": "Ulm", "payer_postcode": "89073"},
    }
    batch = await imported(acme, with_mandate("A1", payer_country="DE", **payer))
    assert batch.counts.mandates == 1
    assert await mandates_of(acme, "a1@example.test") == []
    assert [each[:2] for each in await mandates_of(acme, "fox@x.test")] == [
        (IBAN.replace(" ", ""), "Fox AG")
    ]
    done = await undone(acme, batch)
    assert done.status is BatchStatus.UNDONE
    assert await walk(acme, "/v1/subscribers/") == []


@pytest.mark.parametrize(
    "cells, told",
    [
        ({"iban": "DE02120300000000202052"}, "iban  `iban`: This is not an IBAN. Its check digits"),
        ({"iban": "DE0212030000000020205"}, "iban  `iban`: This is not an IBAN. It has 21"),
        ({"iban": "US64SVBKUS6S3300958879"}, "iban  `iban`: This is not an IBAN."),
        ({"mandate_date": ""}, "`mandate_date` is missing; it is the day"),
        ({"iban": ""}, "`iban` is missing; a mandate needs it."),
        ({"mandate_date": "2022-01-02"}, "`mandate_date`: A mandate ends 36 months after"),
        (
            {"mandate_last_used": f"{SIGNED - timedelta(days=1)}"},
            "`mandate_last_used`: The last use of a mandate is",
        ),
        ({"mandate_reference": "No. 1"}, "`No. 1` cannot be a mandate reference"),
        ({"account_holder": "李"}, "A bank cannot read `李`"),
    ],
)
async def test_a_mandate_that_a_bank_would_not_take_is_refused_in_the_rehearsal(
    acme: Cast, cells: dict[str, str], told: str
) -> None:
    """The reason has no digit of the IBAN."""
    await turn_on_debits_today(acme)
    reading = await reading_of(acme, with_mandate("A1", **cells))
    [prepared] = reading.rows()
    said = " ".join(f"{it.column} {it.value} {it.text}" for it in prepared.reasons)
    assert told in said
    assert "20205" not in said
    batch = await imported(acme, with_mandate("A1", **cells))
    assert (batch.counts.imported, batch.counts.rejected) == (0, 1)
    assert told in await reasons(acme, batch)


async def test_a_reference_of_another_mandate_is_refused(acme: Cast) -> None:
    await turn_on_debits_today(acme)
    batch = await imported(
        acme,
        with_mandate("A1", mandate_reference="OLD-1"),
        with_mandate("A2", mandate_reference="old-1", iban=OTHER),
    )
    assert (batch.counts.imported, batch.counts.rejected) == (1, 1)
    assert "that of a mandate with another IBAN" in await reasons(acme, batch)
    later = await imported(
        acme, with_mandate("A3", mandate_reference="OLD-1", iban=OTHER), sha256="2"
    )
    assert later.counts.rejected == 1
    # Two who pay from one account have a reference each
    same = await imported(acme, with_mandate("A4", mandate_reference="OLD-1"), sha256="3")
    assert (same.counts.imported, same.counts.mandates) == (1, 0)
    said = await reasons(acme, same, RowOutcome.IMPORTED)
    assert "There is a mandate with the reference OLD-1 already" in said


async def test_without_settings_of_direct_debits_the_rows_are_refused(acme: Cast) -> None:
    """They can be imported afterwards."""
    await turn_on_billing(acme)
    batch = await imported(acme, with_mandate("A1"), row("A2"))
    assert (batch.counts.imported, batch.counts.rejected) == (1, 1)
    await save_settings(acme.db, acme.account_id, creditor_id=CREDITOR_ID, notice_days=5, by=BY)
    again = await imported(acme, with_mandate("A1"), row("A2"), sha256="2")
    assert (again.counts.imported, again.counts.skipped, again.counts.mandates) == (1, 1, 1)


async def test_an_undo_takes_mandates_back_that_nothing_was_collected_by(acme: Cast) -> None:
    await turn_on_debits_today(acme)
    batch = await imported(acme, with_mandate("A1"), with_mandate("A2", iban=OTHER))
    done = await undone(acme, batch)
    assert (done.status, done.counts.undone) == (BatchStatus.UNDONE, 2)
    assert await walk(acme, "/v1/subscribers/") == []
    async with acme.db.read() as db:
        assert await store.find_by_references(db, acme.account_id, {"M1-1", "M2-1"}) == {}
    assert await faults(acme) == []


async def test_a_payer_with_a_mandate_of_their_own_stays(acme: Cast) -> None:
    """Staff have since added a mandate for the giver that the import created."""
    await turn_on_debits_today(acme)
    gift = {"is_gift": "yes", "gifter_name": "Bo Fox", "gifter_email": "bo@x.test"}
    payer = {"payer_name": "Bo Fox", "payer_email": "bo@x.test", "payer_address1": "Ring 1"}
    place = {"payer_city": "Ulm", "payer_country": "DE", "is_billed": "yes"}
    batch = await imported(acme, row("A1", **gift, **payer, **place))
    [giver] = await walk(acme, "/v1/subscribers/", email="bo@x.test")
    mandate = new_mandate(signed_date=SIGNED)
    await add_mandate(acme.db, acme.account_id, giver["id"], mandate, by=BY)
    done = await undone(acme, batch, keep=True)
    assert done.status is BatchStatus.UNDONE
    assert [each["email"] for each in await walk(acme, "/v1/subscribers/")] == ["bo@x.test"]
    assert await faults(acme) == []


async def test_columns_of_other_lists_are_found_by_their_names(acme: Cast) -> None:
    await turn_on_debits_today(acme)
    cells = {
        **{"Bestellnummer": "M1", "Bestelldatum": "2026-01-20", "E-Mail": "ulf@x.test"},
        **{"Name": "Ulf Lee", "Straße": "Weg 1", "Ort": "Ulm", "PLZ": "89073", "Land": "DE"},
        **{"Startheft": "1", "Anzahl Hefte": "1", "Preis": "50.00", "IBAN": IBAN, "BIC": ""},
        **{"Mandatsreferenz": "R-7", "Mandatsdatum": f"2.1.{LAST_YEAR}", "Kontoinhaber": "Ute Lee"},
    }
    batch = await imported(acme, cells, plan=ImportPlan(mapping=guess_mapping([*cells])))
    assert batch.counts.mandates == 1
    assert await mandates_of(acme, "ulf@x.test") == [(IBAN.replace(" ", ""), "Ute Lee", "R-7")]
    alone = guess_mapping([each for each in cells if each != "Mandatsdatum"])
    assert {"iban", "mandate_reference", "account_holder"}.isdisjoint(alone.columns)
