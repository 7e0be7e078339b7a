"""The welcome email and that of a gift, added to the outbox."""

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.emails import filled
from masthead.model.errors import Invalid
from masthead.model.letters.outcomes import LetterStatus
from masthead.model.orders.order import Giver, OrderDefaults
from masthead.model.resources import Subscription
from masthead.model.subscribers.greetings import greeting
from masthead.model.translations import gettext as _, in_language
from masthead.model.types.email_addresses import domain_key, email_key
from masthead.model.types.full_names import full_name
from masthead.model.types.issue_names import shown_name
from masthead.services.self_service.reading import find_links
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.background import outbox
from masthead.store.engine.interface import Transaction
from masthead.store.letters import records as letters
from masthead.store.subscribers.corrections import StoredSubscriber, get_subscriber
from masthead.store.welcome_emails import get_welcome


async def write_order_email(
    tx: Transaction,
    account: Account,
    subscription: Subscription,
    giver: Giver | None,
    defaults: OrderDefaults,
) -> None:
    """Add the email about a new order to the outbox: the welcome email, or that of a gift."""
    domain = defaults.placeholder_domain
    if giver is None:
        await write_welcome(tx, account, subscription, domain=domain)
    else:
        sender = full_name(giver.first_name, giver.last_name, giver.company, giver.email or "")
        await write_gift(tx, account, subscription, sender, domain=domain)


async def write_welcome(
    tx: Transaction, account: Account, subscription: Subscription, *, domain: str
) -> None:
    """Add the welcome email for a new subscription to the outbox."""
    recipient = await get_subscriber(tx, account.id, subscription.subscriber.id)
    wanted = _locale_for(account, recipient, subscription)
    template, locale = (await get_welcome(tx, account.id)).for_locale(wanted)
    words = {
        "greeting": _greeting(locale, recipient, subscription),
        "name": subscription.subscriber.full_name,
        "magazine": account.name,
        "start_issue": _start_issue(locale, subscription),
    }
    to, links = subscription.subscriber, await find_links(tx, account.id)
    with in_language(locale):
        ending = "" if "{my_page}" in template.text else links.line(to.id, email_key(to.email))
    link = links.of(to.id, email_key(to.email))
    await outbox.insert_email(
        tx,
        account.id,
        recipient=subscription.subscriber.email,
        subject=filled(template.subject, {**words, "my_page": links.url}),
        body=filled(template.text, {**words, "my_page": link}) + ending,
        domain=domain,
        subscriber_id=subscription.subscriber.id,
    )


def _locale_for(account: Account, to: StoredSubscriber, subscription: Subscription) -> str:
    """The locale of an email to who gets the issues."""
    return account.locale_for(to.language, to.country or subscription.shipping_address.country)


def _greeting(locale: str, subscriber: StoredSubscriber, subscription: Subscription) -> str:
    """How an email to who gets the issues begins."""
    names = subscription.first_name, subscription.last_name
    with in_language(locale):
        if any(names) and names != (subscriber.first_name, subscriber.last_name):
            return greeting(None, None, *names)
        return subscriber.greeting


def _start_issue(locale: str, subscription: Subscription) -> str:
    """The name of the start issue; empty for memberships."""
    start = subscription.start_issue
    with in_language(locale):
        return shown_name(start.name, start.number) if start else ""


async def write_gift(
    tx: Transaction, account: Account, subscription: Subscription, giver: str, *, domain: str
) -> None:
    """Add the email about a gift to the outbox, for its subscriber. giver: the giver's name."""
    recipient = await get_subscriber(tx, account.id, subscription.subscriber.id)
    locale = _locale_for(account, recipient, subscription)
    with in_language(locale):
        subject = _("{giver} gives you {magazine}")
        body = (
            _("{greeting},\n\n{giver} gives you {magazine}. The first issue is {start_issue}.\n")
            if subscription.start_issue
            else _("{greeting},\n\n{giver} gives you a membership of {magazine}.\n")
        )
        to = subscription.subscriber
        ending = (await find_links(tx, account.id)).line(to.id, email_key(to.email))
    words = {
        "greeting": _greeting(locale, recipient, subscription),
        "magazine": account.name,
        "giver": giver,
        "start_issue": _start_issue(locale, subscription),
    }
    await outbox.insert_email(
        tx,
        account.id,
        recipient=subscription.subscriber.email,
        subject=filled(subject, words),
        body=filled(body, words) + ending,
        domain=domain,
        subscriber_id=subscription.subscriber.id,
    )


def no_mail_server() -> Invalid:
    """The refusal to queue emails that nothing would send. It says what to set."""
    return Invalid(
        _(
            "No mail server is set up, so nothing is sent or queued. Set `MASTHEAD_SMTP_HOST` and "
            "`MASTHEAD_MAIL_FROM`, and `MASTHEAD_SMTP_PORT`, `MASTHEAD_SMTP_USER` and "
            "`MASTHEAD_SMTP_PASSWORD` if your server needs them; then restart masthead."
        )
    )


def require_real_address(recipient: str, placeholder_domain: str) -> None:
    """Raises: Invalid if the address of a user is a placeholder, which gets no test emails."""
    if domain_key(recipient) == domain_key(f"@{placeholder_domain}"):
        raise Invalid(
            _(
                "`{recipient}` is a placeholder, which cannot receive email. Sign in with another "
                "address."
            ).format(recipient=recipient)
        )


def subject_of_test(subject: str) -> str:
    """The subject of an email that a user sends to themselves to see it."""
    return _("Test: {subject}").format(subject=subject)


@with_locked_account
async def retry_email(tx: Transaction, account: Account, id: str, *, by: Actor) -> None:
    """Send an email again that failed for good. Raises: NotFound if there is no such email."""
    await outbox.update_retried(tx, account.id, id)
    await letters.update_status(tx, account.id, id, LetterStatus.QUEUED)
    await trail.record(tx, account.id, by, [NewEntry(EntryType.EMAIL_RETRY, id, None, None)])
