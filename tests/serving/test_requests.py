"""Limits on concurrent requests, above which clients get 503."""

from collections.abc import AsyncIterator

import pytest
from starlette.applications import Starlette

from masthead.model.errors import Unavailable
from masthead.serving.requests import MAX_BODIES, ActiveRequests
from masthead.settings import Settings
from tests.conftest import Client, serving

ANN, BOB, CLEO = ("10.0.0.1", "1"), ("10.0.0.1", "2"), ("10.0.0.2", "1")
LIMIT = 16


@pytest.fixture
async def service(database_url: str) -> AsyncIterator[tuple[Starlette, Client]]:
    """The service with a low limit."""
    settings = Settings(database_url=database_url, max_connections=LIMIT)
    async with serving(settings) as service:
        yield service


def active_requests_of(app: Starlette) -> ActiveRequests:
    """The counters of the service."""
    active_requests: ActiveRequests = app.state.active_requests
    return active_requests


async def test_above_the_request_limit_only_health_is_answered(
    service: tuple[Starlette, Client],
) -> None:
    app, client = service
    for number in range(LIMIT):
        active_requests_of(app).add(("10.0.0.1", str(number)))
    refused = await client.get("/v1/me/")
    assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
    assert refused.headers["Retry-After"]
    assert (await client.get("/health")).status_code == 200
    active_requests_of(app).remove(("10.0.0.1", "0"), 0)
    for _ in range(3):  # each counter is reset once its request is answered
        assert (await client.get("/v1/me/")).status_code == 401


@pytest.mark.parametrize("path", ["/sign-in/", "/link/x/"])
async def test_a_body_that_exceeds_the_memory_limit_is_refused(
    service: tuple[Starlette, Client], path: str
) -> None:
    app, client = service
    active_requests_of(app).add_body_bytes(ANN, 2 * MAX_BODIES)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for _ in range(2):
        refused = await client.post(path, content="email=a", headers=form)
        assert refused.status_code == 503
    active_requests_of(app).remove(ANN, 2 * MAX_BODIES)
    assert (await client.post(path, content="email=a", headers=form)).status_code != 503


def test_clients_are_dropped_in_the_order_in_which_their_bodies_began() -> None:
    active_requests = ActiveRequests(LIMIT)
    active_requests.add_body_bytes(ANN, 1)
    active_requests.add_body_bytes(BOB, MAX_BODIES // 2)
    active_requests.add_body_bytes(CLEO, MAX_BODIES // 2 - 1)
    assert active_requests.peers_to_drop() == []
    active_requests.add_body_bytes(CLEO, 2)
    assert active_requests.peers_to_drop() == [ANN, BOB]


def test_a_body_on_the_disk_does_not_count() -> None:
    active_requests = ActiveRequests(LIMIT)
    for peer in (ANN, BOB):
        active_requests.add_body_bytes(peer, MAX_BODIES)
        active_requests.release_body_bytes(peer, MAX_BODIES)
    active_requests.add_body_bytes(ANN, MAX_BODIES)
    active_requests.add(ANN)
    active_requests.release_body_bytes(ANN, 1)  # the request has been read
    assert active_requests.peers_to_drop() == []


def test_a_client_whose_body_is_complete_is_not_dropped() -> None:
    active_requests = ActiveRequests(LIMIT)
    for peer in (ANN, BOB):
        active_requests.add_body_bytes(peer, MAX_BODIES)
    active_requests.add(ANN)
    assert (active_requests.peers, active_requests.peers_to_drop()) == ({ANN}, [BOB])
    with pytest.raises(Unavailable):
        active_requests.add_body_bytes(CLEO, 1)
    active_requests.remove(ANN, MAX_BODIES)
    assert (active_requests.peers, active_requests.peers_to_drop()) == (set(), [BOB])
