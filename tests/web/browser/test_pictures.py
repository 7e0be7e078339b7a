"""The pictures of docs/sending-an-issue.md, and the home page of the README, from the demo."""

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
from tests.support.serving import PATIENCE, serve
from tests.web.browser.conftest import PASSWORD, SECONDS, Stage, save_screenshot
from tests.web.browser.test_dispatch import download
from tests.web.browser.test_every_page import create_demo

LAPTOP: ViewportSize = {"width": 1000, "height": 900}
MAX_BYTES = 150_000  # of a picture

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif("MASTHEAD_TEST_PICTURES" not in os.environ, reason="`make pictures` asks"),
]


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
    context.set_default_timeout(SECONDS * 1000)
    page = context.new_page()
    page.goto(f"/link/{token}/")
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Set password").click()
    page.wait_for_url(f"**/desk/{demo.SUBDOMAIN}/")
    yield page
    context.close()


def path_of(name: str) -> Path:
    """The file of a picture, in the folder that `MASTHEAD_TEST_PICTURES` names."""
    return Path(os.environ["MASTHEAD_TEST_PICTURES"]) / f"dispatch-{name}.png"


def save(of: Page | Locator, name: str) -> None:
    """Save a picture of a page or of a part of it."""
    of.screenshot(path=path_of(name))
    assert 5_000 < path_of(name).stat().st_size < MAX_BYTES


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
    save(page.get_by_role("region", name="Current issue"), "home")

    page.get_by_role("button", name=re.compile("^Freeze and download")).click()
    page.get_by_role("button", name=re.compile("^Freeze .* copies")).wait_for()
    page.get_by_text("Before it costs postage").wait_for()
    expect(page.get_by_text("Same name and address twice")).to_be_visible()
    page.get_by_text("No postcode:", exact=True).click()
    page.set_viewport_size({"width": 1000, "height": 1120})
    save(page, "preview")

    page.goto(f"{page.url}?country=IE&country=IT&country=NO")
    page.get_by_role("button", name=re.compile("^Freeze .* copies")).click()
    expect(page.get_by_role("status").first).to_contain_text("frozen in run")
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
    page.get_by_role("button", name="Record a claim").wait_for()
    page.set_viewport_size({"width": 1000, "height": 720})
    save(page, "why")
