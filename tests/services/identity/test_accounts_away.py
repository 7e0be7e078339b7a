"""While the node of an account is away, its users sign in to their other accounts."""

import pytest
from structlog.testing import capture_logs

from masthead.model.audit_entries import EntryType
from masthead.model.errors import Busy, Unavailable
from masthead.model.identity.sign_ins import Client
from masthead.services import users
from masthead.services.identity import sessions, sign_in
from masthead.services.identity.own_accounts import write_own
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.services.identity.people import HOME, PASSWORD, owner_of
from tests.services.identity.test_sign_in import actions_of
from tests.support.account_away import AccountAway


async def test_a_sign_in_is_recorded_in_the_accounts_that_are_there(
    acme: Cast, rival: Cast
) -> None:
    owner = await owner_of(acme)
    await users.add_user(rival.db, rival.account_id, email=acme.owner, by=BY)
    before = [await actions_of(each, owner.user_id) for each in (acme, rival)]
    db, client = AccountAway(acme.db, rival.account_id), Client(HOME)
    proof = await sign_in.sign_in(db, email=acme.owner, password=PASSWORD, client=client)
    with capture_logs() as logs:
        session = await sessions.begin_session(db, proof, client)
    assert await sessions.find_signed_in_user(acme.db, session.token)
    after = [await actions_of(each, owner.user_id) for each in (acme, rival)]
    assert after == [[*before[0], EntryType.USER_SIGN_IN], before[1]]
    [warning] = [each for each in logs if each["log_level"] == "warning"]
    assert (warning["user"], warning["accounts"]) == (owner.user_id, [rival.account_id])


@pytest.mark.parametrize("reason", [Busy(), Unavailable()], ids=["busy", "unavailable"])
async def test_a_write_that_no_account_keeps_from_being_done_is_not_repeated(
    acme: Cast, reason: Unavailable
) -> None:
    owner, tries = await owner_of(acme), list[Transaction]()

    async def work(tx: Transaction) -> None:
        tries.append(tx)
        raise reason

    with pytest.raises(type(reason)):
        await write_own(acme.db, owner.user_id, work)
    assert len(tries) == 1
