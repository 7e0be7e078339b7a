"""GET /health and GET /ready: what an operator's machinery asks."""

from tests.conftest import Client


async def test_health_is_200_once_start_up_has_succeeded(client: Client) -> None:
    response = await client.get("/health")
    assert response.status_code == 200
    assert response.json() == {"status": "ok"}


async def test_ready_is_200_while_the_database_answers(client: Client) -> None:
    response = await client.get("/ready")
    assert response.status_code == 200
    assert response.json() == {"status": "ready"}
