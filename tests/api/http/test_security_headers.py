"""Security headers that every response has."""

from masthead.settings import Settings
from tests.conftest import Client, serving
from tests.support.cases import for_each

PATHS = ["/v1/me/", "/v1/nothing/", "/health", "/openapi.json", "/docs", "/sign-in/", "/nowhere"]
HSTS = "Strict-Transport-Security"


@for_each("path", PATHS)
async def test_responses_forbid_content_type_sniffing(client: Client, path: str) -> None:
    response = await client.get(path)
    assert response.headers.get_list("X-Content-Type-Options") == ["nosniff"]


@for_each("path", PATHS)
async def test_over_http_there_is_no_hsts(client: Client, path: str) -> None:
    assert HSTS not in (await client.get(path)).headers


@for_each("path", PATHS)
async def test_over_https_hsts_is_sent_for_one_year(client: Client, path: str) -> None:
    response = await client.get(path, headers={"X-Forwarded-Proto": "https"})
    assert response.headers.get_list(HSTS) == ["max-age=31536000"]


async def test_with_an_https_public_url_every_response_has_hsts(database_url: str) -> None:
    settings = Settings(database_url=database_url, public_url="https://masthead.acme.test")
    async with serving(settings) as (_, client):
        for path in PATHS:
            assert (await client.get(path)).headers.get_list(HSTS) == ["max-age=31536000"]
