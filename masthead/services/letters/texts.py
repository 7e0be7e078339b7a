"""The texts of renewal letters: change, preview and test them."""

from babel import Locale
from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.emails import EmailTemplate, subject_template, text_template
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.letters.stage_texts import StageText
from masthead.model.letters.texts import (
    SAMPLE_ISSUE,
    default_template,
    letter_words,
    placeholders,
    sample_words,
    with_unsubscribe_link,
    without_amounts,
    written,
)
from masthead.model.letters.unsubscribe import unsubscribe_url
from masthead.model.renewals.lapsed import RenewalStage, ends_at_stage
from masthead.model.renewals.prices import RenewalPrices
from masthead.model.translations import in_language, language_of, list_languages
from masthead.model.types.recipient_languages import language_code
from masthead.services.emails.messages import require_real_address, subject_of_test
from masthead.services.identity.server_secrets import get_secret
from masthead.services.letters.first_letter import first_going_out
from masthead.services.letters.recipients import LetterPlan, PlannedLetter, plan_letters
from masthead.services.subscriptions.renewal_prices import find_renewal_prices
from masthead.services.transactions import with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.background import outbox
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.letters import stages
from masthead.store.letters.stages import ChangedStage
from masthead.store.self_service.settings import find_page_url

MAX_LISTED = 500  # letters that are looked at for a preview: 15 ms
_NOBODY = "0" * 31  # in the unsubscribe link of a test, which names no subscriber


class LetterPreview(Struct, frozen=True):
    """A letter to a subscriber. subscriber_id, period_id, channel: None for a sample subscriber.

    language: of the text. has_amounts: False if amounts are left out of it. is_to_recipient: as for
    `PlannedLetter`.
    """

    subject: str
    text: str
    full_name: str
    subscriber_id: str | None
    period_id: int | None
    channel: LetterChannel | None
    language: str
    has_amounts: bool
    is_to_recipient: bool


async def list_texts(db: Connection, account: Account) -> dict[RenewalStage, StageText]:
    """The letters of all stages, in their order. Queries: one."""
    changed = await stages.list_stages(db, account.id)
    return {stage: _text_of(account, stage, changed.get(stage)) for stage in RenewalStage}


def _text_of(account: Account, stage: RenewalStage, known: ChangedStage | None) -> StageText:
    """The letter of a stage. The text of masthead follows a new language of the account."""
    default = _default_in(account.locale, stage)
    template = EmailTemplate(known.subject, known.text) if known else default
    if any(template == _default_in(each, stage) for each in list_languages()):
        template = default
    return StageText(
        stage=stage,
        template=template,
        own=account.locale,
        is_automatic=known is not None and known.is_automatic,
        is_default=template == default,
        translations=known.translated if known else {},
    )


def _default_in(locale: str, stage: RenewalStage) -> EmailTemplate:
    with in_language(locale):
        return default_template(stage)


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
    new = structs.replace(known, template=template, is_automatic=is_automatic)
    await stages.upsert_stage(tx, account.id, new)
    old = {"stage": stage.value, **{name: before[name] for name in changed}}
    entry = NewEntry(EntryType.ACCOUNT_UPDATE_RENEWAL_LETTER, account.id, old, changed)
    await trail.record(tx, account.id, by, [entry])


@with_locked_account
async def update_translation(
    tx: Transaction,
    account: Account,
    stage: RenewalStage,
    language: str,
    template: EmailTemplate | None,
    *,
    by: Actor,
) -> None:
    """Change the letter of a stage in another language than that of the account. Raises: Invalid.

    template: None to delete it: recipients get what `StageText.for_locale` says.
    """
    if template is not None:
        template = valid_template(template.subject, template.text)
    language = language_code("language", language)
    known = (await list_texts(tx, account))[stage]
    before = known.translations.get(language)
    if template == before:
        return
    others = known.with_translation(language, template)
    await stages.upsert_stage(tx, account.id, structs.replace(known, translations=others))
    about = {"stage": stage.value, "language": language}
    states = [about | (structs.asdict(each) if each else {}) for each in (before, template)]
    entry = NewEntry(EntryType.ACCOUNT_UPDATE_RENEWAL_LETTER, account.id, *states)
    await trail.record(tx, account.id, by, [entry])


async def preview_text(
    db: Connection,
    account_id: int,
    stage: RenewalStage,
    *,
    subject: str,
    text: str,
    has_amounts: bool,
    locale: str | None = None,
    plan: LetterPlan | None = None,
) -> LetterPreview:
    """The letter as a subscriber gets it: the first who would get it now, or a sample subscriber.

    locale: that the text is in, None for that of the account: the first is one who gets it in this
    language. has_amounts: False for users who may not see money. plan: the first letters of the
    stage, if they are known. Queries: three to eight, read aside. Raises: Invalid.
    """
    template = valid_template(subject, text)
    account = await accounts.get_account(db, account_id)
    plan = plan or await plan_letters(db, account, stage, limit=MAX_LISTED)
    known = (await list_texts(db, account))[stage]
    letter = first_going_out(account, plan, known, language_of(locale or account.locale))
    prices = await find_renewal_prices(db, account)
    my_page = await find_page_url(db, account_id)
    ends = ends_at_stage(stage, plan.issue_number, account.daily_date)
    return preview_letter(
        account,
        template,
        letter,
        prices,
        my_page,
        has_amounts=has_amounts,
        locale=locale,
        sample_issue=ends.last_issue if plan.issue_number else SAMPLE_ISSUE,
    )


def preview_letter(
    account: Account,
    template: EmailTemplate,
    letter: PlannedLetter | None,
    prices: RenewalPrices,
    my_page: str,
    *,
    has_amounts: bool,
    locale: str | None = None,
    sample_issue: int = SAMPLE_ISSUE,
) -> LetterPreview:
    """The letter to a subscriber. letter: None for a sample subscriber.

    my_page: the address of the page; a preview has no link that opens it. has_amounts: as for
    `preview_text`. locale: of the text, None for that of the account. sample_issue: with which the
    subscription of a sample subscriber ends.
    """
    locale = locale or account.locale
    of_text = Locale.parse(locale)
    with in_language(locale):
        if letter is None:
            words = sample_words(
                magazine=account.name, locale=of_text, my_page=my_page, last_issue=sample_issue
            )
        else:
            words = letter_words(
                letter.candidate,
                letter.to,
                magazine=account.name,
                locale=of_text,
                prices=prices,
                my_page=my_page,
            )
        if not has_amounts:
            words = without_amounts(words)
    ready = written(template, words)
    return LetterPreview(
        subject=ready.subject,
        text=ready.text,
        full_name=words["name"],
        subscriber_id=letter.to.id if letter else None,
        period_id=letter.candidate.period_id if letter else None,
        channel=letter.decision if letter and isinstance(letter.decision, LetterChannel) else None,
        language=language_of(locale),
        has_amounts=has_amounts,
        is_to_recipient=letter is not None and letter.is_to_recipient,
    )


async def send_test(
    db: Database,
    account_id: int,
    stage: RenewalStage,
    *,
    subject: str,
    text: str,
    has_amounts: bool,
    locale: str | None = None,
    recipient: str,
    public_url: str,
    placeholder_domain: str,
    by: Actor,
) -> None:
    """Send the letter to the recipient, as the first subscriber would get it, without saving it.

    has_amounts, locale: as for `preview_text`. Its link to unsubscribe is only an example. Raises:
    Invalid, also if the address of the recipient is a placeholder.
    """
    require_real_address(recipient, placeholder_domain)
    link = unsubscribe_url(public_url, await get_secret(db), _NOBODY)

    async def work(tx: Transaction) -> None:
        account = await accounts.lock_account(tx, account_id)
        ready = await preview_text(
            tx,
            account_id,
            stage,
            subject=subject,
            text=text,
            has_amounts=has_amounts,
            locale=locale,
        )
        with in_language(locale or account.locale):
            body = with_unsubscribe_link(ready.text, link)
        await outbox.insert_email(
            tx,
            account_id,
            recipient=recipient,
            subject=subject_of_test(ready.subject),
            body=body,
            domain=placeholder_domain,
            unsubscribe_url=link,
        )
        after = {"stage": stage.value, "recipient": recipient}
        entry = NewEntry(EntryType.ACCOUNT_TEST_RENEWAL_LETTER, account_id, None, after)
        await trail.record(tx, account_id, by, [entry])

    await db.write(work, account_id=account_id)
