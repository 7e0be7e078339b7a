"""The pictures of the README and of the documents about sending, moving in and moving out."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, ViewportSize, expect

from masthead import demo
from tests.support.dispatch_files import rows_of
from tests.support.serving import serve
from tests.support.waiting import PATIENCE
from tests.web.browser.conftest import PASSWORD, Stage, create_demo, save_screenshot
from tests.web.browser.test_dispatch import download

LAPTOP: ViewportSize = {"width": 1000, "height": 900}
MAX_BYTES = 150_000  # of a picture

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Save the pictures in the folder that `make pictures` names, or in one of the test."""
    if "MASTHEAD_TEST_PICTURES" not in os.environ:
        monkeypatch.setenv("MASTHEAD_TEST_PICTURES", str(tmp_path))


@pytest.fixture
def own_stage(tmp_path: Path) -> Iterator[Stage]:
    """A server with an empty database, so that other tests have not sent any copies."""
    url = f"sqlite:///{tmp_path / 'masthead.db'}"
    with serve(url, tmp_path / "log") as server:
        yield Stage(server, url)


@pytest.fixture
def desk(browser: Browser, own_stage: Stage) -> Iterator[Page]:
    """The home page of the demo publication, of which the owner is signed in."""
    stage = own_stage
    _, token = create_demo(stage)
    context = browser.new_context(base_url=stage.server.url, viewport=LAPTOP)
    context.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    page.goto(f"/link/{token}/")
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Set password").click()
    page.wait_for_url(f"**/desk/{demo.SUBDOMAIN}/")
    yield page
    context.close()


def path_of(name: str, part: str = "dispatch") -> Path:
    """The file of a picture, in the folder that `MASTHEAD_TEST_PICTURES` names."""
    return Path(os.environ["MASTHEAD_TEST_PICTURES"]) / f"{part}-{name}.png"


def save(of: Page | Locator, name: str, part: str = "dispatch") -> None:
    """Save a picture of a page or of a part of it."""
    of.screenshot(path=path_of(name, part))
    assert 5_000 < path_of(name, part).stat().st_size < MAX_BYTES


def save_sheet(pdf: bytes, folder: Path) -> None:
    """Save a picture of the first page of a PDF file."""
    (folder / "labels.pdf").write_bytes(pdf)
    subprocess.run(
        "pdftoppm -png -singlefile -r 72 -gray labels.pdf labels".split(),
        cwd=folder,
        check=True,
        timeout=PATIENCE,
    )
    shutil.copyfile(folder / "labels.png", path_of("labels"))
    assert 5_000 < path_of("labels").stat().st_size < MAX_BYTES


@pytest.mark.skipif(not shutil.which("pdftoppm"), reason="needs pdftoppm of poppler-utils")
def test_pictures_of_a_dispatch_are_saved_for_the_readme(desk: Page, tmp_path: Path) -> None:
    page = desk
    page.set_viewport_size({"width": 1280, "height": 800})
    page.wait_for_timeout(30_000)  # ten seconds after the import, the trend includes all of it
    page.reload()
    save_screenshot(page, "home")  # for the README
    page.set_viewport_size(LAPTOP)
    save(page.get_by_role("region", name="To do today"), "home")

    page.get_by_role("button", name=re.compile("^Prepare mailing 1")).click()
    page.get_by_role("button", name=re.compile("^Prepare mailing .* copies")).wait_for()
    page.get_by_text("Before it costs postage").wait_for()
    expect(page.get_by_text("Same name and address twice:", exact=True)).to_be_visible()
    page.get_by_text("No postcode:", exact=True).click()
    page.set_viewport_size({"width": 1000, "height": 1120})
    save(page, "preview")

    page.goto(f"{page.url}?country=IE&country=IT&country=NO")
    page.get_by_role("button", name=re.compile("^Prepare mailing .* copies")).click()
    expect(page.get_by_role("status").first).to_contain_text("in mailing")
    _, pdf = download(page, "pdf:labels-l7160")
    save_sheet(pdf, tmp_path)
    _, table = download(page, "csv:mailing-house")
    page.reload()
    page.set_viewport_size({"width": 1000, "height": 1060})
    save(page, "run")

    page.get_by_role("button", name=re.compile("^Mark .* as sent$")).click()
    page.get_by_role("link", name="Lamplighters").click()
    page.get_by_label("Did this subscriber get the issue").fill(rows_of(table)[0]["name"])
    page.get_by_label("Did this subscriber get the issue").press("Enter")
    page.get_by_role("button", name="Did not arrive").wait_for()
    page.set_viewport_size({"width": 1000, "height": 720})
    save(page, "why")


SHOP = (
    "Name,Email,Financial Status,Created at,Lineitem quantity,Lineitem name,Lineitem price,"
    "Shipping Name,Shipping Address1,Shipping City,Shipping Zip,Shipping Country,Billing Name,"
    "Total,Currency,Id\n"
    "#1001,ada@example.com,paid,2025-11-14 10:05:00 +0100,1,One year (4 issues),48.00,"
    "Ada Byron,Kai 1,Hamburg,20457,DE,Ada Byron,48.00,EUR,7001\n"
    "#1002,bo@example.com,paid,2025-12-02 19:20:00 +0100,1,One year (4 issues),48.00,"
    "Bo Lund,Gade 2,København,2100,DK,Bo Lund,48.00,EUR,7002\n"
    "#1003,cy@example.com,paid,2026-01-20 08:41:00 +0100,1,Tote bag,18.00,"
    "Cy Moor,Deichstr. 4,Husum,25813,DE,Cy Moor,18.00,EUR,7003\n"
    "#1004,di@example.com,paid,2026-02-11 23:30:00 +0100,1,One year (4 issues),48.00,"
    "Eve Quist,Storgata 9,Bergen,5003,NO,Di Quist,48.00,EUR,7004\n"
    "#1005,flo@example,paid,2026-02-12 09:00:00 +0100,1,One year (4 issues),48.00,"
    "Flo Reed,Weg 3,Bremen,28195,Germny,Flo Reed,48.00,EUR,7005\n"
)


def test_pictures_of_an_import_are_saved_for_the_readme(desk: Page, tmp_path: Path) -> None:
    page = desk
    file = tmp_path / "orders.csv"
    file.write_text(SHOP, encoding="utf-8")
    page.goto(f"/desk/{demo.SUBDOMAIN}/imports/new/")
    page.set_input_files("input[type=file]", file)
    page.get_by_label("Where do these orders come from?").select_option("new")
    page.get_by_label("Name of the new source").fill("Web shop")
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Product of Tote bag").select_option("leave")
    page.set_viewport_size({"width": 1000, "height": 1100})
    save(page, "columns", "import")
    page.get_by_role("button", name="Continue to the preview").click()
    page.get_by_role("button", name="Rehearse with all rows").wait_for()
    page.set_viewport_size({"width": 1000, "height": 900})
    save(page, "preview", "import")
    page.get_by_role("button", name="Rehearse with all rows").click()
    page.get_by_role("heading", name="What the import would do").wait_for()
    page.set_viewport_size({"width": 1000, "height": 800})
    save(page, "rehearsal", "import")


def test_pictures_of_an_export_are_saved_for_the_readme(desk: Page) -> None:
    page = desk
    page.goto(f"/desk/{demo.SUBDOMAIN}/subscribers/?search=solheim")
    page.set_viewport_size({"width": 1000, "height": 620})
    page.locator("details.downloads > summary").click()
    save(page, "list", "export")
    page.goto(f"/desk/{demo.SUBDOMAIN}/settings/export/")
    page.set_viewport_size({"width": 1000, "height": 420})
    save(page, "page", "export")
    page.get_by_role("button", name="Export everything").click()
    page.get_by_role("button", name=re.compile("^Download")).wait_for()
    page.reload()
    page.set_viewport_size({"width": 1000, "height": 610})
    save(page, "ready", "export")


def test_pictures_of_an_erasure_are_saved_for_the_readme(desk: Page) -> None:
    page = desk
    page.goto(f"/desk/{demo.SUBDOMAIN}/subscribers/?search=solheim")
    page.get_by_role("rowheader").get_by_role("link").first.click()
    page.locator("details.more > summary").first.click()
    page.get_by_role("link", name="Privacy").click()
    page.get_by_role("button", name="See what would be erased").wait_for()
    page.set_viewport_size({"width": 1000, "height": 610})
    save(page, "page", "privacy")
    page.get_by_role("button", name="See what would be erased").click()
    page.get_by_role("button", name="Erase permanently").wait_for()
    page.get_by_label(re.compile("Cancel .* now")).check()
    hint = page.get_by_text(re.compile("^Type .*@.* here")).inner_text()
    page.get_by_label("Type the email to confirm").fill(hint.split()[1])
    page.get_by_role("button", name="Erase permanently").click()
    page.get_by_role("status").get_by_text("The subscriber is erased.").wait_for()
    page.set_viewport_size({"width": 1000, "height": 520})
    save(page, "result", "privacy")
