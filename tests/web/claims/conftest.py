"""An issue that was sent to one subscriber, for the pages about its copies."""

from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest

from masthead.model.dispatch.runs import Dispatch, DispatchSelection
from masthead.services.dispatch import runs
from tests.conftest import BY, Cast
from tests.support.factories import copies_of, make_issue, make_subscription

ANNA = {
    "email": "anna@example.com",
    "first_name": "Anna",
    "last_name": "Ek",
    "address1": "Storgatan 1",
    "postcode": "111 22",
    "city": "Stockholm",
    "country": "SE",
}


@dataclass(frozen=True)
class Sent:
    """An issue, a subscription to it, the copy, and the run with which it was sent."""

    issue: dict[str, Any]
    subscription: dict[str, Any]
    copy: dict[str, Any]
    run: Dispatch

    @property
    def subscriber(self) -> str:
        """The id of the subscriber."""
        return str(self.subscription["subscriber"]["id"])


async def send(cast: Cast, issue_id: str) -> Dispatch:
    """Freeze a run of an issue and mark it as sent on 3 May 2026."""
    selection = DispatchSelection()
    run = await runs.freeze_dispatch(cast.db, cast.account_id, issue_id, selection, by=BY)
    day = date(2026, 5, 3)
    marked, *_ = await runs.mark_dispatch(cast.db, cast.account_id, run.id, day, by=BY)
    return marked


@pytest.fixture
async def sent(acme: Cast) -> Sent:
    """Issue 1, which was sent to Anna Ek."""
    issue = await make_issue(acme)
    made = await make_subscription(acme, **ANNA)
    run = await send(acme, issue["id"])
    (copy,) = await copies_of(acme, made["id"])
    return Sent(issue, made, copy, run)
