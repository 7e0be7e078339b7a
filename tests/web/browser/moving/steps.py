"""What the walks through imports share: an account to move into, and the steps of an import."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

from playwright.sync_api import expect

from masthead.model.inputs import IssueCreate
from masthead.services.issues import records as issues
from masthead.store.engine.database import connect
from tests.conftest import BY
from tests.support.waiting import PATIENCE
from tests.web.browser.conftest import Publication, settle_account
from tests.web.browser.office import Desk

FILES = Path(__file__).parents[3] / "files" / "imports"
ORDERS = "SELECT count(*) FROM period WHERE account_id = ?"
PAUSE = 500  # milliseconds; loading the page more often takes time from the work it waits for
FIRST_DAYS = (date(2015, 1, 1), date(2026, 1, 1), date(2027, 1, 1))  # of the issues


def furnish(publication: Publication, locale: str) -> None:
    """Give an account a language, a time zone and three issues."""
    with ThreadPoolExecutor(1) as thread:  # this one has Playwright's event loop
        thread.submit(asyncio.run, _furnish(publication, locale)).result(PATIENCE)


async def _furnish(publication: Publication, locale: str) -> None:
    db = await connect(publication.stage.database_url)
    try:
        account = await settle_account(
            db, publication, locale=locale, country="DE", time_zone="Europe/Berlin"
        )
        for number, day in enumerate(FIRST_DAYS, 1):
            body = IssueCreate(number=number, release_date_actual=day, date_as_start_issue=day)
            await issues.create_issue(db, account.id, body, by=BY)
    finally:
        await db.close()


def wait_for(desk: Desk, text: str) -> None:
    """Wait until the background work is done and the page says so; without scripts, ask again."""
    heading = desk.page.get_by_role("heading", name=desk.say(text), exact=True)
    if desk.has_scripts:
        expect(heading).to_be_visible()
        return
    for _ in range(int(PATIENCE * 1000 / PAUSE)):
        if heading.count():
            return
        desk.page.wait_for_timeout(PAUSE)
        desk.follow(desk.say("Show the progress now"))
    raise AssertionError(text)


def press_import(desk: Desk, rows: int) -> None:
    """Import the rows that the rehearsal found."""
    with desk.page.expect_navigation():
        label = desk.count(
            "Import %(shown)s row now", "Import %(shown)s rows now", rows, shown=rows
        )
        desk.page.get_by_role("button", name=label, exact=True).click()
