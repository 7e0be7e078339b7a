"""The texts of renewal letters: change, preview and test them."""

from babel import Locale
from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.emails import EmailTemplate, subject_template, text_template
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.letters.texts import (
    default_template,
    letter_words,
    placeholders,
    sample_words,
    with_unsubscribe_link,
    written,
)
from masthead.model.letters.unsubscribe import unsubscribe_url
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.renewals.prices import RenewalPrices
from masthead.model.translations import in_language
from masthead.services.emails.messages import require_real_address
from masthead.services.identity.server_secrets import get_secret
from masthead.services.letters.recipients import LetterPlan, PlannedLetter, plan_letters
from masthead.services.subscriptions.renewal_prices import find_renewal_prices
from masthead.services.transactions import with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.background import outbox
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.letters import stages
from masthead.store.self_service.settings import find_page_url

MAX_LISTED = 50  # letters that are looked at for a preview
_NOBODY = "0" * 31  # in the unsubscribe link of a test, which names no subscriber


class StageText(Struct, frozen=True):
    """The letter of a stage. is_automatic: sent by rule. is_default: not changed by an owner."""

    stage: RenewalStage
    template: EmailTemplate
    is_automatic: bool
    is_default: bool


class LetterPreview(Struct, frozen=True):
    """A letter to a subscriber. subscriber_id: None for a sample subscriber."""

    subject: str
    text: str
    full_name: str
    subscriber_id: str | None


async def list_texts(db: Connection, account: Account) -> dict[RenewalStage, StageText]:
    """The letters of all stages, in their order. Queries: one."""
    changed = await stages.list_stages(db, account.id)
    with in_language(account.locale):
        return {
            stage: StageText(
                stage,
                EmailTemplate(changed[stage].subject, changed[stage].text),
                changed[stage].is_automatic,
                is_default=False,
            )
            if stage in changed
            else StageText(stage, default_template(stage), is_automatic=False, is_default=True)
            for stage in RenewalStage
        }


def valid_template(subject: str, text: str) -> EmailTemplate:
    """The subject and text, with known placeholders only. Raises: Invalid, which names others."""
    known = placeholders()
    return EmailTemplate(
        subject_template("subject", subject, known), text_template("text", text, known)
    )


@with_locked_account
async def update_text(
    tx: Transaction,
    account: Account,
    stage: RenewalStage,
    *,
    subject: str,
    text: str,
    is_automatic: bool,
    by: Actor,
) -> None:
    """Change the letter of a stage, and whether it is sent by rule. Raises: Invalid."""
    template = valid_template(subject, text)
    given = {"subject": template.subject, "text": template.text, "is_automatic": is_automatic}
    known = (await list_texts(tx, account))[stage]
    before = {
        "subject": known.template.subject,
        "text": known.template.text,
        "is_automatic": known.is_automatic,
    }
    changed = {name: to for name, to in given.items() if before[name] != to}
    if not changed:
        return
    await stages.upsert_stage(
        tx,
        account.id,
        stage,
        subject=template.subject,
        text=template.text,
        is_automatic=is_automatic,
    )
    old = {"stage": stage.value, **{name: before[name] for name in changed}}
    entry = NewEntry(EntryType.ACCOUNT_UPDATE_RENEWAL_LETTER, account.id, old, changed)
    await trail.record(tx, account.id, by, [entry])


async def preview_text(
    db: Connection,
    account_id: int,
    stage: RenewalStage,
    *,
    subject: str,
    text: str,
    plan: LetterPlan | None = None,
) -> LetterPreview:
    """The letter as a subscriber gets it: the first who would get it now, or a sample subscriber.

    plan: the first letters of the stage, if they are known. Queries: three to eight, read aside.
    Raises: Invalid.
    """
    template = valid_template(subject, text)
    account = await accounts.get_account(db, account_id)
    plan = plan or await plan_letters(db, account, stage, limit=MAX_LISTED)
    chosen = [each for each in plan.letters if isinstance(each.decision, LetterChannel)]
    prices = await find_renewal_prices(db, account)
    my_page = await find_page_url(db, account_id)
    return preview_letter(account, template, chosen[0] if chosen else None, prices, my_page)


def preview_letter(
    account: Account,
    template: EmailTemplate,
    letter: PlannedLetter | None,
    prices: RenewalPrices,
    my_page: str,
) -> LetterPreview:
    """The letter to a subscriber. letter: None for a sample subscriber.

    my_page: the address of the page; a preview has no link that opens it.
    """
    locale = Locale.parse(account.locale)
    with in_language(account.locale):
        if letter is None:
            words = sample_words(magazine=account.name, locale=locale, my_page=my_page)
        else:
            words = letter_words(
                letter.candidate,
                letter.to,
                magazine=account.name,
                locale=locale,
                prices=prices,
                my_page=my_page,
            )
    ready = written(template, words)
    id = letter.to.id if letter else None
    return LetterPreview(ready.subject, ready.text, words["name"], id)


async def send_test(
    db: Database,
    account_id: int,
    stage: RenewalStage,
    *,
    subject: str,
    text: str,
    recipient: str,
    public_url: str,
    placeholder_domain: str,
    by: Actor,
) -> None:
    """Send the letter to the recipient, as the first subscriber would get it, without saving it.

    Its link to unsubscribe is only an example. Raises: Invalid, also if the address of the
    recipient is a placeholder.
    """
    require_real_address(recipient, placeholder_domain)
    link = unsubscribe_url(public_url, await get_secret(db), _NOBODY)

    async def work(tx: Transaction) -> None:
        account = await accounts.lock_account(tx, account_id)
        ready = await preview_text(tx, account_id, stage, subject=subject, text=text)
        with in_language(account.locale):
            body = with_unsubscribe_link(ready.text, link)
        await outbox.insert_email(
            tx,
            account_id,
            recipient=recipient,
            subject=ready.subject,
            body=body,
            domain=placeholder_domain,
            unsubscribe_url=link,
        )
        after = {"stage": stage.value, "recipient": recipient}
        entry = NewEntry(EntryType.ACCOUNT_TEST_RENEWAL_LETTER, account_id, None, after)
        await trail.record(tx, account_id, by, [entry])

    await db.write(work, account_id=account_id)
