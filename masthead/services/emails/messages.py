"""Letters: their wording, and their way into the outbox in the transaction that they tell of."""

from masthead.model.actors import Actor
from masthead.model.audit_events import EventType
from masthead.model.emails import SAMPLE, filled, subject_template, text_template
from masthead.model.errors import Invalid
from masthead.model.resources import Subscription
from masthead.model.types.email_addresses import domain_key
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.audit.trail import AuditEvent
from masthead.store.background import outbox
from masthead.store.engine.interface import Database, Transaction

INVITATION = (
    "Your way into {magazine}",
    "Hello,\n\nyou are invited to the desk of {magazine}. Set a password here; the link works "
    "once, for seven days:\n\n{link}\n",
)
QUESTION = (
    "You are invited to {magazine}",
    "Hello,\n\nyou are invited to the desk of {magazine}. Sign in with your existing password "
    "and accept the invitation here; the link works for seven days:\n\n{link}\n\nIf you did not "
    "expect this email, ignore it.\n",
)
NEW_PASSWORD = (
    "A new password for {magazine}",
    "Hello,\n\nset a new password for the desk of {magazine} here; the link works once, for a "
    "day:\n\n{link}\n\nUntil then your old one works. If you did not ask for this, tell an owner "
    "of the account.\n",
)


async def write_link(
    tx: Transaction,
    account: Account,
    recipient: str,
    *,
    public_url: str,
    link_digest: str,
    kind: tuple[str, str],
    domain: str,
) -> None:
    """Put an email with a one-time link into the outbox. kind: its subject and text.

    link_digest: of a link of that user. The email gets its own link when it is sent, so that no
    token is stored.
    """
    subject, text = kind
    words = {"magazine": account.name, "link": f"{public_url}/link/{{token}}/"}
    await outbox.insert_letter(
        tx,
        account.id,
        recipient=recipient,
        subject=filled(subject, words),
        body=filled(text, words),
        domain=domain,
        is_secret=True,
        link_digest=link_digest,
    )


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
        subject=filled(subject, words),
        body=filled(text, words),
        domain=domain,
    )


def preview(subject: str, text: str, *, magazine: str) -> tuple[str, str]:
    """Subject and text of a welcome e-mail as a made-up reader gets it. Raises: Invalid."""
    words = {**SAMPLE, "magazine": magazine}
    return (
        filled(subject_template("subject", subject), words),
        filled(text_template("text", text), words),
    )


async def update_welcome(
    db: Database, account_id: int, *, subject: str, text: str, by: Actor
) -> None:
    """Word the account's welcome e-mail anew. Raises: Invalid."""
    given = {"subject": subject_template("subject", subject), "text": text_template("text", text)}

    async def work(tx: Transaction) -> None:
        await accounts.lock_account(tx, account_id)
        before = dict(zip(given, await accounts.get_welcome(tx, account_id), strict=True))
        changed = {name: to for name, to in given.items() if before[name] != to}
        if changed:
            columns = {f"welcome_{name}": to for name, to in changed.items()}
            await accounts.update_account(tx, account_id, columns)
            old = {name: before[name] for name in changed}
            event = AuditEvent(EventType.ACCOUNT_UPDATE_WELCOME_EMAIL, account_id, old, changed)
            await trail.record(tx, account_id, by, [event])

    await db.write(work, account_id=account_id)


async def send_test(
    db: Database,
    account_id: int,
    *,
    subject: str,
    text: str,
    recipient: str,
    placeholder_domain: str,
    by: Actor,
) -> None:
    """Send a welcome e-mail in these words, saved or not, to somebody who wants to see it.

    Raises: Invalid, also if the address is a placeholder, which no letter reaches.
    """
    if domain_key(recipient) == domain_key(f"@{placeholder_domain}"):
        raise Invalid(
            f"`{recipient}` is a placeholder that no letter reaches; sign in with another address."
        )

    async def work(tx: Transaction) -> None:
        account = await accounts.lock_account(tx, account_id)
        title, body = preview(subject, text, magazine=account.name)
        await outbox.insert_letter(
            tx,
            account_id,
            recipient=recipient,
            subject=title,
            body=body,
            domain=placeholder_domain,
        )
        event = AuditEvent(
            EventType.ACCOUNT_TEST_WELCOME_EMAIL, account_id, None, {"recipient": recipient}
        )
        await trail.record(tx, account_id, by, [event])

    await db.write(work, account_id=account_id)


async def retry_letter(db: Database, account_id: int, id: str, *, by: Actor) -> None:
    """Try again to send a letter that was given up. Raises: NotFound if none was."""

    async def work(tx: Transaction) -> None:
        await accounts.lock_account(tx, account_id)
        await outbox.update_retried(tx, account_id, id)
        await trail.record(tx, account_id, by, [AuditEvent(EventType.EMAIL_RETRY, id, None, None)])

    await db.write(work, account_id=account_id)
