"""Tests of the pages in a real browser: Chromium, driven by Playwright, and a real server.

All tests of a session share one server and one database. Each test creates its own account. It
fails if a page logs an error to the console or loads anything from another host.
"""

import asyncio
import json
import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar, Unpack

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Request,
    ViewportSize,
    expect,
    sync_playwright,
)

from masthead import demo
from masthead.cli import run
from masthead.cli.demo import create_publication
from masthead.services import accounts
from masthead.services.accounts import AccountSettings
from masthead.services.identity import sign_in
from masthead.settings import Settings
from masthead.store.accounts import Account, find_account
from masthead.store.engine.database import connect
from masthead.store.engine.interface import Database
from tests.conftest import BY
from tests.support.logs import reset_logs
from tests.support.replica import settings_of
from tests.support.serving import Server, serve
from tests.support.waiting import PATIENCE
from tests.web.browser.pages import address_of_page, find_ids

T = TypeVar("T")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PASSWORD = "a lantern over the tide"
PHONE: ViewportSize = {"width": 360, "height": 740}
LAPTOP: ViewportSize = {"width": 1280, "height": 800}
FLAGS = [
    "--disable-gpu",
    "--disable-dev-shm-usage",  # because /dev/shm is small in containers
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    *(["--no-sandbox"] if os.getuid() == 0 else []),
]


@dataclass(frozen=True)
class Stage:
    """A running server and its command line."""

    server: Server
    database_url: str

    def run(self, *words: str) -> dict[str, str]:
        """Run a command with `--json`; its output, decoded."""
        return dict(json.loads(self.say(*words, "--json")))

    def say(self, *words: str) -> str:
        """Run a command; its output. It must succeed."""
        out, messages = StringIO(), StringIO()
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("MASTHEAD_PUBLIC_URL", self.server.url)
            for name, value in settings_of(self.database_url).items():
                patched.setenv(name, value)
            with redirect_stdout(out), redirect_stderr(messages):
                code = in_thread(lambda: run(words))
        reset_logs()
        assert code == 0, out.getvalue() + messages.getvalue()
        return out.getvalue()

    def run_process(self, *words: str) -> None:
        """Run a command as a process of its own, as those that handle signals need."""
        settings = {"MASTHEAD_PUBLIC_URL": self.server.url, **settings_of(self.database_url)}
        command = [sys.executable, "-m", "masthead", *words]
        subprocess.run(command, env=os.environ | settings, check=True, timeout=PATIENCE)


def in_thread(work: Callable[[], T]) -> T:
    """Work that has an event loop of its own; the main thread has Playwright's."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result(PATIENCE)


@dataclass(frozen=True)
class Publication:
    """A new account, and the link with which its owner sets a password."""

    stage: Stage
    name: str
    subdomain: str
    owner: str
    link: str

    def at(self, *parts: str) -> str:
        """The address of one of its pages."""
        return f"{self.stage.server.url}/desk/{'/'.join((self.subdomain, *parts))}/"


async def settle_account(
    db: Database, publication: Publication, **settings: Unpack[AccountSettings]
) -> Account:
    """Change settings of the account of a publication."""
    account = await find_account(db, publication.subdomain)
    assert account is not None
    await accounts.update_account(db, account.id, by=BY, **settings)
    return account


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Headless Chromium; one per module, because Playwright blocks other event loops."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    expect.set_options(timeout=PATIENCE * 1000)  # its own 5 seconds are short on a busy machine
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The server of all tests. After the last test, `masthead check` must find no errors."""
    folder = tmp_path_factory.mktemp("desk")
    url = f"sqlite:///{folder / 'masthead.db'}"
    with serve(url, folder / "log") as server:
        stage = Stage(server, url)
        yield stage
        stage.say("check")  # fails the session if it finds an error


@pytest.fixture
def publication(stage: Stage) -> Publication:
    """An empty account."""
    return new_publication(stage)


def new_publication(stage: Stage) -> Publication:
    """Another, empty account."""
    subdomain = f"lantern-{secrets.token_hex(4)}"
    owner = f"owner@{subdomain}.test"

    async def create() -> str:
        db = await connect(stage.database_url)
        try:
            await accounts.create_account(
                db, name="Lantern", subdomain=subdomain, currency="EUR", owner=owner, by=BY
            )
            return await sign_in.create_link(db, owner, by=BY)
        finally:
            await db.close()

    token = in_thread(lambda: asyncio.run(create()))
    return Publication(stage, "Lantern", subdomain, owner, f"{stage.server.url}/link/{token}/")


@pytest.fixture
def make_browser_context(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Creates browser profiles; fails if their pages log errors or load from another host."""
    problems: list[str] = []
    contexts: list[BrowserContext] = []

    def make(**options: Any) -> BrowserContext:
        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE * 1000)

        def look(request: Request) -> None:
            if not re.match(r"(http://(127\.0\.0\.1|localhost):\d+/|data:|about:)", request.url):
                problems.append(f"loads {request.url}")

        def listen(page: Page) -> None:
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.on("console", lambda entry: _note(problems, entry.type, entry.text))

        context.on("request", look)
        context.on("page", listen)
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()
    assert problems == []


def _note(problems: list[str], kind: str, text: str) -> None:
    """Record an error of a page. A 4xx response to an invalid form is not an error."""
    if kind in ("error", "warning") and "the server responded with a status of 4" not in text:
        problems.append(text)


@pytest.fixture(
    params=[
        pytest.param(True, id="script"),
        pytest.param(False, id="no-script", marks=pytest.mark.slow),
    ]
)
def page(
    request: pytest.FixtureRequest, make_browser_context: Callable[..., BrowserContext]
) -> Page:
    """A page of a new profile, once with JavaScript and once without."""
    return make_browser_context(java_script_enabled=request.param).new_page()


@pytest.fixture
def script_page(make_browser_context: Callable[..., BrowserContext]) -> Page:
    """A page of a new profile, with JavaScript."""
    return make_browser_context().new_page()


def set_password_and_sign_in(page: Page, publication: Publication) -> None:
    """Set the owner's password with the link, which signs them in."""
    page.goto(publication.link)
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Set password").click()
    page.wait_for_url(re.compile(r"/desk/"))


def save_screenshot(page: Page, name: str) -> None:
    """Save a screenshot of a page to the folder that `MASTHEAD_TEST_PICTURES` names."""
    if folder := os.environ.get("MASTHEAD_TEST_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png")


@pytest.fixture(scope="session")
def ids(stage: Stage) -> dict[str, str]:
    """Create the demo publication and freeze a run; return the IDs that its pages need."""
    key, _ = create_demo(stage)
    found = find_ids(stage.server.url, key)
    of_issue = ["--account", demo.SUBDOMAIN, "--issue", found["issue_number"]]
    run = stage.run("dispatch", "freeze", *of_issue, "--country", "DE", "--country", "IT")
    stage.run("payments", "import", "--account", demo.SUBDOMAIN, "tests/files/bank/camt_02.xml")
    return {**found, "run": run["id"], "webhook": create_webhook(stage)}


def create_webhook(stage: Stage) -> str:
    """A webhook of the demo publication with one message, which the server may not send."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MASTHEAD_WEBHOOK_ALLOW_PRIVATE", "true")
        of_demo = ["--account", demo.SUBDOMAIN, "--url", "http://127.0.0.1:9/hook"]
        webhook = stage.run("webhook", "create", *of_demo)["id"]
    stage.say("webhook", "test", webhook)
    return webhook


def create_demo(stage: Stage) -> tuple[str, str]:
    """The key and the link of the demo publication, created outside Playwright's event loop."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MASTHEAD_DATABASE_URL", stage.database_url)
        settings = Settings(database_url=stage.database_url)
        return in_thread(lambda: create_publication(settings))


@pytest.fixture(scope="module")
def owner_browser(browser: Browser, stage: Stage, ids: dict[str, str]) -> Iterator[BrowserContext]:
    """A browser in which the owner of the demo publication is signed in."""
    _, token = create_demo(stage)
    context = browser.new_context(base_url=stage.server.url, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE * 1000)
    context.add_init_script(AXE_SCRIPT)  # sent once, not for each page
    page = context.new_page()
    page.goto(f"/link/{token}/")
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Set password").click()
    page.wait_for_url("**/desk/**")
    yield context
    context.close()


@pytest.fixture(scope="module")
def shared_tab(owner_browser: BrowserContext) -> Page:
    """The tab of all tests: opening one costs more than loading a page."""
    return owner_browser.new_page()


@pytest.fixture
def tab(shared_tab: Page) -> Page:
    """That tab, with the screen and the colours of a laptop; each test opens a page in it."""
    shared_tab.emulate_media(media="null", color_scheme="null")
    shared_tab.set_viewport_size(LAPTOP)
    return shared_tab


def open_page(page: Page, name: str, ids: dict[str, str]) -> None:
    """Open a page by its name and wait until it is loaded."""
    page.goto(address_of_page(name, demo.SUBDOMAIN, ids))
    # "networkidle" would wait half a second for parts that come later: there are none
    assert page.locator("[hx-trigger*=load]").count() == 0
