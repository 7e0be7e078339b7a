"""Jobs of a publisher's week that need scripts to be quick, one function each.

They come after the tasks of `test_week_of_work`, whose subscribers and issues they use.
"""

import re
from datetime import UTC, datetime, timedelta

from playwright.sync_api import expect

from tests.web.browser.office import Desk

LIST = """\
Nr.;Vorname;Nachname;Straße;PLZ;Ort;Land;Email;Bestelldatum;Erste Ausgabe;Anzahl Ausgaben;Preis
1;Erika;Muster;Hauptstr. 5;01067;Dresden;Deutschland;erika@muster.test;03.11.2025;20;4;42,00
2;Max;Beispiel;Am Markt 1;04109;Leipzig;Deutschland;max@beispiel.test;2025-11-05;20;4;42,00
1;Erika;Muster;Hauptstr. 5;01067;Dresden;Deutschland;erika@muster.test;03.11.2025;20;4;42,00
3;Jens;Falsch;Gasse 2;24103;Kiel;Deutschland;jens@falsch.test;31.02.2026;20;4;42,00
Summe;;;;;;;;;;;168,00
"""
UNSENT = (
    "SELECT count(*) FROM copy WHERE account_id = ? AND issue_number = 21 AND status = 'Not sent'"
)


def labels_for_one_country_then_for_the_others(desk: Desk) -> None:
    desk.open("Dispatch")
    desk.press_first(desk.start("Prepare mailing %(number)s (%(lines)s)\N{NO-BREAK SPACE}…"))
    desk.go(desk.page.locator(".chips a").nth(1))
    _send_with_labels(desk)
    assert desk.figures(UNSENT) == [1]  # the gift abroad
    desk.go(desk.page.locator("main a[href$='/dispatch/'][role=button]"))
    _send_with_labels(desk)
    assert desk.figures(UNSENT) == [0]


def _send_with_labels(desk: Desk) -> None:
    desk.press_first(desk.start("Prepare mailing %(number)s: %(contents)s"))
    with desk.page.expect_download() as labels:
        desk.press("Labels (PDF)")
    assert labels.value.path().read_bytes().startswith(b"%PDF")
    desk.go(desk.page.locator("#mark ~ form button"))


def claim(desk: Desk) -> None:
    desk.find("bea@example.test", "Bea Lund")
    desk.press_first(re.compile(desk.say("Issue %(number)s did not arrive", number=20)))
    desk.tick("Did not arrive")
    desk.press("Record the claim")
    sql = "SELECT count(*), min(reason) FROM claim WHERE account_id = ?"
    assert desk.figures(sql)[0] == 1


def copy_that_came_back(desk: Desk) -> None:
    desk.find("bea@example.test", "Bea Lund")
    desk.press_first(re.compile(desk.say("Issue %(number)s came back", number=21)))
    desk.press("It came back: undeliverable")
    kinds = desk.figures("SELECT kind FROM delivery_report WHERE account_id = ?")
    assert kinds == ["undeliverable"]


def skipped_issue(desk: Desk) -> None:
    desk.find("dora@example.test", "Dora Quist")
    desk.press_of_first("Skip issues")
    desk.tick(desk.start("Issue %(number)s, %(day)s"))
    desk.press("Skip these issues")
    sql = "SELECT count(*), min(issue_number) FROM skipped_issue WHERE account_id = ?"
    assert desk.figures(sql) == [1, 22]


def import_undone_and_done_again(desk: Desk) -> None:
    imported = (
        "SELECT count(*) FROM subscription WHERE account_id = ? AND last_name IN"
        " ('Muster', 'Beispiel', 'Falsch')"
    )
    desk.open("Subscriptions")
    desk.follow(desk.say("Imports"))
    desk.press("Import a file")
    desk.choose_file("list.csv", LIST.encode("cp1252"))
    desk.press("Continue")
    desk.press("Rehearse with all rows")
    _import_both_rows(desk)
    assert desk.figures(imported) == [2]
    desk.press("Undo this import")
    desk.press("Undo this import")
    desk.press("Import it again\N{NO-BREAK SPACE}…")
    assert desk.figures(imported) == [0]
    _import_both_rows(desk)
    assert desk.figures(imported) == [2]


def _import_both_rows(desk: Desk) -> None:
    desk.press(desk.count("Import %(shown)s row now", "Import %(shown)s rows now", 2, shown=2))
    desk.page.get_by_role("button", name=desk.say("Undo this import")).wait_for()


def data_of_a_person_and_erasure(desk: Desk) -> None:
    desk.find("Sommer", "Anke Sommer")
    desk.open_more("Privacy")
    assert desk.download("Download the document (PDF)").read_bytes().startswith(b"%PDF-")
    desk.press("See what would be erased")
    desk.tick("Cancel this subscription now")
    desk.type({"Type the name to confirm": "Anke Sommer"})
    desk.press("Erase permanently")
    sql = "SELECT count(*) FROM subscription WHERE account_id = ? AND last_name = 'Sommer'"
    assert desk.figures(sql) == [0]


def price_from_a_day(desk: Desk) -> None:
    day = (datetime.now(UTC).date() + timedelta(days=40)).isoformat()
    desk.open("Settings")
    desk.follow(desk.say("Products"))
    desk.press("Edit %(name)s", name="Quarterly")
    desk.type({"These prices hold from": day})
    desk.fill(desk.page.locator("[name=price_print_home]"), "49")
    desk.press("Save")
    sql = (
        "SELECT first_day, price FROM dated_price WHERE account_id = ? AND medium = 'Print'"
        " AND country_group = 'home'"
    )
    assert desk.figures(sql) == [day, 4900]


def assistant_without_money_and_lists(desk: Desk) -> None:
    desk.open("Settings")
    desk.follow(desk.say("Users"))
    desk.press("Invite a user")
    desk.type({"Email address": "anna@example.test"})
    desk.tick("Only the rights you choose")
    for right in ("see_money", "download"):
        desk.tap(desk.page.locator(f"#right-{right}"))
    desk.press("Invite")
    [rights] = desk.figures(
        "SELECT m.rights FROM account_user m JOIN app_user u ON u.id = m.user_id"
        " WHERE m.account_id = ? AND u.email LIKE 'anna@%'"
    )
    assert set(rights.split(",")) == {"take_orders", "bill", "send_letters", "dispatch", "correct"}


def what_was_done(desk: Desk) -> None:
    desk.open("Settings")
    desk.follow(desk.say("Audit log"))
    desk.reads("anna@example.test")


def another_language(desk: Desk) -> None:
    desk.tap(desk.page.locator("details.you > summary"))
    desk.follow(desk.say("Your profile and language"))
    other = "de_DE" if desk.locale.startswith("en") else "en_GB"
    desk.choose("Language of the pages, dates and amounts", other)
    desk.press("Save the language")
    expect(desk.page.locator("html")).to_have_attribute("lang", other[:2])
