"""`masthead import` of files from other systems: recognized, chosen, mapped and guessed."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CommandLine

FILES = Path(__file__).parents[1] / "files" / "imports"


@pytest.fixture
def words(masthead: CommandLine) -> str:
    """The command that imports into a fresh account with issue 1, of 2016."""
    account = masthead.account()
    masthead(f"issue create --account {account} --number 1 --release-date-actual 2016-01-01")
    source = masthead.source(account)
    return f"import --account {account} --source {source} --json"


def test_the_export_of_a_known_system_is_recognized(masthead: CommandLine, words: str) -> None:
    found = masthead(words, str(FILES / "ghost-members.csv")).json
    assert (found["imported"], found["left_out"], found["rejected"]) == (5, 3, 0)
    assert "The columns are those of the preset ghost-members (Ghost members)." in found["notes"]


def test_columns_that_a_preset_does_not_use_are_named(
    masthead: CommandLine, words: str, tmp_path: Path
) -> None:
    """Orders by invoice counted as paid, without a word."""
    file = tmp_path / "list.csv"
    file.write_text(
        "Order ID,Order date,First name,Last name,Email,Address 1,City,Postcode,Country,"
        "Start issue,Length,Price,By invoice,Shelf\n"
        "A1,2026-01-20,Kim,Lee,kim@x.test,Weg 1,Ulm,89073,DE,1,1,50.00,yes,9\n",
        encoding="utf-8",
    )
    found = masthead(f"{words} --dry-run", str(file)).json
    assert (
        "The columns are those of the preset subsail (Subsail). Not used: By invoice = is_billed. "
        'A mapping can add them to the preset; it begins with preset = "subsail".'
    ) in found["notes"]


def test_a_mapping_changes_a_preset(masthead: CommandLine, words: str, tmp_path: Path) -> None:
    mapping = tmp_path / "shop.toml"
    mapping.write_text(
        'preset = "shopify-orders"\n[products]\n"One-year*" = {length = 4}\n', encoding="utf-8"
    )
    file = str(FILES / "shopify-orders.csv")
    found = masthead(f"{words} --dry-run --mapping {mapping}", file).json
    assert (found["imported"], found["left_out"], found["rejected"]) == (8, 4, 0)
    [asked] = [note for note in found["notes"] if "Are they gifts?" in note]
    assert asked.endswith(
        'Without an answer, it is "by_name". Answer in a file for --mapping: '
        'preset = "shopify-orders"; gifts = "by_name" or "no".'
    )


def test_a_status_without_a_meaning_is_asked(masthead: CommandLine, words: str) -> None:
    file = str(FILES / "stripe-subscriptions.csv")
    found = masthead(f"{words} --dry-run", file, code=1).json
    [asked] = [note for note in found["notes"] if "`trialing`" in note]
    assert '[status] "trialing" = "Active" or ' in asked


def test_an_unknown_value_is_asked(masthead: CommandLine, words: str, tmp_path: Path) -> None:
    file, mapping = tmp_path / "list.csv", tmp_path / "list.toml"
    file.write_text(
        "Name,Land,Bestelldatum,Anzahl Hefte,Preis,Anrede\nAnn Fox,Danmrk,2026-07-31,4,36,Boss\n",
        encoding="utf-8",
    )
    asked = masthead(f"{words} --dry-run", str(file), code=1).json["notes"]
    [country] = [note for note in asked if "`Danmrk`" in note]
    [word] = [note for note in asked if "`Boss`" in note]
    assert country.endswith('for --mapping: [values.country] "Danmrk" = "DK" or "leave out".')
    assert word.endswith('[values.salutation] "Boss" = "…" or "leave out".')
    mapping.write_text(
        'start_issue_rule = "current"\n'
        '[columns]\nfull_name = "Name"\ncountry = "Land"\norder_date = "Bestelldatum"\n'
        'length = "Anzahl Hefte"\nprice = "Preis"\nsalutation = "Anrede"\n'
        '[values.country]\n"Danmrk" = "DK"\n[values.salutation]\n"Boss" = "ms"\n',
        encoding="utf-8",
    )
    ended = masthead(f"{words} --dry-run --mapping {mapping}", str(file)).json
    assert ended["imported"] == 1


def test_lost_zeros_of_postcodes_are_added_with_an_option(
    masthead: CommandLine, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "list.csv"
    file.write_text(
        "Name,PLZ,Land,Bestelldatum,Anzahl Hefte,Preis,Ab Ausgabe\n"
        "Ann Fox,1067,DE,2026-07-31,4,36,1\n",
        encoding="utf-8",
    )
    note = "1 postcode may have lost a zero in a spreadsheet. `--add-zeros` adds it."
    found = masthead(f"{words} --dry-run", str(file)).json
    assert (note in found["notes"], found["lost_zeros"]) == (True, 1)
    found = masthead(f"{words} --dry-run --add-zeros", str(file)).json
    assert (note in found["notes"], found["lost_zeros"], found["imported"]) == (False, 0, 1)


def test_a_file_of_another_system_is_refused(masthead: CommandLine, words: str) -> None:
    file = str(FILES / "ghost-members.csv")
    ended = masthead(f"{words} --preset shopify-orders", file, code=1)
    assert "The file is not an export of Shopify orders" in ended.said


def test_the_columns_of_an_unknown_file_are_guessed(
    masthead: CommandLine, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "abos.csv"
    file.write_text(
        "Anrede;Vorname;Nachname;Straße;PLZ;Ort;Land;Bestelldatum;Anzahl Hefte;Preis;Sternzeichen\n"
        "Frau;Anna;Möller;Seestr. 4;01067;Dresden;Deutschland;31.07.2026;4;36,00 €;Löwe\n",
        encoding="utf-8",
    )
    found = masthead(words, str(file)).json
    assert found["imported"] == 1
    [said] = [note for note in found["notes"] if note.startswith("The columns are taken")]
    assert "Anrede = salutation, Vorname = first_name" in said
    assert said.endswith("Not used: Sternzeichen.")


def test_presets_are_listed_with_where_to_export(masthead: CommandLine) -> None:
    found = masthead("imports presets --json").json["items"]
    assert found[0]["name"] == "woocommerce-subscriptions"
    assert {"label", "result", "export_from", "order_prefix"} <= found[0].keys()


def said_about_products(found: dict[str, Any]) -> list[str]:
    """The notes with the lines of a mapping for the products of a file."""
    return [note for note in found["notes"] if note.startswith("Say what each product")]


def test_the_lines_for_products_without_a_length_can_be_pasted_into_a_mapping(
    masthead: CommandLine, words: str, tmp_path: Path
) -> None:
    file = str(FILES / "shopify-orders.csv")
    [said] = said_about_products(masthead(f"{words} --dry-run", file, code=1).json)
    lines = said.partition("\n\n")[2]
    assert lines.startswith('preset = "shopify-orders"\n\n[products]\n')
    assert '"Digital subscription' in lines
    mapping = tmp_path / "shop.toml"
    mapping.write_text(lines, encoding="utf-8")
    refused = masthead(f"{words} --dry-run --mapping {mapping}", file, code=1)
    assert "is 0; expected a whole number from 1 to 1000." in refused.said
    mapping.write_text(lines.replace("length = 0", "length = 4"), encoding="utf-8")
    found = masthead(f"{words} --dry-run --mapping {mapping}", file).json
    assert found["left_out"] + found["imported"] == found["read"]
    assert said_about_products(found) == []


def test_the_lines_for_products_of_an_unknown_file_have_its_columns_and_at_most_20_products(
    masthead: CommandLine, words: str, tmp_path: Path
) -> None:
    file, mapping = tmp_path / "abos.csv", tmp_path / "abos.toml"
    rows = [f"Ann,a{n}@a.test,Ely,GB,Plan {n},2026-01-05,9" for n in range(22)]
    rows += ["Bo,b@a.test,Ely,GB,Plan 7,2026-01-06,9", "Cy,c@a.test,Ely,GB,,2026-01-07,9"]
    rows.append("Di,d@a.test,Ely,GB,Trial - 2 issues,2026-01-07,9")
    file.write_text("\n".join(["Name,Email,City,Country,Plan,Order date,Price", *rows]), "utf-8")
    [said] = said_about_products(masthead(words, str(file), code=1).json)
    lines = said.partition("\n\n")[2]
    assert '"Plan 7" = { length = 0 }  # 2 × in the file' in lines
    assert lines.count("length = 0") == 20
    assert "# and 3 more, whose rows are left out unless lines name them" in lines
    assert 'full_name = "Name"' in lines
    mapping.write_text(lines.replace("length = 0", "length = 4"), encoding="utf-8")
    found = masthead(f"{words} --dry-run --mapping {mapping}", str(file)).json
    assert found["left_out"] == 4


def test_orders_that_are_not_paid_are_said_and_taken_with_an_option(
    masthead: CommandLine, words: str, tmp_path: Path
) -> None:
    mapping = tmp_path / "shop.toml"
    mapping.write_text(
        'preset = "shopify-orders"\n[products]\n"One-year*" = {length = 4}\n', encoding="utf-8"
    )
    file, rows = str(FILES / "shopify-orders.csv"), ("imported", "left_out", "rejected")
    words = f"{words} --dry-run --mapping {mapping}"
    found = masthead(words, file).json
    assert [note for note in found["notes"] if "not paid" in note] == [
        "By its status, 1 order is not paid. It is left out, unless “Orders that are not paid” is "
        "set to take it as an order by invoice.",
        "`--unpaid by_invoice` takes orders that are not paid as orders by invoice.",
    ]
    billed = masthead(f"{words} --unpaid by_invoice", file, code=1).json
    assert [billed[each] - found[each] for each in rows] == [0, -1, 1]
    assert "By its status, 1 order is not paid. It becomes an order by invoice." in billed["notes"]
