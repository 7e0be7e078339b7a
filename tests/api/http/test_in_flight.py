"""Limits on concurrent requests, above which clients get 503."""

from collections.abc import AsyncIterator

import pytest
from starlette.applications import Starlette

from masthead.api.http.rate_limit import MAX_BODIES, InFlight
from masthead.model.errors import Unavailable
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


def in_flight_of(app: Starlette) -> InFlight:
    """What the service counts."""
    in_flight: InFlight = app.state.in_flight
    return in_flight


async def test_beyond_the_limit_of_requests_only_health_is_answered(
    service: tuple[Starlette, Client],
) -> None:
    app, client = service
    for number in range(LIMIT):
        in_flight_of(app).admit(("10.0.0.1", str(number)))
    refused = await client.get("/v1/me/")
    assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
    assert refused.headers["Retry-After"]
    assert (await client.get("/health")).status_code == 200
    in_flight_of(app).finish(("10.0.0.1", "0"), 0)
    for _ in range(3):  # each is forgotten once it is answered
        assert (await client.get("/v1/me/")).status_code == 401


@pytest.mark.parametrize("path", ["/sign-in/", "/link/x/"])
async def test_a_body_beyond_the_memory_for_bodies_is_refused(
    service: tuple[Starlette, Client], path: str
) -> None:
    app, client = service
    in_flight_of(app).hold(ANN, 2 * MAX_BODIES)
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for _ in range(2):
        refused = await client.post(path, content="email=a", headers=form)
        assert refused.status_code == 503
    in_flight_of(app).finish(ANN, 2 * MAX_BODIES)
    assert (await client.post(path, content="email=a", headers=form)).status_code != 503


def test_clients_are_dropped_in_the_order_in_which_their_bodies_began() -> None:
    in_flight = InFlight(LIMIT)
    in_flight.hold(ANN, 1)
    in_flight.hold(BOB, MAX_BODIES // 2)
    in_flight.hold(CLEO, MAX_BODIES // 2 - 1)
    assert in_flight.excess() == []
    in_flight.hold(CLEO, 2)
    assert in_flight.excess() == [ANN, BOB]


def test_a_client_whose_body_is_complete_is_not_dropped() -> None:
    in_flight = InFlight(LIMIT)
    for peer in (ANN, BOB):
        in_flight.hold(peer, MAX_BODIES)
    in_flight.admit(ANN)
    assert (in_flight.peers, in_flight.excess()) == ({ANN}, [BOB])
    with pytest.raises(Unavailable):
        in_flight.hold(CLEO, 1)
    in_flight.finish(ANN, MAX_BODIES)
    assert (in_flight.peers, in_flight.excess()) == (set(), [BOB])
