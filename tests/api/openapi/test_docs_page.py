"""`/docs`: Swagger UI, vendored, without requests to other hosts."""

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from masthead.api.openapi import docs
from masthead.api.routes import ROUTES
from tests.conftest import Client
from tests.support.cases import for_each
from tests.support.page_resources import PageResources
from tests.support.serving import serve

VENDORED = docs.SWAGGER / "VENDORED"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


async def page(client: Client) -> PageResources:
    response = await client.get("/docs")
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    loads = PageResources()
    loads.feed(response.text)
    return loads


def test_the_vendored_files_match_the_package() -> None:
    header, *lines = VENDORED.read_text().splitlines()
    assert re.match(r"# swagger-ui-dist \d+\.\d+\.\d+, Apache-2\.0, ", header)
    digests = {name: digest for digest, name in (line.split("  ") for line in lines)}
    files = [file for file in docs.SWAGGER.iterdir() if file != VENDORED]
    assert digests == {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(files)
    }
    assert {"LICENSE", "NOTICE"} <= digests.keys()


async def test_the_page_loads_from_this_server_only(client: Client) -> None:
    addresses = (await page(client)).addresses
    assert len(addresses) == 4
    for address in addresses:
        assert address.startswith("docs/"), "relative, so that it works under any prefix"
        response = await client.get(f"/{address}")
        assert response.status_code == 200
        assert response.content == next(docs.STATIC.rglob(Path(address).name)).read_bytes()


async def test_the_page_has_no_inline_code(client: Client) -> None:
    assert (await page(client)).inline == []


async def test_the_start_script_uses_no_other_host(client: Client) -> None:
    script = (await client.get("/docs/start.js")).text
    assert 'url: "openapi.json"' in script
    assert "validatorUrl: null" in script
    assert "://" not in script


@for_each(
    "path, media_type",
    [
        ("/docs", "text/html; charset=utf-8"),
        ("/docs/start.js", "text/javascript; charset=utf-8"),
        ("/docs/swagger-ui.css", "text/css; charset=utf-8"),
        ("/docs/swagger-ui-bundle.js", "text/javascript; charset=utf-8"),
        ("/docs/favicon-32x32.png", "image/png"),
    ],
)
async def test_the_files_have_a_strict_content_security_policy(
    client: Client, path: str, media_type: str
) -> None:
    response = await client.request("HEAD", path)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == media_type
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    policy = dict(
        part.strip().split(" ", 1)
        for part in response.headers["Content-Security-Policy"].split(";")
    )
    assert policy == {
        "default-src": "'self'",
        "img-src": "'self' data:",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }


@for_each("path", ["/openapi.json", "/docs", "/docs/swagger-ui.css", "/docs/favicon-32x32.png"])
async def test_a_client_that_has_the_file_gets_304(client: Client, path: str) -> None:
    tags = set()
    for coding in ("identity", "gzip", "br", "zstd"):
        asked = {"Accept-Encoding": coding}
        response = await client.get(path, headers=asked)
        tag = response.headers["ETag"]
        if "Content-Encoding" in response.headers:
            assert tag.endswith(f'-{coding}"')
        tags.add(tag)
        again = await client.get(path, headers=asked | {"If-None-Match": f'"old", {tag}'})
        assert (again.status_code, again.content) == (304, b"")
        assert (again.headers["ETag"], again.headers["Vary"]) == (tag, "Accept-Encoding")
        assert "Content-Type" not in again.headers
        changed = await client.get(path, headers=asked | {"If-None-Match": '"old"'})
        assert (changed.status_code, changed.content) == (200, response.content)
    is_compressed = path in ("/openapi.json", "/docs/swagger-ui.css")
    assert len(tags) == (4 if is_compressed else 1)


@for_each(
    "path",
    ["/docs/", "/docs/VENDORED", "/docs/index.html", "/docs/../docs.py", "/docs/%2e%2e/docs.py"],
)
async def test_other_files_are_not_served(client: Client, path: str) -> None:
    assert (await client.get(path)).status_code == 404


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium here to look at /docs with")
def test_a_browser_shows_every_operation_without_errors(tmp_path: Path) -> None:
    assert CHROMIUM is not None
    with serve(f"sqlite:///{tmp_path / 'masthead.db'}", tmp_path / "log") as server:
        looked = subprocess.run(
            [
                CHROMIUM,
                "--headless",
                *(["--no-sandbox"] if os.getuid() == 0 else []),
                "--disable-gpu",
                f"--user-data-dir={tmp_path / 'profile'}",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                "--enable-logging=stderr",
                "--virtual-time-budget=20000",
                "--dump-dom",
                f"{server.url}/docs",
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
    shown = set(re.findall(r'id="operations-(?!tag)[a-z-]+-([a-z_]+)"', looked.stdout))
    assert shown == {route.name for route in ROUTES}
    said = [line for line in looked.stderr.splitlines() if "CONSOLE" in line]
    assert said == []
