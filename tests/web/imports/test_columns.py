"""Choose the columns of an uploaded file, and see its first rows as they would be."""

import asyncio
import io
import re
from pathlib import Path

import pytest
import xlsxwriter
from msgspec import structs

from masthead.model.clock import account_today
from masthead.model.imports.mapping import (
    ImportMapping,
    ItemOffer,
    Rule,
    answer_mapping,
    decode_json,
    encode_json,
)
from masthead.model.imports.plan import ImportPlan
from masthead.model.imports.presets.registry import list_presets
from masthead.model.orders.offers import Offer
from masthead.services import products
from masthead.services.imports import batches as service
from masthead.services.imports.mappings import save_mapping
from masthead.services.imports.work.page_batches import work_on
from masthead.store.engine.interface import Transaction
from masthead.store.imports import batches, files, mappings
from tests.conftest import BY, Cast
from tests.support.debits import IBAN, turn_on_debits_today
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue
from tests.web.conftest import Person
from tests.web.imports.uploads import CHOSEN, FILES, UNKNOWN, choose, form_of, upload, uploaded
from tests.web.subscribers.test_pages import words as plain
from tests.web.test_language import use_locale


async def test_an_unknown_file_is_mapped_and_previewed(owner: Person) -> None:
    id = await uploaded(owner, UNKNOWN)
    page = await choose(owner, id, CHOSEN)
    assert page.url.path.endswith("/preview/")
    assert "“Betrag”: <bdi>42,00 €</bdi> is read as €42.00." in page.text
    assert "“Wann”: <bdi>13.01.2026</bdi> is read as 13 January 2026." in page.text
    assert "“Land”: <bdi>Deutschland</bdi> is read as Germany." in page.text
    for text in ("Ann Fox", "Kai 1", "Germany", "€42.00", "from issue 12", "LIST-", "Denmark"):
        assert text in page.text
    assert "Rehearse with all rows" in page.text
    here = owner.address("imports", id, "columns")
    again = form_of(await owner.text("imports", id, "columns"), here)
    assert {name: again.get(name) for name in CHOSEN} == CHOSEN


async def test_the_preview_marks_rows_that_are_in_the_file_twice(owner: Person) -> None:
    id = await uploaded(owner, UNKNOWN + UNKNOWN.splitlines(keepends=True)[1])
    page = await choose(owner, id, CHOSEN)
    assert "Line 2 is the same order. It is imported only once." in page.text
    assert "It has 3 rows." in await owner.text("imports", id, "columns")


async def test_the_products_of_a_file_are_asked_about(owner: Person, acme: Cast) -> None:
    made = await products.create_product(
        acme.db, acme.account_id, name="Yearly", offer=Offer(length=4), by=BY
    )
    id = await uploaded(owner, UNKNOWN)
    await choose(owner, id, CHOSEN, "check")
    page = await owner.text("imports", id, "columns")
    assert "Jahresabo 4 Ausgaben" in page
    shown = form_of(page, owner.address("imports", id, "columns"))
    assert shown["length-0"] == "4"
    fields = {"offer-0": made.id, "offer-1": "leave", "length-1": ""}
    page = (await choose(owner, id, fields)).text
    assert "Ann Fox" in page
    assert '<bdi>Bo Lund</bdi><br><span class="quiet">Left out' in page
    batch = await batches.get_batch(acme.db, acme.account_id, id)
    assert batch.plan.mapping.products["Jahresabo 4 Ausgaben"].product == made.id
    assert batch.plan.mapping.products["Probeheft"].leave_out


@pytest.mark.parametrize("length", ["four", "0", "-1"])
async def test_a_number_of_issues_that_is_none_is_refused(owner: Person, length: str) -> None:
    id = await uploaded(owner, UNKNOWN)
    await choose(owner, id, CHOSEN, "check")
    refused = await choose(owner, id, {"length-0": length})
    assert refused.status_code == 400
    assert "is no number of issues or months" in refused.text


async def test_columns_are_saved_by_name_and_used_for_the_next_file(owner: Person) -> None:
    first = await uploaded(owner, UNKNOWN)
    page = await choose(owner, first, {**CHOSEN, "save_as": "Old list"}, "check")
    assert "saved as “Old list”" in page.text
    second = await uploaded(owner, UNKNOWN, "next.csv")
    here = owner.address("imports", second, "preset")
    assert (await owner.post(here, {"preset": "saved:Old list"})).status_code == 303
    columns = owner.address("imports", second, "columns")
    shown = form_of(await owner.text("imports", second, "columns"), columns)
    assert shown["column-full_name"] == "c0"
    assert shown["order_prefix"] == "LIST-"
    assert "Old list" in await owner.text("imports")
    await owner.post(owner.address("imports", "saved", "delete"), {"name": "Old list"})
    assert "“Old list” is deleted" in await owner.text("imports")
    assert (await owner.post(here, {"preset": "saved:Old list"})).status_code == 404


async def test_a_column_that_is_not_used_any_more_is_forgotten(owner: Person, acme: Cast) -> None:
    id = await uploaded(owner, UNKNOWN)
    await choose(owner, id, CHOSEN, "check")
    fields = {"column-price": "", "column-medium": "", "column-city": "c999"}
    await choose(owner, id, fields, "check")
    plan = (await batches.get_batch(acme.db, acme.account_id, id)).plan
    assert "price" not in plan.mapping.columns
    assert "medium" not in plan.mapping.columns
    assert plan.mapping.columns["city"].columns == ("Ort",)


async def test_another_preset_can_be_chosen(owner: Person, acme: Cast) -> None:
    id = await uploaded(owner, (FILES / "shopify-orders.csv").read_bytes())
    here = owner.address("imports", id, "preset")
    await owner.post(here, {"preset": ""})
    assert (await batches.get_batch(acme.db, acme.account_id, id)).plan.preset is None
    await owner.post(here, {"preset": "shopify-orders"})
    assert (await batches.get_batch(acme.db, acme.account_id, id)).plan.order_prefix == "SHOPIFY-"
    assert (await owner.post(here, {"preset": "shoppy"})).status_code == 400


@pytest.mark.parametrize("file", sorted(FILES.glob("*.csv")), ids=lambda path: path.stem)
async def test_the_file_of_each_preset_is_recognized_and_previewed(
    owner: Person, acme: Cast, file: Path
) -> None:
    for number, day in ((1, "2015-01-01"), (2, "2026-01-01"), (3, "2027-01-01")):
        await make_issue(acme, number=number, release_date_actual=day, date_as_start_issue=day)
    id = await uploaded(owner, await asyncio.to_thread(file.read_bytes), file.name)
    plan = (await batches.get_batch(acme.db, acme.account_id, id)).plan
    assert plan.preset in {preset.name for preset in list_presets()}
    assert file.name.startswith(str(plan.preset))
    trial = {"answer-status:trialing": "leave out"} if plan.preset == "stripe-subscriptions" else {}
    page = await choose(owner, id, trial)
    assert page.status_code == 200
    assert "First rows, as they would be" in page.text


async def test_the_dates_of_a_file_are_shown_with_their_issues(owner: Person, acme: Cast) -> None:
    for number, day in ((1, "2026-01-01"), (2, "2026-02-01"), (3, "2026-03-01")):
        await make_issue(acme, number, release_date_actual=day)
    id = await uploaded(owner, UNKNOWN)
    dated = {"column-start_issue": "", "column-start_date": "c8", "answer-start_issue_rule": "next"}
    await choose(owner, id, {**CHOSEN, **dated}, "check")
    page = await owner.text("imports", id, "columns")
    for day, current in (("13 January 2026", 1), ("2 February 2026", 2)):
        assert f"<td>{day}</td><td>{current}</td><td>{current + 1}</td>" in page


async def test_an_encoding_that_is_not_clear_is_asked_and_can_be_changed(owner: Person) -> None:
    content = "Name;Ort\nAnn Fox;Győr\n".encode("cp1250")
    asked = await upload(owner, content)
    assert asked.status_code == 400
    assert "Győr" in asked.text
    assert "Gyõr" in asked.text
    assert '<option value="cp1250">' in asked.text
    id = await uploaded(owner, content, encoding="cp1250")
    assert "Győr" in await owner.text("imports", id, "columns")
    await owner.post(owner.address("imports", id, "preset"), {"preset": "", "encoding": "cp1252"})
    page = await owner.text("imports", id, "columns")
    assert "Gyõr" in page
    assert '<option value="cp1252" selected>' in page


async def test_the_sheet_of_a_workbook_is_chosen(owner: Person) -> None:
    content = io.BytesIO()
    with xlsxwriter.Workbook(content) as book:
        for name in ("Alpha", "Beta"):
            sheet = book.add_worksheet(name)
            sheet.write_row(0, 0, ["Name", f"Mail {name}"])
            sheet.write_row(1, 0, ["Ann Fox", "ann@example.test"])
    id = await uploaded(owner, content.getvalue(), "book.xlsx")
    assert "Mail Alpha" in await owner.text("imports", id, "columns")
    await owner.post(owner.address("imports", id, "preset"), {"preset": "", "sheet": "Beta"})
    assert "Mail Beta" in await owner.text("imports", id, "columns")


async def test_a_file_of_which_no_column_is_known_says_so(owner: Person, acme: Cast) -> None:
    id = await uploaded(owner, UNKNOWN)
    batch = await batches.get_batch(acme.db, acme.account_id, id)
    await service.choose_plan(
        acme.db, acme.account_id, id, source_id=batch.source_id, plan=ImportPlan()
    )
    page = await owner.text("imports", id, "columns")
    assert "None of the columns was recognized." in page
    page = await owner.text("imports", id, "preview")
    assert "None of the columns was recognized." in page
    assert "Back to the columns" in page


async def test_a_rule_of_several_columns_is_described_and_kept(owner: Person, acme: Cast) -> None:
    id = await uploaded(owner, UNKNOWN)
    batch = await batches.get_batch(acme.db, acme.account_id, id)
    rules = {
        "address1": Rule(join=("Wohin", "Ort"), separator=", "),
        "last_name": Rule(columns=("Wer",), otherwise="Subscriber"),
        "first_name": Rule(split="Wer", part="first"),
        "medium": Rule(lookup="Was", table={"Jahresabo*": "Print"}, otherwise="Digital"),
        "notes": Rule(columns=("Was", "Wer")),
    }
    await service.choose_plan(
        acme.db,
        acme.account_id,
        id,
        source_id=batch.source_id,
        plan=ImportPlan(mapping=ImportMapping(columns=rules)),
    )
    page = await owner.text("imports", id, "columns")
    for words in (
        "“Wohin” + “Ort”",
        "a part of “Wer”",
        "looked up by “Was”",
        "“Was”, otherwise “Wer”",
        "“Wer”, if empty “Subscriber”",
    ):
        assert words in page
    await choose(owner, id, {}, "check")
    plan = (await batches.get_batch(acme.db, acme.account_id, id)).plan
    assert {name: plan.mapping.columns[name] for name in rules} == rules


async def test_an_upload_without_its_file_says_so(owner: Person, acme: Cast) -> None:
    id = await uploaded(owner, UNKNOWN)

    async def work(tx: Transaction) -> None:
        await files.delete_files(tx, acme.account_id, [id])

    await acme.db.write(work)
    page = await owner.see("imports", id, "columns")
    assert page.status_code == 400
    assert "Upload another file" in page.text
    assert "Upload it again" in await owner.text("imports", id, "preview")
    assert (await owner.see("imports", id)).status_code == 303
    assert (await owner.see("imports", id, "refused")).status_code == 404


async def test_the_same_text_in_all_rows_stays_where_nothing_can_be_typed(
    owner: Person, acme: Cast
) -> None:
    id = await uploaded(owner, (FILES / "ghost-members.csv").read_bytes())
    here = owner.address("imports", id, "columns")
    shown = await owner.text("imports", id, "columns")
    assert "“year” in all rows" in shown
    page = (await choose(owner, id, {})).text
    assert "Digital, membership, 12 months" in page
    assert form_of(shown, here)["column-billing_period"] == "keep"
    plan = (await batches.get_batch(acme.db, acme.account_id, id)).plan
    assert plan.mapping.columns["billing_period"] == Rule(constant="year")


async def test_a_conversion_names_the_cell_that_the_value_comes_from(owner: Person) -> None:
    id = await uploaded(owner, (FILES / "woocommerce-subscriptions-sample.csv").read_bytes())
    page = (await choose(owner, id, {})).text
    assert "“next_payment_date”: <bdi>2016-05-29 00:44:44</bdi> is read as 29 May 2016." in page
    assert "<bdi>2018-04-29 00:44:44</bdi> is read as" not in page
    assert "Print, membership, 1 month," in page


async def test_an_amount_that_several_orders_share_is_no_example(owner: Person) -> None:
    content = b"email,Quantity,price,order_date\nann@a.test,2,69.00,2026-01-05\n"
    content += b"bo@a.test,1,70.5,2026-01-05\n"
    id = await uploaded(owner, content)
    months = {
        "constant-interval_months": "12",
        "column-country": "=DE",
        "column-medium": "=Digital",
    }
    page = (await choose(owner, id, {"column-full_name": "c0", **months})).text
    assert "The order is for 2 subscriptions, which share its price." in page
    assert "<bdi>70.5</bdi> is read as €70.50." in page
    assert "<bdi>69.00</bdi> is read as" not in page


async def test_an_issue_that_does_not_exist_is_refused_in_the_preview(owner: Person) -> None:
    id = await uploaded(owner, UNKNOWN)
    without = {name: value for name, value in CHOSEN.items() if name != "create_issues"}
    page = (await choose(owner, id, without)).text
    assert "“Ab” is 12, but there is no issue with that number." in page
    assert "Not one of these rows can be imported." in page
    assert '<bdi>Ann Fox</bdi><br><span class="error">Refused' in page


async def test_a_renewal_in_the_preview_needs_no_issue(owner: Person) -> None:
    content = b"order_id,renews,price,order_date\nA2,A1,9.50,2026-01-05\n"
    id = await uploaded(owner, content)
    page = (await choose(owner, id, {})).text
    assert "renews <bdi>A1</bdi>" in page


async def test_what_all_rows_lack_is_said_with_the_columns(owner: Person) -> None:
    id = await uploaded(owner, UNKNOWN)
    fields = {**CHOSEN, "constant-length": "", "column-product": ""}
    await choose(owner, id, fields, "check")
    page = await owner.text("imports", id, "columns")
    assert "Not one of the first rows can be imported yet:" in page
    assert "<li>“Number of issues” is missing; it is required." in page
    await choose(owner, id, CHOSEN, "check")
    page = await owner.text("imports", id, "columns")
    assert "Not one of the first rows can be imported yet:" not in page


async def test_fields_that_are_filled_are_folded_and_named(owner: Person) -> None:
    id = await uploaded(owner, UNKNOWN)
    await choose(owner, id, CHOSEN, "check")
    page = await owner.text("imports", id, "columns")
    form = page[page.index('id="fields"') : page.index('id="rest"')]
    assert "<bdi>Wer</bdi>" in form
    tables = r"<table.*?</table>"
    assert not re.findall(tables, re.sub(r"<details>.*?</details>", "", form, flags=re.S), re.S)
    await choose(owner, id, {**CHOSEN, "constant-length": "", "column-product": ""}, "check")
    page = await owner.text("imports", id, "columns")
    form = page[page.index('id="fields"') : page.index('id="rest"')]
    shown = re.sub(r"<details>.*?</details>", "", form, flags=re.S)
    assert 'name="column-length"' in shown
    assert 'name="column-full_name"' in form
    assert 'name="column-full_name"' not in shown


async def test_a_reason_that_quotes_the_cells_of_all_rows_is_said_once(owner: Person) -> None:
    header = "Name,Street,City,Country,Abo,Start issue,Date,Price\n"
    rows = [f"Ann Fox,Kai {n},Ely,GB,Plan {n},1,2026-01-0{n},{n}.00 USD\n" for n in (1, 2, 3)]
    id = await uploaded(owner, (header + "".join(rows)).encode())
    page = await owner.text("imports", id, "columns")
    assert page.count("<li>How many issues “Plan ") == 1
    assert "<li>“Price” is “1.00 USD”, but the currency is EUR." in page
    assert page.count("but the currency is EUR.") == 1


async def test_the_currency_of_all_rows_can_be_typed(owner: Person) -> None:
    id = await uploaded(owner, UNKNOWN.replace("42,00 €".encode(), b"$42.00"))
    refused = (await choose(owner, id, CHOSEN)).text
    assert "“Betrag” is “$42.00”, but the currency is EUR." in refused
    page = (await choose(owner, id, {**CHOSEN, "constant-currency": "usd"})).text
    assert "<bdi>$42.00</bdi> is read as US$42.00." in page


async def test_a_cell_that_is_written_like_its_value_is_no_conversion(
    owner: Person, acme: Cast
) -> None:
    await use_locale(acme, "de_DE")
    page = (await choose(owner, await uploaded(owner, UNKNOWN), CHOSEN)).text
    assert "„Wann“: <bdi>13.01.2026</bdi> wird als 13. Januar 2026 gelesen." in page
    assert "„Betrag“" not in page


async def test_messages_about_cells_have_the_quotation_marks_of_the_language(
    owner: Person, acme: Cast
) -> None:
    await use_locale(acme, "de_DE")
    id = await uploaded(owner, UNKNOWN.replace(b"42,00", b"viel"))
    page = (await choose(owner, id, CHOSEN)).text
    assert "„Betrag“ ist „viel €“" in page
    assert "“Betrag”" not in page


async def test_the_preview_says_which_lines_are_no_rows(owner: Person) -> None:
    content = (
        b"Our list\n\nName;Mail;Betrag\nAnn Fox;ann@a.test;42\nBo Lund;bo@a.test;42\n;Summe;84\n"
    )
    page = (await choose(owner, await uploaded(owner, content), {})).text
    assert "<li>Line 1 is a title and is left out.</li>" in page


async def test_columns_that_are_not_used_are_named(owner: Person) -> None:
    id = await uploaded(owner, b"Sternzeichen;Name;Mail\nLeo;Ann Fox;ann@a.test\n")
    for page in (await owner.text("imports", id, "columns"), (await choose(owner, id, {})).text):
        assert "Columns that are not used (1)" in page
        assert "<bdi>Sternzeichen</bdi>" in page
        assert "A customer number is kept" not in page


async def test_an_unused_customer_number_is_explained(owner: Person) -> None:
    id = await uploaded(owner, b"Kundennr.;Name;Mail\n10023;Ann Fox;ann@a.test\n")
    for page in (await owner.text("imports", id, "columns"), (await choose(owner, id, {})).text):
        assert "<bdi>Kundennr.</bdi>" in page
        assert "To keep customer numbers, choose the column under “Invoice”" in page


async def test_a_cell_that_is_empty_is_named_as_the_reason(owner: Person) -> None:
    id = await uploaded(owner, (FILES / "ghost-members.csv").read_bytes())
    assert "“tiers” is empty." in (await choose(owner, id, {})).text


async def test_a_refused_row_says_at_once_that_its_issue_does_not_exist(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme, number=1)
    id = await uploaded(owner, UNKNOWN.replace(b"42,00", b"viel"))
    without = {name: value for name, value in CHOSEN.items() if name != "create_issues"}
    page = (await choose(owner, id, without)).text
    assert "“Betrag” is “viel €”" in page
    assert page.count("“Ab” is 12, but there is no issue with that number.") == 2


async def test_an_empty_country_means_the_one_that_is_chosen(owner: Person, acme: Cast) -> None:
    id = await uploaded(owner, UNKNOWN.replace(b"Deutschland", b"").replace(b"Danmark", b""))
    refused = (await choose(owner, id, CHOSEN)).text
    assert "“Land” is missing; it is required. If an empty cell means the same" in refused
    page = (await choose(owner, id, {"if-empty-country": "AT"})).text
    assert "<bdi>Kai 1</bdi>, <bdi>20457 Hamburg</bdi>, <bdi>Austria</bdi>" in page
    assert "<bdi>Gade 2</bdi>, <bdi>2100 København</bdi>, <bdi>Austria</bdi>" in page
    plan = (await batches.get_batch(acme.db, acme.account_id, id)).plan
    assert plan.mapping.columns["country"] == Rule(columns=("Land",), otherwise="AT")
    here = owner.address("imports", id, "columns")
    shown = form_of(await owner.text("imports", id, "columns"), here)
    assert (shown["column-country"], shown["if-empty-country"]) == ("c4", "AT")


async def test_a_text_beside_a_column_is_for_its_empty_cells(owner: Person, acme: Cast) -> None:
    id = await uploaded(owner, UNKNOWN.replace(b";12;42", b";;42"))
    fields = {**CHOSEN, "constant-start_issue": "7"}
    page = (await choose(owner, id, fields)).text
    assert "from issue 7" in page
    fields = {"constant-start_issue": "", "if-empty-medium": "Digital", "column-medium": "c4"}
    await choose(owner, id, fields, "check")
    rules = (await batches.get_batch(acme.db, acme.account_id, id)).plan.mapping.columns
    assert rules["start_issue"] == Rule(columns=("Ab",))
    assert rules["medium"] == Rule(columns=("Land",), otherwise="Digital")


async def test_the_value_of_empty_cells_in_a_mapping_file_stays(owner: Person, acme: Cast) -> None:
    id = await uploaded(owner, UNKNOWN)
    batch = await batches.get_batch(acme.db, acme.account_id, id)
    rules = {
        "country": Rule(columns=("Land", "Ort"), otherwise="Deutschland"),
        "full_name": Rule(columns=("Wer",)),
    }
    plan = ImportPlan(mapping=ImportMapping(columns=rules))
    await service.choose_plan(acme.db, acme.account_id, id, source_id=batch.source_id, plan=plan)
    await choose(owner, id, {}, "check")
    plan = (await batches.get_batch(acme.db, acme.account_id, id)).plan
    assert plan.mapping.columns == rules


async def test_a_second_column_follows_the_first_one(owner: Person, acme: Cast) -> None:
    id = await uploaded(owner, UNKNOWN)
    await choose(owner, id, CHOSEN, "check")
    page = (await choose(owner, id, {"joined-address1": "c5"})).text
    assert "<bdi>Kai 1 Jahresabo 4 Ausgaben</bdi>, <bdi>20457 Hamburg</bdi>" in page
    here = owner.address("imports", id, "columns")
    shown = form_of(await owner.text("imports", id, "columns"), here)
    assert (shown["column-address1"], shown["joined-address1"]) == ("c1", "c5")
    await choose(owner, id, {}, "check")
    rules = (await batches.get_batch(acme.db, acme.account_id, id)).plan.mapping.columns
    assert rules["address1"] == Rule(join=("Wohin", "Was"))
    for second in ("c1", "", "c99"):
        await choose(owner, id, {"joined-address1": second}, "check")
        rules = (await batches.get_batch(acme.db, acme.account_id, id)).plan.mapping.columns
        assert rules["address1"] == Rule(columns=("Wohin",))


async def test_the_giver_of_a_gift_is_named(owner: Person) -> None:
    header = "order_id,email,first_name,country,type,order_date,price,interval_months,"
    header += "period_start,period_end,is_gift,gifter_name,gifter_email\n"
    row = "A1,ann@a.test,Ann,DE,membership,2026-01-05,9,1,2026-01-05,2026-02-04,yes,Cleo,c@a.test\n"
    page = (await choose(owner, await uploaded(owner, (header + row).encode()), {})).text
    assert ", gift from <bdi>Cleo</bdi></td>" in page


async def test_weeks_of_billing_are_shown_as_days(owner: Person) -> None:
    file = FILES / "woocommerce-subscriptions.csv"
    page = (await choose(owner, await uploaded(owner, file.read_bytes()), {})).text
    assert "membership, billed every 14 days, 20 Nov 2026 – 3 Dec 2026" in page
    assert "Intervals are kept in months, so this one becomes 1 month;" in page


async def test_amounts_in_cents_are_chosen_and_saved(owner: Person, acme: Cast) -> None:
    id = await uploaded(owner, UNKNOWN.replace("42,00 €".encode(), b"4200"))
    page = (await choose(owner, id, {**CHOSEN, "answer-money_in": "cents"})).text
    assert "<bdi>4200</bdi> is read as €42.00." in page
    await choose(owner, id, {"save_as": "Cents"}, "check")
    second = await uploaded(owner, UNKNOWN)
    await owner.post(owner.address("imports", second, "preset"), {"preset": "saved:Cents"})
    columns = owner.address("imports", second, "columns")
    shown = form_of(await owner.text("imports", second, "columns"), columns)
    assert shown["answer-money_in"] == "cents"
    await choose(owner, second, {"answer-money_in": "units"}, "check")
    plan = (await batches.get_batch(acme.db, acme.account_id, second)).plan
    assert answer_mapping(plan.mapping, plan.answers).money_in == "units"


FULL = ImportMapping(
    columns={
        "full_name": Rule(columns=("Wer",)),
        "city": Rule(columns=("Ort",), prefix="Stadt "),
        "product": Rule(columns=("Was",)),
        "medium": Rule(lookup="Was", table={"Jahresabo*": "Print"}, otherwise="Digital"),
    },
    products={
        "Jahresabo*": ItemOffer(length=4, source="Shop"),
        "Other": ItemOffer(leave_out=True),
    },
    status={"bezahlt": "Active", "offen": "leave out"},
    values={"country": {"Übersee": "US"}},
    only={"Land": ("Deutschland", "")},
    never={"Was": ("Probe*",)},
    continues="PLZ",
    groups=("Wer",),
    order_id_from=("Ab", "Wer"),
    positive=("price",),
    has_one_of=("email", "price"),
    date_order="day_first",
    decimal_mark=",",
    gifts="no",
    time_zone="Europe/Berlin",
    medium_without_address="Digital",
)


async def test_settings_that_the_page_cannot_change_are_named_and_kept(
    owner: Person, acme: Cast
) -> None:
    await save_mapping(acme.db, acme.account_id, "Full", encode_json(FULL))
    id = await uploaded(owner, UNKNOWN)
    await owner.post(owner.address("imports", id, "preset"), {"preset": "saved:Full"})
    page = await owner.text("imports", id, "columns")
    for words in (
        "Settings of the mapping that cannot be changed on this page (14)",
        "Rows in which “PLZ” is empty belong to the order above.",
        "Rows one after the other with the same “Wer” are one order.",
        "Orders without a number get one from “Ab”, “Wer”.",
        "Only rows in which “Land” is “Deutschland”, empty are imported.",
        "Rows in which “Was” is “Probe*” are left out.",
        "Rows in which one of these is not above zero are left out: Price paid.",
        "Rows in which all of these are empty are left out: Email, Price paid.",
        "Dates have the day first.",
        "The decimal mark is a comma.",
        "Orders for another name than the buyer&#39;s are no gifts.",
        "Moments are in the time zone Europe/Berlin.",
        "Orders without a street and a country are Digital.",
        "Statuses: “bezahlt” = Active, “offen” = leave out.",
        "Country: “Übersee” = US.",
    ):
        assert words in page
    await choose(owner, id, {"save_as": "Again"}, "check")
    saved = await mappings.find_mapping(acme.db, acme.account_id, "Again")
    assert saved is not None
    kept = decode_json(saved.mapping)
    yearly = ItemOffer(length=4, source="Shop")
    named = {"Jahresabo 4 Ausgaben": yearly}
    assert kept.products == {**FULL.products, **named}
    answered = {"money_in": "", "start_issue_rule": ""}
    assert structs.replace(kept, products=FULL.products, **answered) == FULL


async def test_a_mapping_without_such_settings_names_none(owner: Person) -> None:
    id = await uploaded(owner, UNKNOWN)
    assert "cannot be changed on this page" not in await owner.text("imports", id, "columns")


async def test_unknown_values_get_a_meaning_on_the_page_of_the_columns(
    owner: Person, acme: Cast
) -> None:
    """It is kept for the next file with these columns."""
    row = UNKNOWN.splitlines()[1]
    content = UNKNOWN.replace(b"Danmark", b"Danmrk") + row.replace(b"Deutschland", b"Depot")
    id = await uploaded(owner, content)
    page = await owner.text("imports", id, "columns")
    assert "What does “Danmrk” in “Land” mean? Rows with it: 1." in page
    assert '<option value="DK" selected>Denmark</option>' in page
    shown = form_of(page, owner.address("imports", id, "columns"))
    assert (shown["answer-value:country:Danmrk"], shown["answer-value:country:Depot"]) == ("DK", "")
    answers = {"answer-value:country:Depot": "leave out", "save_as": "List"}
    preview = (await choose(owner, id, {**CHOSEN, **answers})).text
    assert "Denmark" in preview
    assert "expected the name of a country" not in preview
    second = await uploaded(owner, content, "next.csv")
    await owner.post(owner.address("imports", second, "preset"), {"preset": "saved:List"})
    page = await owner.text("imports", second, "columns")
    assert "What does “Danmrk”" not in page
    assert "Country: “Danmrk” = DK, “Depot” = leave out." in page


async def test_what_the_page_asks_about_is_not_called_an_obstacle(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    content = (
        "Vorname;Nachname;Land;Ab Ausgabe;Anzahl Hefte;Preis;Bestelldatum;Status\n"
        "Anna;Möller;Deutschland;1;4;36,00;31.07.2026;bezahlt\n"
    )
    page = await owner.text("imports", await uploaded(owner, content.encode()), "columns")
    assert "What does the status “bezahlt” mean?" in page
    assert "Not one of the first rows" not in page
    id = await uploaded(owner, content.replace("36,00", "x").encode())
    page = await owner.text("imports", id, "columns")
    assert "“Preis” is “x”" in page
    assert "“Status” is" not in page


STATES = (
    "Vorname;Nachname;Land;Ab Ausgabe;Anzahl Hefte;Preis;Bestelldatum;Status\n"
    "Anna;Möller;Deutschland;1;4;36,00;31.07.2026;Aktiv\n"
    "Bo;Lund;Deutschland;1;4;36,00;31.07.2026;pausiert\n"
).encode()


async def test_a_status_that_is_not_known_must_be_decided(owner: Person, acme: Cast) -> None:
    """No answer is proposed, since leaving rows out unseen would lose subscribers."""
    await make_issue(acme)
    id = await uploaded(owner, STATES)
    shown = form_of(
        await owner.text("imports", id, "columns"), owner.address("imports", id, "columns")
    )
    assert (shown["answer-status:Aktiv"], shown["answer-status:pausiert"]) == ("", "")
    refused = await choose(owner, id, {"answer-status:Aktiv": "Active", "order_prefix": "OLD-"})
    assert refused.status_code == 400
    assert "Choose what these statuses mean, or leave their rows out: “pausiert”." in refused.text
    assert refused.text.count('aria-invalid="true"') == 1
    assert 'name="order_prefix" value="OLD-"' in refused.text  # what was typed is kept
    checked = await choose(owner, id, {"answer-status:Aktiv": "Active"}, "check")
    assert checked.status_code == 200
    preview = await choose(owner, id, {"answer-status:pausiert": "leave out"})
    assert preview.status_code == 200
    for part in ("Anna Möller", "Left out"):
        assert part in preview.text


async def test_a_status_in_the_words_of_the_pages_has_its_meaning_proposed(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    await owner.send("/you/locale/", {"locale": "de_DE"})
    id = await uploaded(owner, STATES)
    shown = form_of(
        await owner.text("imports", id, "columns"), owner.address("imports", id, "columns")
    )
    assert (shown["answer-status:Aktiv"], shown["answer-status:pausiert"]) == ("Active", "")


async def test_orders_that_are_not_paid_are_taken_by_invoice_if_that_is_chosen(
    owner: Person, acme: Cast
) -> None:
    """Of a shop, and of a list whose words for a status are asked about."""
    id = await uploaded(owner, (FILES / "shopify-orders.csv").read_bytes())
    page = plain(await owner.text("imports", id, "columns"))
    assert "Orders that are not paid" in page
    assert "The status of 1 row says that the order is not paid." in page
    assert "It is left out, unless" in plain((await choose(owner, id, {})).text)
    preview = await choose(owner, id, {"unpaid": "by_invoice"})
    assert "It becomes an order by invoice." in preview.text
    assert (await batches.get_batch(acme.db, acme.account_id, id)).plan.mapping.unpaid
    page = await owner.text("imports", id, "columns")
    assert '<option value="by_invoice" selected>' in page
    await choose(owner, id, {"unpaid": "leave_out"}, "check")
    assert not (await batches.get_batch(acme.db, acme.account_id, id)).plan.mapping.unpaid
    own = await uploaded(owner, b"Name;Status\nAnn Fox;offen\nBo Lund;bezahlt\n")
    answers = {"answer-status:offen": "not paid", "answer-status:bezahlt": "Active"}
    await choose(owner, own, answers, "check")
    page = plain(await owner.text("imports", own, "columns"))
    assert "The status of 1 row says that the order is not paid." in page
    without = await uploaded(owner, UNKNOWN, "without.csv")
    assert 'name="unpaid"' not in await owner.text("imports", without, "columns")


async def test_ibans_are_masked_on_the_pages_of_an_import(owner: Person, acme: Cast) -> None:
    """Those of the column, and those in texts; also a wrong one that is refused."""
    await turn_on_debits_today(acme)
    head = "Name;Ort;Land;Startheft;Anzahl Hefte;Preis;Bestelldatum;IBAN;Mandatsdatum;Bemerkung\n"
    signed = f"02.01.{account_today().year - 1}"
    first = f"Ann Fox;Ulm;DE;1;4;36,00;04.01.2026;{{}};{signed};Konto {{}}\n"
    wrong = first.replace("Ann", "Bo").format(IBAN[:-1] + "2", "")
    id = await uploaded(owner, (head + first.format(IBAN, IBAN) + wrong).encode())
    pages = [await owner.text("imports", id, "columns"), (await choose(owner, id, {})).text]
    await owner.post(owner.address("imports", id, "rehearse"), {})
    await work_on(acme.db, acme.account_id, id, placeholder_domain=PLACEHOLDER_DOMAIN)
    pages += [await owner.text("imports", id)]
    pages += [await owner.text("imports", id, "rows", outcome="refused")]
    assert "New SEPA mandates</dt><dd>1</dd>" in pages[2]
    assert "This is not an IBAN. Its check digits do not fit" in pages[3]
    for page in pages:
        assert IBAN[4:-4] not in page
