"""The text of the welcome email, in all languages: change, preview and test it."""

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.emails import (
    EmailTemplate,
    filled,
    sample_words,
    subject_template,
    text_template,
    write_translations,
)
from masthead.model.translations import in_language
from masthead.model.types.recipient_languages import language_code
from masthead.services.emails.messages import require_real_address, subject_of_test
from masthead.services.transactions import with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.background import outbox
from masthead.store.engine.interface import Transaction
from masthead.store.self_service.settings import find_page_url
from masthead.store.welcome_emails import get_welcome


def _valid(subject: str, text: str) -> EmailTemplate:
    """The subject and text of a welcome email, with known placeholders only. Raises: Invalid."""
    return EmailTemplate(subject_template("subject", subject), text_template("text", text))


@with_locked_account
async def update_welcome(
    tx: Transaction, account: Account, *, subject: str, text: str, by: Actor
) -> None:
    """Change the account's welcome email. Raises: Invalid."""
    given = structs.asdict(_valid(subject, text))
    before = structs.asdict((await get_welcome(tx, account.id)).template)
    changed = {name: to for name, to in given.items() if before[name] != to}
    if changed:
        columns = {f"welcome_{name}": to for name, to in changed.items()}
        await accounts.update_account(tx, account.id, columns)
        old = {name: before[name] for name in changed}
        entry = NewEntry(EntryType.ACCOUNT_UPDATE_WELCOME_EMAIL, account.id, old, changed)
        await trail.record(tx, account.id, by, [entry])


@with_locked_account
async def update_translation(
    tx: Transaction,
    account: Account,
    language: str,
    template: EmailTemplate | None,
    *,
    by: Actor,
) -> None:
    """Change the welcome email in another language than that of the account. Raises: Invalid.

    template: None to delete it: recipients get what `WelcomeText.for_locale` says.
    """
    if template is not None:
        template = _valid(template.subject, template.text)
    language = language_code("language", language)
    known = await get_welcome(tx, account.id)
    before = known.translations.get(language)
    if template == before:
        return
    stored = write_translations(known.with_translation(language, template))
    await accounts.update_account(tx, account.id, {"welcome_translations": stored})
    about = {"language": language}
    states = [about | (structs.asdict(each) if each else {}) for each in (before, template)]
    entry = NewEntry(EntryType.ACCOUNT_UPDATE_WELCOME_EMAIL, account.id, *states)
    await trail.record(tx, account.id, by, [entry])


def preview(
    subject: str, text: str, *, magazine: str, locale: str, my_page: str
) -> tuple[str, str]:
    """The subject and text of a welcome email to a sample subscriber. Raises: Invalid.

    my_page: the address of the page for subscribers.
    """
    template = _valid(subject, text)
    with in_language(locale):
        words = {**sample_words(my_page), "magazine": magazine}
    return filled(template.subject, words), filled(template.text, words)


@with_locked_account
async def send_test(
    tx: Transaction,
    account: Account,
    *,
    subject: str,
    text: str,
    locale: str | None = None,
    recipient: str,
    placeholder_domain: str,
    by: Actor,
) -> None:
    """Send a welcome email with this subject and text to the recipient, without saving them.

    locale: of the text; None for that of the account. Raises: Invalid, also if the address of the
    recipient is a placeholder.
    """
    require_real_address(recipient, placeholder_domain)
    title, body = preview(
        subject,
        text,
        magazine=account.name,
        locale=locale or account.locale,
        my_page=await find_page_url(tx, account.id),
    )
    await outbox.insert_email(
        tx,
        account.id,
        recipient=recipient,
        subject=subject_of_test(title),
        body=body,
        domain=placeholder_domain,
    )
    entry = NewEntry(
        EntryType.ACCOUNT_TEST_WELCOME_EMAIL, account.id, None, {"recipient": recipient}
    )
    await trail.record(tx, account.id, by, [entry])
