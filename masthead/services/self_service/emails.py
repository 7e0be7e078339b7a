"""The emails about the page for subscribers: links, and confirmations of what they did."""

from masthead.model.emails import EmailTemplate, filled
from masthead.model.self_service.sign_in import LinkPurpose
from masthead.model.translations import gettext as _, gettext_noop, in_language
from masthead.services.self_service.emailed_links import EmailedLink
from masthead.services.self_service.reading import find_links
from masthead.store.accounts import Account
from masthead.store.background import outbox
from masthead.store.engine.interface import Transaction
from masthead.store.subscribers.corrections import StoredSubscriber

SIGN_IN = EmailTemplate(
    gettext_noop("Your subscription to {magazine}"),
    gettext_noop(
        "{greeting},\n\nOpen your page of {magazine} here. The link works once, for 15 minutes:"
        "\n\n{link}\n\nIf you did not ask for this email, you can ignore it.\n"
    ),
)
CONFIRM_OLD = EmailTemplate(
    gettext_noop("Your new email address at {magazine}"),
    gettext_noop(
        "{greeting},\n\nYou asked {magazine} to write to {new_email} from now on. Please confirm "
        "that. The link works once, for one day. We also write to the new address, and change "
        "nothing until both are confirmed:\n\n{link}\n\nIf you did not ask for this, do not open "
        "the link, and tell us.\n"
    ),
)
CONFIRM_NEW = EmailTemplate(
    gettext_noop("Confirm your email address at {magazine}"),
    gettext_noop(
        "Hello,\n\nPlease confirm that {magazine} should write to this address from now on. The "
        "link works once, for one day. We also write to your old address, and change nothing "
        "until both are confirmed:\n\n{link}\n\nIf you did not ask for this, you can ignore this "
        "email.\n"
    ),
)
DONE = EmailTemplate(
    gettext_noop("What you changed at {magazine}"),
    gettext_noop(
        "{greeting},\n\n{what}\n\nIf this was not you, please answer this email, or write to us."
        "\n\n{contact}{page}"
    ),
)

RENEWED = EmailTemplate(gettext_noop("Your renewal at {magazine}"), DONE.text)


async def write_sign_in_email(
    tx: Transaction,
    account: Account,
    to: StoredSubscriber,
    *,
    link: EmailedLink,
    url: str,
    domain: str,
    locale: str,
    key: str,
) -> None:
    """Add the email with the link to sign in. url: of the page. key: of a label, or empty."""
    words = {"link": f"{url}link/{link.token}/" + (f"?key={key}" if key else "")}
    await _write(
        tx, account, to, to.email, SIGN_IN, words, domain, locale=locale, link_digest=link.digest
    )


async def write_confirmation_email(
    tx: Transaction,
    account: Account,
    to: StoredSubscriber,
    purpose: LinkPurpose,
    new_email: str,
    *,
    link: EmailedLink,
    url: str,
    domain: str,
    locale: str,
) -> None:
    """Add the email that asks for the confirmation of a new address, to the old or the new one."""
    is_new = purpose is LinkPurpose.CONFIRM_NEW
    words = {"link": f"{url}confirm/{link.token}/", "new_email": new_email}
    await _write(
        tx,
        account,
        to,
        new_email if is_new else to.email,
        CONFIRM_NEW if is_new else CONFIRM_OLD,
        words,
        domain,
        locale=locale,
        link_digest=link.digest,
    )


async def write_done_email(
    tx: Transaction,
    account: Account,
    to: StoredSubscriber,
    what: str,
    *,
    contact: str,
    domain: str,
    locale: str,
    email: str = "",
    is_renewal: bool = False,
    invoice_id: str | None = None,
) -> None:
    """Add the confirmation of a change. what: in words. email: if not that of the subscriber.

    is_renewal: whether it is that of an order. invoice_id: of an invoice to attach.
    """
    words = {"what": what, "contact": f"{contact}\n" if contact else "", "page": ""}
    if not email:
        links = await find_links(tx, account.id)
        with in_language(locale):
            words["page"] = links.line(to.id, to.email_key)
    await _write(
        tx,
        account,
        to,
        email or to.email,
        RENEWED if is_renewal else DONE,
        words,
        domain,
        locale=locale,
        invoice_id=invoice_id,
    )


async def _write(
    tx: Transaction,
    account: Account,
    to: StoredSubscriber,
    recipient: str,
    template: EmailTemplate,
    words: dict[str, str],
    domain: str,
    *,
    locale: str,
    link_digest: str | None = None,
    invoice_id: str | None = None,
) -> None:
    """Add an email to the outbox; `{token}` is replaced when it is sent."""
    with in_language(locale):
        known = {"magazine": account.name, "greeting": to.greeting, **words}
        subject, body = filled(_(template.subject), known), filled(_(template.text), known)
    await outbox.insert_email(
        tx,
        account.id,
        recipient=recipient,
        subject=subject,
        body=body,
        domain=domain,
        is_secret=link_digest is not None,
        link_digest=link_digest,
        subscriber_id=to.id,
        invoice_id=invoice_id,
    )
