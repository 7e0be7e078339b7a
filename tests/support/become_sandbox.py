"""Make a sandbox of the account of a test, which has real time otherwise."""

from masthead.model.sandboxes import SandboxData
from masthead.store.accounts import lock_account, update_account
from masthead.store.engine.interface import Transaction
from masthead.store.sandboxes.clocks import insert_sandbox
from tests.conftest import Cast


async def become_sandbox(cast: Cast) -> None:
    """Give an account a clock of its own, from today on. Its key keeps its form."""

    async def work(tx: Transaction) -> None:
        account = await lock_account(tx, cast.account_id)
        await update_account(tx, cast.account_id, {"is_sandbox": True})
        await insert_sandbox(
            tx,
            cast.account_id,
            data=SandboxData.SETTINGS,
            first_date=account.daily_date,
            source_id=cast.shop,
        )

    await cast.db.write(work, account_id=cast.account_id)
