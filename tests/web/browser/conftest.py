"""A real browser in front of a real server: Debian's Chromium, driven by Playwright.

One server and one database serve all tests of a session; each test makes an account of its own on
the command line, as an operator would, and is held to what every page owes: no error in the
console, nothing loaded from elsewhere.
"""

import json
import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, sync_playwright

from tests.support.serving import ROOT, Server, serve

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PASSWORD = "a lantern over the tide"
SECONDS = 15.0  # that a page may take on a busy machine
FLAGS = [
    "--disable-gpu",
    "--disable-dev-shm-usage",  # which is small in containers
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    *(["--no-sandbox"] if os.getuid() == 0 else []),
]


@dataclass(frozen=True)
class Stage:
    """A running masthead and the command line beside it."""

    server: Server
    database_url: str

    def run(self, *words: str) -> dict[str, str]:
        """What a command prints with `--json`."""
        return dict(json.loads(self.say(*words, "--json")))

    def say(self, *words: str) -> str:
        """What a command prints."""
        done = subprocess.run(
            [sys.executable, "-m", "masthead", *words],
            cwd=ROOT,
            env={
                **os.environ,
                "MASTHEAD_DATABASE_URL": self.database_url,
                "MASTHEAD_PUBLIC_URL": self.server.url,
            },
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout


@dataclass(frozen=True)
class Publication:
    """A fresh account, and the link by which its owner signs in first."""

    stage: Stage
    name: str
    subdomain: str
    owner: str
    link: str

    def at(self, *parts: str) -> str:
        """The address of one of its pages."""
        return f"{self.stage.server.url}/desk/{'/'.join((self.subdomain, *parts))}/"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, without a window; for a module, since Playwright keeps other event loops out."""
    if CHROMIUM is None:
        pytest.skip("no chromium here to look at the pages with")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The server of all tests; when they are done, `masthead check` finds nothing amiss."""
    folder = tmp_path_factory.mktemp("desk")
    url = f"sqlite:///{folder / 'masthead.db'}"
    with serve(url, folder / "log") as server:
        stage = Stage(server, url)
        yield stage
        stage.say("check")  # fails the session if anything is wrong


@pytest.fixture
def publication(stage: Stage) -> Publication:
    """An account with nothing in it."""
    return new_publication(stage)


def new_publication(stage: Stage) -> Publication:
    """Another, empty account."""
    subdomain = f"lantern-{secrets.token_hex(4)}"
    owner = f"owner@{subdomain}.test"
    words = ["--name", "Lantern", "--subdomain", subdomain, "--currency", "EUR", "--owner", owner]
    made = stage.run("account", "create", *words)
    return Publication(stage, "Lantern", subdomain, owner, made["link"])


@pytest.fixture
def watched(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """A maker of browser profiles whose pages may load nothing from elsewhere, nor complain."""
    complaints: list[str] = []
    contexts: list[BrowserContext] = []

    def make(**options: Any) -> BrowserContext:
        context = browser.new_context(**options)
        context.set_default_timeout(SECONDS * 1000)

        def look(request: Request) -> None:
            if not re.match(r"(http://(127\.0\.0\.1|localhost):\d+/|data:|about:)", request.url):
                complaints.append(f"loads {request.url}")

        def listen(page: Page) -> None:
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("console", lambda said: _note(complaints, said.type, said.text))

        context.on("request", look)
        context.on("page", listen)
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()
    assert complaints == []


def _note(complaints: list[str], kind: str, text: str) -> None:
    """Keep what a page complains of; that a refused form was answered with 4xx is no complaint."""
    if kind in ("error", "warning") and "the server responded with a status of 4" not in text:
        complaints.append(text)


@pytest.fixture(params=[True, False], ids=["script", "no-script"])
def page(request: pytest.FixtureRequest, watched: Callable[..., BrowserContext]) -> Page:
    """A page of a fresh profile, once with JavaScript and once without."""
    return watched(java_script_enabled=request.param).new_page()


@pytest.fixture
def script_page(watched: Callable[..., BrowserContext]) -> Page:
    """A page of a fresh profile, with JavaScript."""
    return watched().new_page()


def enter(page: Page, publication: Publication) -> None:
    """Set the owner's password by the printed link, which signs them in."""
    page.goto(publication.link)
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Set password").click()
    page.wait_for_url(re.compile(r"/desk/"))


def save_picture(page: Page, name: str) -> None:
    """Keep a picture of a page where `MASTHEAD_TEST_PICTURES` names a folder."""
    if folder := os.environ.get("MASTHEAD_TEST_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png")
