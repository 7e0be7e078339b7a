"""Compressed responses: of the API, of `/docs` and of static files, but of no page."""

import backports.zstd as zstd
import httpx
import pytest

from masthead.api.http.response import JsonResponse, in_accepted_coding
from masthead.api.openapi import docs
from masthead.api.openapi.document import document_bytes
from masthead.serving.compression import CODINGS, MIN_BYTES
from masthead.web.kit.rendering import FILES, static_url
from tests.conftest import Cast, Client
from tests.support.cases import for_each
from tests.support.factories import make_issues

ISSUES = "/v1/issues/"
STYLE = "pico/pico.min.css"


def body_of(response: httpx.Response) -> bytes:
    """The body as it was before it was compressed; httpx does not know zstd."""
    is_zstd = response.headers.get("Content-Encoding") == "zstd"
    return zstd.decompress(response.content) if is_zstd else response.content


async def get(client: Client, path: str, coding: str, key: str | None = None) -> httpx.Response:
    """The response to a client that asks for a coding."""
    return await client.get(path, key=key, headers={"Accept-Encoding": coding})


@for_each("coding", CODINGS)
async def test_a_list_is_compressed_and_304_has_the_same_tag(coding: str, acme: Cast) -> None:
    if not (await acme.get(ISSUES)).json()["items"]:
        await make_issues(acme, 1, 20)
    plain = await get(acme.client, ISSUES, "identity", acme.key)
    response = await get(acme.client, ISSUES, coding, acme.key)
    assert "Content-Encoding" not in plain.headers
    assert response.headers["Content-Encoding"] == coding
    assert body_of(response) == plain.content
    assert response.headers["Vary"] == plain.headers["Vary"] == "accept-encoding"
    assert int(response.headers["Content-Length"]) < len(plain.content) // 3
    tag = response.headers["ETag"]
    assert tag == f'{plain.headers["ETag"][:-1]}-{coding}"'
    for _ in range(2):  # the second time, the worker knows the answer
        headers = {"Accept-Encoding": coding, "If-None-Match": f'"other", {tag}'}
        again = await acme.client.get(ISSUES, key=acme.key, headers=headers)
        assert (again.status_code, again.headers["ETag"]) == (304, tag)
        assert again.headers["Vary"] == "accept-encoding"
        assert "Content-Encoding" not in again.headers


async def test_a_tag_of_a_compressed_answer_names_the_version_to_change(acme: Cast) -> None:
    (issue, *_) = await make_issues(acme, 1, 1)
    path = f"{ISSUES}{issue['id']}/"
    tag = (await acme.get(path)).headers["ETag"][:-1]
    for coding, status in (("rar", 412), ("br", 200)):
        response = await acme.client.patch(
            path, key=acme.key, json={"name": "New"}, headers={"If-Match": f'{tag}-{coding}"'}
        )
        assert response.status_code == status


async def test_head_has_the_headers_of_the_compressed_answer(acme: Cast) -> None:
    await make_issues(acme, 1, 20)
    whole = await get(acme.client, ISSUES, "gzip", acme.key)
    head = await acme.client.request(
        "HEAD", ISSUES, key=acme.key, headers={"Accept-Encoding": "gzip"}
    )
    for name in ("ETag", "Content-Length", "Content-Encoding"):
        assert head.headers[name] == whole.headers[name]
    assert head.content == b""


def test_only_what_pays_is_compressed() -> None:
    small, large = JsonResponse(b"x" * (MIN_BYTES - 1)), JsonResponse(b"x" * MIN_BYTES, 201)
    assert in_accepted_coding(small, b"gzip") is small
    assert in_accepted_coding(large, b"") is large
    assert in_accepted_coding(large, b"deflate") is large
    compressed = in_accepted_coding(large, b"gzip")
    assert (compressed.status, compressed.tag) == (201, b"")
    assert len(compressed.body) < MIN_BYTES
    assert (b"vary", b"accept-encoding") in compressed.all_headers()


@pytest.mark.parametrize("coding", CODINGS)
async def test_files_are_compressed(coding: str, client: Client) -> None:
    files = {
        "/docs/swagger-ui-bundle.js": (docs.SWAGGER / "swagger-ui-bundle.js").read_bytes(),
        "/openapi.json": document_bytes(),
        static_url(STYLE): FILES[STYLE],
    }
    for path, body in files.items():
        response = await get(client, path, coding)
        assert response.headers["Content-Encoding"] == coding
        assert response.headers["Vary"] == "Accept-Encoding"
        assert body_of(response) == body
        assert int(response.headers["Content-Length"]) < len(body) // 3
        plain = await get(client, path, "identity")
        assert "Content-Encoding" not in plain.headers
        assert plain.content == body


async def test_pages_errors_and_small_answers_are_not_compressed(acme: Cast) -> None:
    for path in ("/sign-in/", "/v1/me/", "/v1/issues/X/", "/docs/favicon-32x32.png"):
        response = await get(acme.client, path, "gzip", acme.key)
        assert "Content-Encoding" not in response.headers, path
