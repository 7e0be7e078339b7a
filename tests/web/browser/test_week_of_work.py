"""The tasks of a week at a publisher, from start to end, in Chromium, with their clicks.

Three walks have a laptop and a phone, English and German, scripts and none. axe checks each page of
one of them; `test_every_page` checks all pages on both screens. Figures are checked in the database
and in the downloaded files. A task that takes more clicks or fields than here is a fault; change
the numbers only for a reason. All take about 130 seconds of one core.
"""

import asyncio
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from io import BytesIO

import httpx
import pytest
from PIL import Image
from playwright.sync_api import BrowserContext, expect
from pypdf import PdfReader

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.orders.offers import Offer
from masthead.model.types.enums import Medium, Scope, SourceType, SubscriptionType
from masthead.services import keys, products, sources
from masthead.store.engine.database import connect
from tests.conftest import BY
from tests.support.waiting import PATIENCE
from tests.web.browser import week_jobs
from tests.web.browser.conftest import LAPTOP, PASSWORD, Publication, in_thread, settle_account
from tests.web.browser.office import Desk

PHONE = {"width": 390, "height": 844}
TODAY = datetime.now(UTC).date()
LAST_MONTH_END = TODAY.replace(day=1) - timedelta(days=1)
LAST_MONTH = LAST_MONTH_END.strftime("%Y-%m")
SUBSCRIBERS = {
    "ada": {"first_name": "Ada", "last_name": "Byron", "email": "ada@example.test"},
    "bea": {"first_name": "Bea", "last_name": "Lund", "email": "bea@example.test"},
    "carl": {"first_name": "Carl", "last_name": "Moor"},
    "dora": {"first_name": "Dora", "last_name": "Quist", "email": "dora@example.test"},
    "dora2": {"first_name": "Dora", "last_name": "Quist", "email": "quist@example.test"},
}
ENDING = {"bea", "carl"}  # with the current issue
WALKS = {
    "laptop-english-scripts": (False, "en_GB", True, False),
    "phone-english-no-scripts": (True, "en_GB", False, False),
    "phone-german-scripts": (True, "de_DE", True, True),
}

pytestmark = pytest.mark.slow


@pytest.fixture(params=list(WALKS.values()), ids=list(WALKS))
def desk(
    request: pytest.FixtureRequest,
    publication: Publication,
    make_browser_context: Callable[..., BrowserContext],
) -> Desk:
    """The desk of a publication with subscribers, issues and products; its owner is signed in."""
    is_phone, locale, has_scripts, finds_faults = request.param
    key, source = in_thread(lambda: asyncio.run(_set_up(publication, locale)))
    _order(publication.stage.server.url, key, source)
    context = make_browser_context(
        viewport=PHONE if is_phone else LAPTOP,
        java_script_enabled=has_scripts,
        locale=locale.replace("_", "-"),
    )
    desk = Desk(context.new_page(), publication, locale, has_scripts, is_phone, finds_faults)
    desk.page.goto(publication.link)
    desk.page.locator("input[type=password]").fill(PASSWORD)
    desk.page.locator("main button").click()
    desk.page.wait_for_url(re.compile(r"/desk/"))
    return desk


async def _set_up(publication: Publication, locale: str) -> tuple[str, str]:
    """Give the account a locale, a source and two products; returns a key and the source."""
    db = await connect(publication.stage.database_url)
    try:
        account = await settle_account(
            db,
            publication,
            locale=locale,
            country="DE",
            postal_address="Lantern\nKai 1\n20457 Hamburg",
        )
        prices = {(Medium.PRINT, CountryGroup.HOME): 4200}
        await products.create_product(
            db, account.id, name="Quarterly", offer=Offer(length=4, prices=prices), by=BY
        )
        source = await sources.create_source(
            db, account.id, name="Telefon", type=SourceType.SHOP, by=BY
        )
        friends = Offer(
            type=SubscriptionType.MEMBERSHIP,
            interval_months=12,
            prices={(Medium.PRINT, CountryGroup.HOME): 6000},
        )
        await products.create_product(db, account.id, name="Friends", offer=friends, by=BY)
        _id, key = await keys.create_key(
            db, account.id, user=publication.owner, scope=Scope.READ_WRITE, by=BY
        )
    finally:
        await db.close()
    return key, source.id


def _order(url: str, key: str, source: str) -> None:
    """Issues 20 to 23, of which 21 is current, and five orders of the last month.

    Two orders are for the issues 20 and 21, the others for 20 to 23. Issue 20 was sent.
    """
    with httpx.Client(
        base_url=f"{url}/v1",
        headers={"Authorization": f"Bearer {key}"},
        trust_env=False,
        timeout=PATIENCE,
    ) as api:

        def make(path: str, body: dict[str, object]) -> dict[str, str]:
            made = api.post(path, json=body)
            assert made.is_success, made.text
            return dict(made.json())

        for number, released in ((20, 60), (21, 1), (22, -90), (23, -180)):
            day = (TODAY - timedelta(days=released)).isoformat()
            make(
                "/issues/",
                {"number": number, "release_date_actual": day, "date_as_start_issue": day},
            )
        for name, subscriber in SUBSCRIBERS.items():
            make(
                "/subscriptions/",
                {
                    "source": source,
                    "start_issue": 20,
                    "length": 2 if name in ENDING else 4,
                    "price": "21.00" if name in ENDING else "42.00",
                    "order_id": name.upper(),
                    "order_date": LAST_MONTH_END.replace(day=5).isoformat(),
                    "country": "DE",
                    "address1": "Deichstr. 4",
                    "postcode": "25813",
                    "city": "Husum",
                    **subscriber,
                },
            )
        copies = api.get("/copies/", params={"limit": 200}).json()["items"]
        sent = [copy["id"] for copy in copies if copy["issue"]["number"] == 20]
        day = LAST_MONTH_END.replace(day=20).isoformat()
        make("/copies/mark-sent/", {"ids": sent, "date": day})


def test_the_twenty_tasks_of_a_week_are_done_at_the_desk(desk: Desk) -> None:
    jobs = TASKS | JOBS if desk.has_scripts else TASKS
    for task, (clicks, fields) in jobs.items():
        desk.clicks = desk.fields = 0
        task(desk)
        if desk.has_scripts:  # without them, some buttons are pressed in addition
            assert desk.clicks <= clicks, task.__name__
            assert desk.fields <= fields, task.__name__
    assert desk.figures("SELECT count(*) FROM audit WHERE account_id = ?")[0] > len(jobs)


def begin_order(desk: Desk) -> None:
    desk.open("Home")
    desk.press("Add a subscription")


def submit_order(desk: Desk) -> None:
    desk.press("Add the subscription")


def hears_issues(desk: Desk, name: str, number: int) -> None:
    one, many = "{name} gets {count} issue.", "{name} gets {count} issues."
    desk.hears(desk.count(one, many, number, name=name, count=number))


PERIOD = "SELECT {} FROM period WHERE account_id = ? ORDER BY id DESC LIMIT 1"


def order_of_a_known_subscriber(desk: Desk) -> None:
    begin_order(desk)
    box = desk.page.get_by_role("main").get_by_role("searchbox")
    desk.fill(box, "Byron")
    if not desk.has_scripts:
        with desk.page.expect_navigation():
            box.press("Enter")
    desk.follow("Ada Byron")
    desk.tick("Add it as well")  # she has issues 20 to 23
    desk.choose("Start issue", "22")
    expect(desk.field("Price paid")).to_have_value(re.compile(r"^42[.,]00$"))
    desk.choose("How it was paid", "card")
    submit_order(desk)
    hears_issues(desk, "Ada Byron", 4)
    assert desk.figures(PERIOD.format("price, first_issue, length, payment_method")) == [
        4200,
        22,
        4,
        "card",
    ]
    assert desk.figures("SELECT count(*) FROM subscriber WHERE account_id = ?") == [
        len(SUBSCRIBERS)
    ]


def order_of_a_new_subscriber(desk: Desk) -> None:
    begin_order(desk)
    desk.type(
        {
            "First name": "Elfriede",
            "Last name": "Brandt",
            "Street and number": "Hafenweg 9",
            "Postcode": "24937",
            "Town": "Flensburg",
            "Number of issues": "6",
            "Price paid": "59,50",
        }
    )
    desk.choose("Start issue", "22")
    submit_order(desk)
    hears_issues(desk, "Elfriede Brandt", 6)
    assert desk.figures(PERIOD.format("price, length")) == [5950, 6]


def gift_with_giver(desk: Desk) -> None:
    begin_order(desk)
    desk.type({"First name": "Jonas", "Last name": "Petersen", "Email": "jonas@example.test"})
    desk.type(
        {
            "Street and number": "Kai 2",
            "Postcode": "5020",
            "Town": "Salzburg",
            "Price paid": "56,00",
        }
    )
    desk.choose("Country", "AT")
    desk.tick("For someone else, as a gift")
    if not desk.has_scripts:
        desk.press("Enter the giver")
    desk.type({"Find the giver": "Brandt"})
    if not desk.has_scripts:
        desk.tap(desk.page.locator("button[name=do][value=giver]"))
    use = desk.page.get_by_role("button", name=desk.say("Use this giver"))
    desk.tap(use)
    desk.reads("Elfriede Brandt")
    expect(use).to_have_count(0)
    submit_order(desk)
    hears_issues(desk, "Jonas Petersen", 4)
    assert desk.figures(
        "SELECT s.is_gift, g.last_name FROM subscription s JOIN subscriber g ON g.id = s.gifter_id"
        " WHERE s.account_id = ? AND g.account_id = s.account_id"
    ) == [1, "Brandt"]


def membership(desk: Desk) -> None:
    begin_order(desk)
    desk.type({"First name": "Anke", "Last name": "Sommer"})
    desk.type({"Street and number": "Siel 3", "Postcode": "26506", "Town": "Norden"})
    desk.field("Product").select_option(label="Friends")
    desk.fields += 1
    if not desk.has_scripts:
        desk.press("Use the length and price of this product")
    expect(desk.field("Number of months")).to_have_value("12")
    submit_order(desk)
    desk.hears(desk.say("The membership of {name} is added.", name="Anke Sommer"))
    assert desk.figures(PERIOD.format("price, interval_months")) == [6000, 12]


def complimentary_copy(desk: Desk) -> None:
    begin_order(desk)
    desk.type({"Company": "Radio Watt", "Street and number": "Kaje 1"})
    desk.type({"Postcode": "26382", "Town": "Wilhelmshaven"})
    desk.tick("Complimentary: free of charge, price 0")
    submit_order(desk)
    hears_issues(desk, "Radio Watt", 4)
    assert desk.figures(PERIOD.format("price, length")) == [0, 4]


def five_copies_for_a_company(desk: Desk) -> None:
    begin_order(desk)
    desk.type({"Company": "Werft GmbH", "Street and number": "Dock 3"})
    desk.type({"Postcode": "27568", "Town": "Bremerhaven", "Price paid": "199.99"})
    desk.type({"Copies of each issue": "5"})
    submit_order(desk)
    assert desk.figures(
        "SELECT count(*), count(DISTINCT s.bundle_id), count(DISTINCT s.subscriber_id),"
        " sum(p.price) FROM subscription s JOIN period p ON p.subscription_id = s.id"
        " AND p.account_id = s.account_id WHERE s.account_id = ? AND s.company = 'Werft GmbH'"
    ) == [5, 1, 1, 19999]


def renewal_by_cheque(desk: Desk) -> None:
    desk.find("quist@example.test", "Dora Quist")
    desk.press_of_first("Renew")
    desk.type({"Price paid": "44,50"})
    desk.choose("How it was paid", "cheque")
    desk.press("Renew")
    assert desk.figures(PERIOD.format("price, first_issue, last_issue, payment_method")) == [
        4450,
        24,
        27,
        "cheque",
    ]


def corrected_email(desk: Desk) -> None:
    desk.find("ada@example.test", "Ada Byron")
    desk.open_more("Correct name or email")
    desk.type({"Email": "countess@example.test"})
    desk.press("Save")
    desk.hears(desk.say("The changes are saved."))
    sql = "SELECT email FROM subscriber WHERE account_id = ? AND last_name = 'Byron'"
    assert desk.figures(sql) == ["countess@example.test"]


def merge_and_undo(desk: Desk) -> None:
    held = (
        "SELECT count(DISTINCT subscriber_id), count(*), (SELECT count(*) FROM subscriber r WHERE"
        " r.account_id = s.account_id AND r.merged_into IS NOT NULL)"
        " FROM subscription s WHERE account_id = ? AND last_name = 'Quist'"
    )
    assert desk.figures(held) == [2, 2, 0]
    desk.find("dora@example.test", "Dora Quist")
    desk.open_more("Merge with another subscriber")
    desk.follow("Dora Quist")
    desk.press("Merge the two subscribers")
    assert desk.figures(held) == [1, 2, 1]
    desk.follow(desk.start("Undo, possible until %(day)s"))
    desk.press("Undo the merge")
    assert desk.figures(held) == [2, 2, 0]


CHANGE = "SELECT count(*), min(first_issue), max(last_issue), max(city) FROM address_change {}"


def address_from_a_day(desk: Desk) -> None:
    desk.find("countess", "Ada Byron")
    desk.press("Change the address")
    desk.tick("Permanently, from a certain day")
    moves = (TODAY + timedelta(days=100)).isoformat()  # between the issues 22 and 23
    desk.type(
        {"First day": moves, "Street and number": "Pier 12", "Postcode": "20095", "Town": "Hamburg"}
    )
    desk.press("Show what will happen")
    desk.press("Change the address")
    one, many = (
        "The new address is planned for {count} subscription.",
        "The new address is planned for {count} subscriptions.",
    )
    desk.hears(desk.count(one, many, 2, count=2))
    of_city = CHANGE.format("WHERE account_id = ? AND city = 'Hamburg'")
    assert desk.figures(of_city) == [2, 23, None, "Hamburg"]


def holiday_address(desk: Desk) -> None:
    desk.find("bea@example.test", "Bea Lund")
    desk.press("Change the address")
    desk.tick("For some issues, then back automatically")
    desk.type({"First issue": "21", "Last issue": "21", "Street and number": "Strand 1"})
    desk.type({"Postcode": "25826", "Town": "Tating"})
    desk.press("Show what will happen")
    desk.press("Change the address")
    of_city = CHANGE.format("WHERE account_id = ? AND city = 'Tating'")
    assert desk.figures(of_city) == [1, 21, 21, "Tating"]
    kept = "SELECT city FROM subscription WHERE account_id = ? AND last_name = 'Lund'"
    assert desk.figures(kept) == ["Husum"]


def medium_and_issues(desk: Desk) -> None:
    desk.find("Elfriede", "Elfriede Brandt")
    desk.open_more_of_first("Change medium or issues")
    desk.choose("Medium", "Digital")
    desk.type({"Number of issues of the last order": "4"})
    desk.press("Save")
    sql = (
        "SELECT medium, start_issue, last_issue FROM subscription"
        " WHERE account_id = ? AND last_name = 'Brandt'"
    )
    assert desk.figures(sql) == ["Digital", 22, 25]


UNSENT = (
    "SELECT s.status, sum(c.status = 'Not sent'), sum(c.status = 'Cancelled') FROM subscription s"
    " JOIN copy c ON c.subscription_id = s.id AND c.account_id = s.account_id"
    " WHERE s.account_id = ? AND s.last_name = 'Brandt' AND NOT s.is_gift GROUP BY s.id"
)


def cancellation_with_refund(desk: Desk) -> None:
    desk.find("Elfriede", "Elfriede Brandt")
    desk.press_of_first("Cancel", context="subscription")
    desk.choose("Reason", "too expensive")
    amounts = desk.page.locator("main input[name^=amount_]")
    desk.tick("Another amount")
    desk.fill(amounts, "30,00")
    one, many = (
        "Cancel the subscription and %(count)s copy",
        "Cancel the subscription and %(count)s copies",
    )
    what = desk.count(one, many, 2, count=2)
    desk.press("%(what)s, refund the amount above", what=what)
    assert desk.figures(UNSENT) == ["Cancelled", 0, 2]
    assert desk.figures("SELECT sum(amount) FROM refund WHERE account_id = ?") == [3000]
    sql = "SELECT reason, cancelled_date FROM cancellation WHERE account_id = ?"
    reason, day = desk.figures(sql)
    assert reason == "too expensive"
    assert day in (TODAY.isoformat(), f"{datetime.now(UTC):%Y-%m-%d}")  # midnight may have passed


def reopening(desk: Desk) -> None:
    desk.press("Reopen")
    desk.tick("The money has been transferred: the refund stays")
    desk.press("Reopen the subscription")
    assert desk.figures(UNSENT) == ["Active", 2, 0]


def note(desk: Desk) -> None:
    desk.find("Elfriede", "Elfriede Brandt")
    desk.type({"New note": "Rings again in May"})
    desk.press("Add note")
    desk.hears(desk.say("The note is saved."))
    desk.reads("Rings again in May")


def who_ended(desk: Desk) -> None:
    desk.open("Renewals")
    rows = desk.table("Download (CSV)")
    names = {subscriber["last_name"] for subscriber in SUBSCRIBERS.values()}
    # in any column: the headings are in the language of the account
    found = [names.intersection(row.values()) for row in rows]
    assert found in ([{"Lund"}, {"Moor"}], [{"Moor"}, {"Lund"}])
    assert desk.download("Download (Excel)").read_bytes().startswith(b"PK")


def renewal_letters(desk: Desk) -> None:
    desk.open("Renewals")
    desk.press("Letters to these subscribers")
    desk.press("Check and send")
    desk.reads("MASTHEAD_SMTP_HOST")  # without a mail server, only letters on paper
    desk.press_first(desk.start("Prepare to print"))
    pages = PdfReader(desk.download("Download the letters (PDF)")).pages
    assert ["Carl Moor" in page.extract_text() for page in pages] == [True]
    desk.press("Mark as printed")
    sql = (
        "SELECT count(*), sum(channel = 'email'), sum(status = 'printed') FROM renewal_letter"
        " WHERE account_id = ?"
    )
    assert desk.figures(sql) == [1, 0, 1]
    assert desk.figures("SELECT count(*) FROM outbox WHERE account_id = ?") == [0]


def money(desk: Desk) -> None:
    desk.open("Money")
    desk.type({"From": LAST_MONTH, "To": LAST_MONTH})
    desk.press("Show")
    taken = desk.table("Download (CSV)")
    amounts = [Decimal(desk.cell(row, "paid_at_once").replace(",", ".")) for row in taken]
    assert amounts == [Decimal("168.00")] * 2  # of the month, and the total
    desk.follow(desk.say("Deferred revenue"))
    desk.type({"Day": LAST_MONTH_END.isoformat()})
    desk.press("Make the statement")
    ready = desk.page.get_by_role("button", name=desk.say("Download the figures (CSV)"))
    ready.wait_for()
    (total,) = [row for row in desk.table("Download the figures (CSV)") if row["group"] == "total"]
    # a quarter of 42.00 three times and half of 21.00 twice are earned
    assert (total["price"], total["earned"], total["deferred"]) == ("168.00", "52.50", "115.50")


def history(desk: Desk) -> None:
    desk.find("Elfriede", "Elfriede Brandt")
    text = "Show the whole history, also corrections and merges, with values before and after"
    desk.follow(desk.say(text))
    desk.reads(f"{desk.say('Print')} → {desk.say('Digital')}")
    desk.open("Issues")
    desk.go(desk.page.get_by_role("rowheader").nth(2).get_by_role("link"))
    desk.open_more("History")


def issues_and_forecast(desk: Desk) -> None:
    picture = BytesIO()
    Image.new("RGB", (60, 80), "teal").save(picture, "PNG")
    desk.open("Issues")
    desk.press("Create an issue")
    desk.press("Create the issue")
    desk.open_more("Add a cover")
    desk.choose_file("cover.png", picture.getvalue())
    desk.press("Upload the cover")
    desk.open_more("Change the number")
    desk.type({"New number": "26"})
    desk.press("Show what will happen")
    desk.press("Change the number")
    sql = (
        "SELECT count(*), max(i.number), count(c.issue_id) FROM issue i LEFT JOIN issue_cover c"
        " ON c.issue_id = i.id AND c.account_id = i.account_id WHERE i.account_id = ?"
    )
    assert desk.figures(sql) == [5, 26, 1]
    desk.press("Delete")
    desk.press("Delete the issue")
    assert desk.figures(sql) == [4, 23, 0]
    desk.follow(desk.say("Forecast"))
    desk.type({"Spare copies, in percent": "10"})
    desk.press("Save")
    printed = {
        desk.cell(row, "issue_number"): [
            int(desk.cell(row, name)) for name in ("printed", "spare", "to_print")
        ]
        for row in desk.table("Download (CSV)")
    }
    (unsent,) = desk.figures(
        "SELECT count(*) FROM copy c JOIN subscription s ON s.id = c.subscription_id"
        " AND s.account_id = c.account_id WHERE c.account_id = ? AND c.issue_number = 22"
        " AND c.status = 'Not sent' AND s.medium <> 'Digital'"
    )
    spare = -(-unsent // 10)
    assert printed["22"] == [unsent, spare, unsent + spare]


# Each task with the most clicks and fields that it may need
TASKS = {
    order_of_a_known_subscriber: (5, 3),
    order_of_a_new_subscriber: (3, 8),
    gift_with_giver: (5, 9),
    membership: (3, 6),
    complimentary_copy: (4, 4),
    five_copies_for_a_company: (3, 6),
    renewal_by_cheque: (2, 3),
    corrected_email: (3, 2),
    merge_and_undo: (6, 1),
    address_from_a_day: (4, 5),
    holiday_address: (4, 6),
    medium_and_issues: (3, 3),
    cancellation_with_refund: (3, 3),
    reopening: (3, 0),
    note: (1, 2),
    who_ended: (4, 0),
    renewal_letters: (6, 0),
    money: (7, 3),
    history: (5, 1),
    issues_and_forecast: (17, 2),
}
JOBS = {
    week_jobs.labels_for_one_country_then_for_the_others: (10, 0),
    week_jobs.claim: (3, 1),
    week_jobs.copy_that_came_back: (2, 1),
    week_jobs.skipped_issue: (3, 1),
    week_jobs.import_undone_and_done_again: (11, 0),
    week_jobs.data_of_a_person_and_erasure: (6, 2),
    week_jobs.price_from_a_day: (4, 2),
    week_jobs.assistant_without_money_and_lists: (7, 1),
    week_jobs.what_was_done: (2, 0),
    week_jobs.another_language: (3, 1),
}
