"""How long the links of emails to subscribers work."""

import msgspec
import pytest

from masthead.model.clock import now
from masthead.model.self_service.sign_in import LINK_VALID, LINK_WAITS, LinkPurpose
from masthead.services.self_service.emailed_links import TOKEN, insert_emailed_link
from masthead.store import accounts
from masthead.store.engine.interface import Transaction
from masthead.store.subscribers.corrections import get_subscriber
from tests.conftest import Cast
from tests.support.factories import make_issue, make_subscription


@pytest.mark.parametrize("is_sandbox", [False, True])
async def test_a_link_waits_for_its_email_except_in_a_sandbox(acme: Cast, is_sandbox: bool) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, email="ada@reader.test")

    async def work(tx: Transaction) -> tuple[str, str]:
        account = msgspec.structs.replace(
            await accounts.get_account(tx, acme.account_id), is_sandbox=is_sandbox
        )
        to = await get_subscriber(tx, acme.account_id, made["subscriber"]["id"])
        link = await insert_emailed_link(tx, account, to, LinkPurpose.SIGN_IN)
        return link.digest, link.token

    before = now()
    digest, token = await acme.db.write(work, account_id=acme.account_id)
    after = now()
    async with acme.db.read() as db:
        row = await db.fetch_one(
            "SELECT expires_at FROM subscriber_link"
            " WHERE account_id = :account_id AND digest = :digest",
            {"account_id": acme.account_id, "digest": digest},
        )
    assert row
    lasts = LINK_VALID if is_sandbox else LINK_WAITS
    assert before + lasts <= row["expires_at"] <= after + lasts
    assert (token == TOKEN) is not is_sandbox
