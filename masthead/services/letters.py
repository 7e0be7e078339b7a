"""Letters to subscribers: written into the outbox in the transaction of what they tell of."""

from masthead.model.resources import Subscription
from masthead.store import accounts, outbox
from masthead.store.accounts import Account
from masthead.store.connection import Transaction


async def write_welcome(
    tx: Transaction, account: Account, subscription: Subscription, *, domain: str
) -> None:
    """Put the account's welcome e-mail for a new subscription into the outbox."""
    subject, text = await accounts.get_welcome(tx, account.id)
    start = subscription.start_issue
    words = {
        "name": subscription.subscriber.full_name,
        "magazine": account.name,
        "start_issue": start.name if start else "",
    }
    await outbox.insert_letter(
        tx,
        account.id,
        recipient=subscription.subscriber.email,
        subject=_filled(subject, words),
        body=_filled(text, words),
        domain=domain,
    )


def _filled(template: str, words: dict[str, str]) -> str:
    """A text with its placeholders replaced; what is no placeholder stays as it is."""
    for word, meaning in words.items():
        template = template.replace("{" + word + "}", meaning)
    return template
