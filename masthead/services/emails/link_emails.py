"""Emails with one-time links to users: invitations and new passwords, added to the outbox."""

from collections.abc import Callable

from masthead.model.emails import EmailTemplate, filled
from masthead.model.translations import gettext as _, gettext_noop, in_language
from masthead.store.accounts import Account
from masthead.store.background import outbox
from masthead.store.engine.interface import Transaction

INVITATION = EmailTemplate(
    gettext_noop("Your invitation to {magazine}"),
    gettext_noop(
        "Hello,\n\nYou are invited by {sender} to manage the subscriptions of {magazine} in "
        "masthead. Your role: {role}.\n\nChoose a password here. The link works once and expires "
        "in seven days:\n\n{link}\n\nIf you did not expect this email, you can ignore it.\n"
    ),
)
INVITATION_TO_ACCEPT = EmailTemplate(
    gettext_noop("You are invited to {magazine}"),
    gettext_noop(
        "Hello,\n\nYou are invited by {sender} to manage the subscriptions of {magazine} in "
        "masthead. Your role: {role}.\n\nSign in with the password that you already have, and "
        "accept the invitation here. The link expires in seven days:\n\n{link}\n\nIf you did not "
        "expect this email, you can ignore it.\n"
    ),
)
NEW_PASSWORD = EmailTemplate(
    gettext_noop("Set a new password for {magazine}"),
    gettext_noop(
        "Hello,\n\nSet a new password for {magazine} here. The link works once and expires in one "
        "day:\n\n{link}\n\nYour old password works until you set the new one. If you did not ask "
        "for this email, tell an owner of the account.\n"
    ),
)


async def write_link_email(
    tx: Transaction,
    account: Account,
    recipient: str,
    *,
    public_url: str,
    link_digest: str,
    template: EmailTemplate,
    domain: str,
    locale: str | None,
    role: Callable[[], str] = str,
    sender: str | None = None,
) -> None:
    """Add an email with a one-time link to the outbox.

    locale: of the recipient; None for that of the account. role: names that of an invited user.
    sender: the name of who invites; None for the operator.
    link_digest: the digest of a link for the same user. The email gets another link when it is
    sent, so that no token is stored.
    """
    with in_language(locale or account.locale):
        words = {
            "magazine": account.name,
            "link": f"{public_url}/link/{{token}}/",
            "sender": sender or _("the operator of this server"),
            "role": role(),
        }
        subject, body = filled(_(template.subject), words), filled(_(template.text), words)
    await outbox.insert_email(
        tx,
        account.id,
        recipient=recipient,
        subject=subject,
        body=body,
        domain=domain,
        is_secret=True,
        link_digest=link_digest,
        is_to_user=True,
    )
