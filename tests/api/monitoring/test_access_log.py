"""The line of each request, if the settings ask for it."""

from structlog.testing import capture_logs

from masthead.settings import Settings
from tests.conftest import make_account, serving


async def test_each_request_is_logged_with_its_duration_and_without_links(
    database_url: str,
) -> None:
    async with serving(Settings(database_url=database_url, access_log=True)) as (app, client):
        cast = await make_account(client, app.state.db, "Acme")
        with capture_logs() as lines:
            await cast.get("/v1/subscriptions/", search="s3cret")
            await client.get("/link/s3cret/")
            await client.get(f"/{cast.key}")
            await client.get(f"/v1/issues/{cast.key}/", key=cast.key)
    requests = [line for line in lines if line["event"] == "request"]
    told = [(line["method"], line["path"], line["status"]) for line in requests]
    assert told == [
        ("GET", "/v1/subscriptions/", 200),
        ("GET", "/link", 404),
        ("GET", "/…", 404),
        ("GET", "/v1/issues/…/", 404),
    ]
    assert all(line["duration_ms"] > 0 for line in requests)
    assert "s3cret" not in str(lines)
