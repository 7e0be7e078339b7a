"""Fixtures of the tests of the API: an issue, and an account that tests share."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from masthead.store.engine.interface import Database
from tests.conftest import Cast, Client, make_account
from tests.support.factories import make_issue
from tests.support.walk import walk


@pytest.fixture
async def issue(acme: Cast) -> dict[str, Any]:
    """Issue 1 of Acme."""
    return await make_issue(acme)


@pytest.fixture(scope="module")
async def shared(client: Client, db: Database) -> AsyncIterator[Cast]:
    """An account with issue 1 that the tests of a module share: they change nothing."""
    cast = await make_account(client, db, "Shared")
    issue = await make_issue(cast)
    yield cast
    assert await walk(cast, "/v1/issues/") == [issue]
    assert await walk(cast, "/v1/subscribers/") == []
    assert await walk(cast, "/v1/subscriptions/") == []
    assert await walk(cast, "/v1/dispatches/") == []
