"""What changes while a subscriber uses their page: nothing is written or emailed any more."""

from collections.abc import Awaitable, Callable

import pytest

from masthead.model.errors import Erased, Invalid
from masthead.model.self_service.settings import Action, SelfService
from masthead.services.self_service.actions import Caller, ask_for_erasure, finish
from masthead.services.self_service.new_email import ask_for_new_email
from masthead.services.self_service.settings import update_settings
from masthead.services.self_service.sign_in import MyPage
from masthead.store import accounts
from masthead.store.engine.interface import Database
from masthead.store.subscribers.corrections import get_subscriber
from tests.conftest import BY, Cast
from tests.support.factories import make_issue
from tests.support.privacy import erase, find_traces
from tests.support.subscriber_pages import open_page
from tests.support.subscribers import make_subscriber, require_sound

ACTIONS: dict[str, Callable[[Database, Caller], Awaitable[None]]] = {
    "new email": lambda db, caller: ask_for_new_email(db, caller, "new@secretword.test"),
    "erasure": ask_for_erasure,
    "what was done": lambda db, caller: finish(db, caller, Action.NAME, "You are Zebedee."),
}


async def make_caller(acme: Cast) -> Caller:
    """A subscriber who uses the page of an account."""
    await make_issue(acme)
    await open_page(acme)
    id = await make_subscriber(acme, "zed@secretword.test", first_name="Zebedee")
    async with acme.db.read() as db:
        page = MyPage(
            account=await accounts.get_account(db, acme.account_id),
            url=f"https://masthead.test/my/{acme.subdomain}/",
            domain="acme.test",
            locale="en_GB",
        )
        return Caller(page=page, subscriber=await get_subscriber(db, acme.account_id, id))


@pytest.mark.parametrize("name", ["new email", "erasure"])
async def test_an_action_that_an_owner_has_just_switched_off_is_refused(
    acme: Cast, name: str
) -> None:
    caller = await make_caller(acme)
    only = SelfService(is_open=True, actions=frozenset({Action.NAME}))
    await update_settings(acme.db, acme.account_id, only, by=BY)
    with pytest.raises(Invalid, match="This cannot be done here any more"):
        await ACTIONS[name](acme.db, caller)


@pytest.mark.parametrize("name", ACTIONS)
async def test_an_action_after_an_erasure_is_refused(acme: Cast, name: str) -> None:
    caller = await make_caller(acme)
    await erase(acme, caller.subscriber.id)
    with pytest.raises(Erased):
        await ACTIONS[name](acme.db, caller)
    assert await find_traces(acme, ["secretword", "zebedee"]) == []
    await require_sound(acme)
