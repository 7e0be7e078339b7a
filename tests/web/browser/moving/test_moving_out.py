"""A publisher moves out, and a subscriber is forgotten: exports, erasures and backups in Chromium.

The walk is done with and without scripts. A name that is erased must not be anywhere in the bytes
of the database, nor in those of a backup from before the erasure that is restored.
"""

import io
import json
import re
import time
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.support.waiting import PATIENCE
from tests.web.browser.conftest import Publication, set_password_and_sign_in

NAME = "Quibblewick"  # of the subscriber who is erased
ORDERS = (
    "order_id,email,first_name,last_name,address1,postcode,city,country,start_issue,length,"
    "order_date,price\n"
    f"A1,zelda@example.test,Zelda,{NAME},{NAME} Road 1,12345,Town,DE,1,2,2026-01-05,20.00\n"
    "A2,bo@example.test,Bo,Lund,Gade 2,2100,Town,DE,1,2,2026-01-05,20.00\n"
)

pytestmark = pytest.mark.slow


def bytes_with_name(database: Path) -> list[str]:
    """The files of a database whose bytes have the name."""
    files = [database, *database.parent.glob(f"{database.name}-*")]
    return [file.name for file in files if NAME.encode() in file.read_bytes()]


def wait_until_erased(database: Path) -> None:
    """Wait for the background work, which rewrites the file of the database."""
    end = time.monotonic() + PATIENCE
    while (left := bytes_with_name(database)) and time.monotonic() < end:
        time.sleep(0.2)
    assert left == []


def test_everything_is_exported_and_an_erased_subscriber_stays_away(
    page: Page, publication: Publication, tmp_path: Path
) -> None:
    stage, account = publication.stage, ("--account", publication.subdomain)
    (tmp_path / "orders.csv").write_text(ORDERS, encoding="utf-8")
    stage.say("issue", "create", *account, "--number", "1")
    source = stage.run("source", "create", *account, "--name", "List", "--type", "import")
    stage.say("import", *account, "--source", source["id"], str(tmp_path / "orders.csv"))
    set_password_and_sign_in(page, publication)

    page.goto(publication.at("settings", "export"))
    page.get_by_role("button", name="Export everything").click()
    link = page.get_by_role("button", name=re.compile("^Download"))
    end = time.monotonic() + PATIENCE
    while not link.count() and time.monotonic() < end:
        page.wait_for_timeout(200)
        page.reload()
    with page.expect_download() as download:
        link.first.click()
    with zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes())) as archive:
        manifest = next(name for name in archive.namelist() if name.endswith("manifest.json"))
        rows = {each["name"]: each["rows"] for each in json.loads(archive.read(manifest))["files"]}
    assert (rows["csv/subscribers.csv"], rows["json/subscriptions.ndjson"]) == (2, 2)

    stage.run_process("backup", str(tmp_path / "backups"))
    database = Path(stage.database_url.removeprefix("sqlite:///"))
    assert bytes_with_name(database)
    page.goto(publication.at("subscribers") + f"?search={NAME}")
    page.get_by_role("link", name=re.compile(NAME)).first.click()
    page.locator("details.more > summary").first.click()
    page.get_by_role("link", name="Privacy").click()
    page.get_by_role("button", name="See what would be erased").click()
    page.get_by_label(re.compile("Cancel .* now")).check()
    page.get_by_label("Type the email to confirm").fill("zelda@example.test")
    page.get_by_role("button", name="Erase permanently").click()
    page.get_by_text("The subscriber is erased.", exact=True).wait_for()
    wait_until_erased(database)

    restored = tmp_path / "restored.db"
    stage.run_process("restore", str(tmp_path / "backups"), "--to", f"sqlite:///{restored}")
    assert bytes_with_name(restored) == []
    words = ("import", *account, "--source", source["id"], str(tmp_path / "orders.csv"), "--json")
    again = json.loads(stage.say(*words))
    assert (again["imported"], again["skipped"], again["left_out"]) == (0, 1, 1)
    assert bytes_with_name(database) == []
