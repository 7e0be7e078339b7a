"""Billed orders in an import: who pays, what they owe, and the undo before and after an invoice."""

import pytest
from msgspec import structs

from masthead.model.imports.batches import BatchStatus, ImportBatch, RowOutcome
from masthead.model.imports.guesses import guess_mapping
from masthead.model.imports.mapping import ImportMapping, Rule
from masthead.model.imports.plan import ImportPlan
from masthead.model.imports.subscription_row import MAX_PAYER_NUMBER
from masthead.model.pagination import PageRequest
from masthead.services.billing.find import read_search
from masthead.services.billing.waiting import issue_waiting
from masthead.services.imports.work.options import Import
from masthead.services.imports.work.run_batch import rehearse
from masthead.store.imports import batch_rows
from tests.conftest import BY, Cast
from tests.services.imports.support import imported, reading_of, row, undone
from tests.support.billing import newest_invoices, turn_on_billing
from tests.support.checks import faults
from tests.support.privacy import erase
from tests.support.walk import walk

AGENCY = {
    "is_billed": "yes",
    "payer_company": "Lesezirkel AG",
    "payer_address1": "Ring 1",
    "payer_postcode": "80331",
    "payer_city": "München",
    "payer_country": "DE",
}
PAGE = PageRequest(limit=200, after=None, binding=b"")


def billed(order_id: str, **cells: str) -> dict[str, str]:
    """A row that is billed to its subscriber."""
    return row(order_id, city="Berlin", **{"is_billed": "yes", **cells})


async def refusals(cast: Cast, batch: ImportBatch) -> list[str]:
    """Why rows of an import were refused."""
    page = await batch_rows.list_rows(cast.db, cast.account_id, batch.id, RowOutcome.REFUSED, PAGE)
    return [reason.text for each in page.items for reason in each.reasons]


async def refused(cast: Cast, **cells: str) -> str:
    """Why a row is refused."""
    batch = await imported(cast, billed("R1", **cells), sha256=str(cells))
    assert batch.counts.imported == 0
    return " ".join(await refusals(cast, batch))


async def test_billed_rows_wait_for_one_invoice_of_each_payer(acme: Cast) -> None:
    await turn_on_billing(acme)
    batch = await imported(
        acme,
        billed("A1", due_days="30", order_reference="PO 7", payer_vat_id="DE 136 695 976"),
        billed("A2", **AGENCY, payer_number="70001"),
        billed("A3", **AGENCY),
        row("A4"),
    )
    assert (batch.counts.imported, batch.counts.billed, batch.counts.subscribers_made) == (4, 3, 5)
    assert await newest_invoices(acme) == []
    issued = await issue_waiting(acme.db, acme.account_id, by=BY)
    assert (issued.count, dict(issued.problems)) == (2, {})
    one, two = sorted(
        (each.document for each in await newest_invoices(acme)), key=lambda each: each.total
    )
    assert (one.payer.name, one.payer.vat_id, one.total) == (
        "Ada Lovelace",
        "DE136695976",
        4200,
    )
    assert ((one.due_date - one.issue_date).days, one.order_reference) == (30, "PO 7")
    assert (two.payer.name, two.payer.city, two.payer.number, two.total) == (
        "Lesezirkel AG",
        "München",
        70001,
        8400,
    )
    assert await faults(acme) == []


@pytest.mark.parametrize(
    "billing, payer",
    [
        ({"Rechnung Vorname": "Gudrun", "Rechnung Nachname": "Geber"}, "Gudrun Geber"),
        ({"Rechnung Firma": "Geber GmbH", "USt-ID": "ATU13585627"}, "Geber GmbH"),
        ({"Rechnung Vorname": "Ulf", "Rechnung Nachname": "LEE"}, "Ulf Lee"),
        ({"Rechnung Firma": ""}, "Ulf Lee"),
    ],
)
async def test_the_name_of_the_billing_columns_pays_what_is_billed(
    billing: dict[str, str], payer: str, acme: Cast
) -> None:
    await turn_on_billing(acme)
    place = {"Rechnung Straße": "Gasse 1", "Rechnung Ort": "Ulm", "Rechnung PLZ": "89075"}
    cells = {
        **{"Bestellnummer": "M1", "Bestelldatum": "2026-01-20", "E-Mail": "ulf@x.test"},
        **{"Lieferung Vorname": "Ulf", "Lieferung Nachname": "Lee", "Lieferung Straße": "Weg 1"},
        **{"Lieferung Ort": "Ulm", "Lieferung PLZ": "89073", "Lieferung Land": "DE"},
        **{"Startheft": "1", "Anzahl Hefte": "1", "Preis": "50.00", "Auf Rechnung": "ja"},
        **{**place, "Rechnung Land": "DE", **billing},
    }
    batch = await imported(acme, cells, plan=ImportPlan(mapping=guess_mapping([*cells])))
    assert await refusals(acme, batch) == []
    await issue_waiting(acme.db, acme.account_id, by=BY)
    (invoice,) = await newest_invoices(acme)
    assert invoice.document.payer.name == payer
    street = "Weg 1" if payer == "Ulf Lee" else "Gasse 1"
    assert street in invoice.document.payer.address


@pytest.mark.parametrize(
    "cells, payer, email, street",
    [
        ({"Rechnungsempfänger": "Ann Fox", "Rechnung Straße": "Gasse 1"}, "Ann Fox", "", "Gasse 1"),
        (
            {"Rechnungsempfänger Firma": "Fox AG", "Rechnungsempfänger Straße": "Gasse 1"},
            *("Fox AG", "", "Gasse 1"),
        ),
        ({"Rechnung E-Mail": "post@fox.test"}, "Ulf Lee", "post@fox.test", "Weg 1"),
        ({"Rechnung E-Mail": "ulf@x.test"}, "Ulf Lee", "ulf@x.test", "Weg 1"),
        (
            {
                **{"Rechnung Name": "Ann Fox", "Rechnung Straße": "Gasse 1"},
                **{"Rechnung E-Mail": "post@fox.test"},
            },
            *("Ann Fox", "post@fox.test", "Gasse 1"),
        ),
        (
            {
                **{"Rechnung Firma": "Fox AG", "Rechnung Straße": "Gasse 1"},
                **{"Rechnung E-Mail": "post@fox.test", "Rechnung Name": ""},
            },
            *("Fox AG", "post@fox.test", "Gasse 1"),
        ),
        ({"Rechnung E-Mail": "", "Rechnungsempfänger": ""}, "Ulf Lee", "ulf@x.test", "Weg 1"),
    ],
)
async def test_columns_of_who_gets_the_invoice_are_used_as_they_are_called(
    cells: dict[str, str], payer: str, email: str, street: str, acme: Cast
) -> None:
    """Their email address, too; of a file that has only that, it is the recipient's invoice."""
    await turn_on_billing(acme)
    place = {
        each.replace("Straße", field): value
        for each in cells
        if each.endswith("Straße")
        for field, value in (("Ort", "Ulm"), ("PLZ", "89075"), ("Land", "DE"))
    }
    row = {
        **{"Bestellnummer": "M1", "Bestelldatum": "2026-01-20", "E-Mail": "ulf@x.test"},
        **{"Name": "Ulf Lee", "Straße": "Weg 1", "Ort": "Ulm", "PLZ": "89073", "Land": "DE"},
        **{"Startheft": "1", "Anzahl Hefte": "1", "Preis": "50.00", "Auf Rechnung": "ja"},
        **{**place, **cells},
    }
    batch = await imported(acme, row, plan=ImportPlan(mapping=guess_mapping([*row])))
    assert await refusals(acme, batch) == []
    await issue_waiting(acme.db, acme.account_id, by=BY)
    (invoice,) = await newest_invoices(acme)
    assert invoice.document.payer.name == payer
    assert street in invoice.document.payer.address
    found = {each["id"]: each["email"] for each in await walk(acme, "/v1/subscribers/")}
    assert email in (found[invoice.payer_id], "")


async def test_a_payer_is_found_by_number_or_by_email(acme: Cast) -> None:
    await turn_on_billing(acme)
    await imported(acme, billed("A1", **AGENCY, payer_number="9", payer_email="a@agency.test"))
    number = {"payer_number": "9"}
    email = {**AGENCY, "payer_company": "LZ", "payer_email": "A@agency.test"}
    await imported(acme, billed("A2", **number), billed("A3", **email), sha256="2")
    [agency] = await walk(acme, "/v1/subscribers/", search="a@agency.test")
    await issue_waiting(acme.db, acme.account_id, by=BY)
    [invoice] = await newest_invoices(acme)
    assert (invoice.payer_id, len(invoice.document.lines)) == (agency["id"], 3)


@pytest.mark.parametrize(
    "shared, other",
    [
        ({**AGENCY, "payer_email": "a@agency.test"}, {"payer_company": "LZ"}),
        (AGENCY, {"payer_address1": "Ring 1, Hof"}),  # of the same postcode
    ],
)
async def test_rows_of_a_file_share_a_payer_whom_one_of_them_makes(
    acme: Cast, shared: dict[str, str], other: dict[str, str]
) -> None:
    await turn_on_billing(acme)
    await imported(acme, billed("A1", **shared), billed("A2", **shared | other))
    await issue_waiting(acme.db, acme.account_id, by=BY)
    [invoice] = await newest_invoices(acme)
    assert (invoice.document.payer.name, len(invoice.document.lines)) == ("Lesezirkel AG", 2)


async def test_a_payer_is_found_by_name_unless_the_postcode_is_another(acme: Cast) -> None:
    await turn_on_billing(acme)
    named = {"company": "Lesezirkel AG", "first_name": "", "last_name": ""}
    await imported(acme, row("P1", **named, postcode="80331"), row("P2", **named))
    batch = await imported(acme, billed("A1", **AGENCY), sha256="2")
    assert batch.counts.imported == 1
    await issue_waiting(acme.db, acme.account_id, by=BY)
    [invoice] = await newest_invoices(acme)
    [known] = await walk(acme, "/v1/subscribers/", search="p1@example.test")
    assert invoice.payer_id == known["id"]


async def test_a_name_of_two_subscribers_is_refused_unless_one_of_them_has_paid(
    acme: Cast,
) -> None:
    await turn_on_billing(acme)
    named = {"company": "Lesezirkel AG", "first_name": "", "last_name": ""}
    await imported(acme, row("P1", **named), row("P2", **named))
    pays = {**AGENCY, "payer_postcode": ""}
    assert "2 subscribers have the name of who pays" in await refused(acme, **pays)
    await imported(acme, billed("P3", email="p2@example.test"), sha256="2")
    batch = await imported(acme, billed("A1", **pays), sha256="3")
    assert batch.counts.imported == 1


async def test_one_customer_number_for_two_payers_of_a_file_is_refused(acme: Cast) -> None:
    await turn_on_billing(acme)
    number = {"payer_number": "5"}
    batch = await imported(acme, billed("A1", **AGENCY, **number), billed("A2", **number))
    assert batch.counts.imported == 1
    [reason] = await refusals(acme, batch)
    assert "`payer_number` is 5, which is the customer number of another row" in reason


async def test_a_search_finds_the_largest_customer_number(acme: Cast) -> None:
    await turn_on_billing(acme)
    await imported(acme, billed("A1", payer_number=str(MAX_PAYER_NUMBER)))
    await issue_waiting(acme.db, acme.account_id, by=BY)
    [invoice] = await newest_invoices(acme)
    async with acme.db.read() as db:
        found = await read_search(db, acme.account_id, str(MAX_PAYER_NUMBER))
    assert found.payer_ids == [invoice.payer_id]


async def test_a_renewal_goes_to_who_was_billed_before(acme: Cast) -> None:
    await turn_on_billing(acme)
    again = {"renews": "A1", "start_issue": ""}
    await imported(acme, billed("A1", **AGENCY), billed("A2", **again))
    await issue_waiting(acme.db, acme.account_id, by=BY)
    [invoice] = await newest_invoices(acme)
    assert [each.order_id for each in invoice.document.lines] == ["A1", "A2"]


async def test_vat_is_added_to_prices_without_it(acme: Cast) -> None:
    await turn_on_billing(acme, prices_include_vat=False)
    rows = [billed("A1", price="100"), billed("A2", price="100", medium="Digital")]
    rows.append(billed("A3", renews="A2", start_issue="", price="100"))
    await imported(acme, *rows)
    again = await imported(acme, *rows, sha256="2")
    assert again.counts.skipped == 3
    await issue_waiting(acme.db, acme.account_id, by=BY)
    totals = sorted(each.document.total for each in await newest_invoices(acme))
    assert totals == [10700, 23800]


@pytest.mark.parametrize(
    "cells, text",
    [
        ({"is_billed": "", "due_days": "5"}, "`due_days` is for orders that are billed"),
        ({"transaction_id": "ch_1"}, "`transaction_id` says how an order was paid"),
        ({"price": "0"}, "Nothing is owed"),
        ({"payer_vat_id": "DE136695977"}, "is not a valid VAT ID of Germany"),
        ({"due_days": "400"}, '`due_days` is "400"; expected a whole number from 0 to 365.'),
        ({"payer_company": "New AG"}, "The address is missing"),
        ({"payer_address1": "Ring 1"}, "`payer_country` is missing; the address of who pays"),
        ({"payer_city": "Ulm"}, "`payer_country` is missing; the address of who pays"),
        ({**AGENCY, "payer_number": "7"}, "`payer_number` is 7, which is the customer number of"),
        ({"email": "k1@example.test", "payer_number": "8"}, "the customer number of who pays is 7"),
    ],
)
async def test_what_cannot_be_billed_is_refused_with_the_way_out(
    acme: Cast, cells: dict[str, str], text: str
) -> None:
    await turn_on_billing(acme)
    await imported(acme, billed("K1", payer_number="7"), sha256="known")
    assert text in await refused(acme, **cells)


async def test_an_account_without_settings_refuses_only_the_billed_rows(acme: Cast) -> None:
    await turn_on_billing(acme)
    await acme.db.write(
        lambda tx: tx.execute("DELETE FROM billing", {}), account_id=acme.account_id
    )
    batch = await imported(acme, billed("A1"), row("A2"))
    assert (batch.counts.imported, batch.counts.rejected) == (1, 1)
    assert "writes no invoices yet" in (await refusals(acme, batch))[0]


async def test_a_rehearsal_says_what_the_import_does(acme: Cast) -> None:
    await turn_on_billing(acme)
    reading = await reading_of(acme, billed("A1", **AGENCY), billed("A2", payer_company="X"))
    how = Import(acme.account_id, acme.imported, reading.facts.defaults, BY)
    tally = await rehearse(acme.db, how, reading)
    assert (tally.counts.imported, tally.counts.billed, tally.counts.rejected) == (1, 1, 1)
    assert await walk(acme, "/v1/subscribers/") == []


async def test_an_undo_takes_back_waiting_orders_and_their_payers(acme: Cast) -> None:
    await turn_on_billing(acme)
    batch = await imported(
        acme,
        billed("A1", **AGENCY),
        billed("A2", payer_vat_id="DE136695976"),
        billed("A3", **AGENCY),
    )
    done = await undone(acme, batch)
    assert (done.status, done.counts.undone) == (BatchStatus.UNDONE, 3)
    assert await walk(acme, "/v1/subscribers/") == []
    assert await faults(acme) == []


async def test_an_undo_stops_at_an_invoice_and_names_it(acme: Cast) -> None:
    await turn_on_billing(acme)
    batch = await imported(acme, billed("A1"), row("A2"))
    await issue_waiting(acme.db, acme.account_id, by=BY)
    stopped = await undone(acme, batch)
    assert stopped.status is BatchStatus.IMPORTED
    assert "line 2 (A1: on an invoice)" in (stopped.error or "")
    kept = await undone(acme, batch, keep=True)
    assert (kept.status, kept.counts.undone, kept.counts.kept) == (BatchStatus.UNDONE, 1, 1)


async def test_a_row_whose_payer_was_erased_is_left_out(acme: Cast) -> None:
    await turn_on_billing(acme)
    pays = {**AGENCY, "payer_email": "a@agency.test"}
    await imported(acme, billed("A1", **pays))
    await issue_waiting(acme.db, acme.account_id, by=BY)
    [agency] = await walk(acme, "/v1/subscribers/", search="a@agency.test")
    await erase(acme, agency["id"])
    batch = await imported(acme, billed("A2", **pays), sha256="2")
    assert (batch.counts.imported, batch.counts.left_out) == (0, 1)


async def test_a_row_that_names_an_erased_payer_is_refused_and_the_others_are_imported(
    acme: Cast,
) -> None:
    await turn_on_billing(acme)
    await imported(acme, billed("A1", **AGENCY, payer_number="9"))
    await issue_waiting(acme.db, acme.account_id, by=BY)
    [invoice] = await newest_invoices(acme)
    await erase(acme, invoice.payer_id)
    batch = await imported(
        acme, billed("A2", payer_number="9"), billed("A3", email="b@example.test"), sha256="2"
    )
    assert batch.counts.imported == 1
    [reason] = await refusals(acme, batch)
    assert "was erased" in reason


async def test_orders_that_are_not_paid_get_an_invoice_if_the_mapping_says_so(acme: Cast) -> None:
    """A status of a list of one's own; the account needs its settings of invoices."""
    cells = {name: Rule(columns=(name,)) for name in row("")}
    columns = {**cells, "email": Rule(columns=("Mail",)), "status": Rule(columns=("State",))}
    mapping = ImportMapping(columns=columns, status={"offen": "not paid", "bezahlt": "Active"})
    rows = [
        {**row(f"A{number}", start_issue="7"), "Mail": f"{state}@x.test", "State": state}
        for number, state in enumerate(("offen", "bezahlt"))
    ]

    async def run(unpaid: str) -> ImportBatch:
        changed = structs.replace(mapping, unpaid=unpaid)
        plan = ImportPlan(mapping=changed, create_issues=True)
        return await imported(acme, *rows, plan=plan, sha256=unpaid)

    first = await run("leave_out")
    assert await refusals(acme, first) == []
    assert (first.counts.imported, first.counts.left_out, first.counts.billed) == (1, 1, 0)
    early = await run("by_invoice")
    assert (early.counts.imported, early.counts.skipped, early.counts.rejected) == (0, 1, 1)
    assert "This account writes no invoices yet." in " ".join(await refusals(acme, early))
    await turn_on_billing(acme)
    batch = await run("by_invoice")
    assert (batch.counts.imported, batch.counts.billed) == (1, 1)
    await issue_waiting(acme.db, acme.account_id, by=BY)
    [invoice] = await newest_invoices(acme)
    assert (invoice.document.total, invoice.document.payer.name) == (4200, "Ada Lovelace")
    assert await faults(acme) == []
