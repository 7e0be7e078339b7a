"""What an erasure ends first, or waits for: subscriptions, invoices and files in progress."""

from collections.abc import Iterable

from masthead.model.actors import Actor
from masthead.model.errors import Invalid
from masthead.model.privacy.erasures import FILES_IN_PROGRESS, UNBILLED_ORDERS, UNSENT_COPIES
from masthead.model.translations import format_number, gettext as _
from masthead.services.subscriptions.cancel import end_now
from masthead.store.accounts import Account
from masthead.store.billing import orders as billed_orders
from masthead.store.engine.interface import Transaction
from masthead.store.privacy import records
from masthead.store.privacy.records import DataSubject
from masthead.store.privacy.uploaded_files import has_running_import
from masthead.store.subscriptions import records as subscriptions


async def end_running(
    tx: Transaction, account: Account, subject: DataSubject, *, is_cancelling: bool, by: Actor
) -> None:
    """End the subscriptions that are not over. Raises: Invalid `unsent_copies`."""
    running = await records.list_running(tx, account.id, subject)
    if not running:
        return
    if not is_cancelling:
        raise Invalid(
            _(
                "Copies of {count} subscriptions are not sent yet, and they cannot be sent without "
                "an address. Cancel the subscriptions first, or let the erasure cancel them."
            ).format(count=format_number(len(running))),
            code=UNSENT_COPIES,
        )
    found = await subscriptions.find_rows(tx, account.id, running)
    await end_now(tx, account, [found[each] for each in running], None, by=by)


async def require_billed(tx: Transaction, account_id: int, subject: DataSubject) -> None:
    """Raises: Invalid `unbilled_orders` while orders wait for an invoice, which has a name."""
    if await billed_orders.list_pending(tx, account_id, subject.subscribers):
        raise Invalid(
            _(
                "Orders of this payer wait for their invoice, and an invoice must have the "
                "name and the address. Issue the invoice first, or refund the orders."
            ),
            code=UNBILLED_ORDERS,
        )


async def require_idle(tx: Transaction, account_id: int, statuses: Iterable[str]) -> None:
    """Raises: Invalid `files_in_progress` while a file with the address is being made or read."""
    if "building" in statuses:
        raise Invalid(
            _("A file with this address is being made. Wait a minute, and try again."),
            code=FILES_IN_PROGRESS,
        )
    if await has_running_import(tx, account_id):
        raise Invalid(
            _("An import is running. Wait until it is done, and try again."), code=FILES_IN_PROGRESS
        )
