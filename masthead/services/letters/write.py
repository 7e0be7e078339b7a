"""Write the letters of a stage: as emails in the outbox, or to be printed."""

from collections import Counter
from collections.abc import Sequence

from babel import Locale
from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import account_now
from masthead.model.dispatch.address_layout import address_lines, build_layout, home_country
from masthead.model.emails import EmailTemplate, Site
from masthead.model.errors import Invalid
from masthead.model.ids import new_id, new_ids
from masthead.model.letters.outcomes import LetterChannel, LetterStatus, SkipReason
from masthead.model.letters.stage_texts import StageText
from masthead.model.letters.texts import letter_words, with_unsubscribe_link, written
from masthead.model.letters.unsubscribe import unsubscribe_url
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.renewals.prices import RenewalPrices
from masthead.model.translations import gettext as _, in_language
from masthead.model.types.email_addresses import email_key
from masthead.services.emails.messages import no_mail_server
from masthead.services.identity.server_secrets import get_secret
from masthead.services.letters.recipients import LetterPlan, PlannedLetter, locale_of, plan_letters
from masthead.services.letters.texts import list_texts
from masthead.services.self_service.reading import PageLinks, find_links
from masthead.services.subscriptions.renewal_prices import find_renewal_prices
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Database, Row, Transaction
from masthead.store.letters import emails, records as letters
from masthead.store.letters.emails import LetterEmail
from masthead.store.letters.records import LetterBatch
from masthead.store.letters.rounds import find_open_round
from masthead.store.letters.stopped import delete_stopped


class WrittenBatch(Struct, frozen=True):
    """A new batch of letters. letters: how many go out. shared: subscriptions without their own.

    These share the letter to their subscriber about another one, as it says the same.
    """

    id: str
    channel: LetterChannel
    letters: int
    shared: int = 0


class _Letter(Struct, frozen=True):
    """A letter with its text, in a locale.

    is_repeated: the same text goes to the same subscriber before.
    """

    id: str
    planned: PlannedLetter
    text: EmailTemplate
    locale: str
    is_repeated: bool


async def write_letters(
    db: Database,
    account_id: int,
    stage: RenewalStage,
    channel: LetterChannel,
    *,
    site: Site | None,
    by: Actor,
) -> WrittenBatch:
    """Write all letters of a stage that go out by email, or all that are printed.

    A subscriber whose subscription has a letter of the stage gets no other one. 10,000 emails take
    about a second; all are in the outbox, or none. site: None without a mail server. Raises:
    Invalid if there is nothing to write, or no mail server for emails.
    """
    secret = await get_secret(db)

    async def work(tx: Transaction) -> WrittenBatch:
        account = await accounts.lock_account(tx, account_id)
        plan = await plan_letters(tx, account, stage)
        return await write_planned(
            tx, account, plan, stage, channel, secret=secret, site=site, by=by
        )

    return await db.write(work, account_id=account_id, is_long=True)


async def write_automatic(
    db: Database, account_id: int, stage: RenewalStage, *, site: Site, by: Actor
) -> WrittenBatch | None:
    """Write the emails of a stage if it is still sent by rule and any are due."""
    secret = await get_secret(db)

    async def work(tx: Transaction) -> WrittenBatch | None:
        account = await accounts.lock_account(tx, account_id)
        if not (await list_texts(tx, account))[stage].is_automatic:
            return None
        channel = LetterChannel.EMAIL
        plan = await plan_letters(tx, account, stage)
        if not plan.going_out(channel):
            return None
        return await write_planned(
            tx, account, plan, stage, channel, secret=secret, site=site, by=by
        )

    return await db.write(work, account_id=account_id, is_long=True)


def _nothing_to_write(channel: LetterChannel) -> str:
    if channel is LetterChannel.EMAIL:
        return _("No emails are left to send for this stage. Perhaps they were sent just now.")
    return _("No letters are left to print for this stage. Perhaps they were prepared just now.")


async def write_planned(
    tx: Transaction,
    account: Account,
    plan: LetterPlan,
    stage: RenewalStage,
    channel: LetterChannel,
    *,
    secret: bytes,
    site: Site | None,
    by: Actor,
    round_id: str | None = None,
) -> WrittenBatch:
    """Write the letters of a plan, in the transaction that holds the lock of the account.

    round_id: of the round that they belong to; without it, that of the same user a moment ago, or
    a new one. Queries: fourteen to seventeen. Raises: as `write_letters`.
    """
    if channel is LetterChannel.EMAIL and site is None:
        raise no_mail_server()
    planned = plan.going_out(channel)
    if not planned:
        raise Invalid(_nothing_to_write(channel))
    text = (await list_texts(tx, account))[stage]
    await delete_stopped(tx, account.id, stage, [each.candidate.period_id for each in planned])
    prices = await find_renewal_prices(tx, account)
    links = await find_links(tx, account.id)
    ready = _write_texts(account, text, planned, prices, channel, links)
    batch = LetterBatch(
        id=new_id(account.id),
        stage=stage,
        channel=channel,
        issue_number=plan.issue_number,
        letters=len(ready),
        created_at=account_now(),
        actor_kind=by.kind,
        actor_id=by.id,
    )
    round_id = round_id or await find_open_round(tx, account.id, batch)
    batch = structs.replace(batch, round_id=round_id)
    await letters.insert_batch(tx, account.id, batch)
    await letters.insert_letters(tx, account.id, _rows_of(account, batch, ready))
    if site is not None and channel is LetterChannel.EMAIL:
        queued = [
            _email_of(each, unsubscribe_url(site.public_url, secret, each.planned.to.id))
            for each in ready
            if not each.is_repeated
        ]
        await emails.insert_letters(tx, account.id, queued, domain=site.domain)
    count = sum(not each.is_repeated for each in ready)
    after = {
        "stage": stage.value,
        "channel": channel.value,
        "issue_number": batch.issue_number,
        "letters": count,
    }
    entry = NewEntry(EntryType.LETTER_BATCH_WRITE, batch.id, None, after)
    await trail.record(tx, account.id, by, [entry])
    return WrittenBatch(batch.id, channel, count, len(ready) - count)


class _Locales(dict[str, Locale]):
    """Locales by name. Babel takes 20 µs to find one."""

    def __missing__(self, name: str) -> Locale:
        self[name] = found = Locale.parse(name)
        return found


def _write_texts(
    account: Account,
    stage_text: StageText,
    planned: Sequence[PlannedLetter],
    prices: RenewalPrices,
    channel: LetterChannel,
    links: PageLinks,
) -> list[_Letter]:
    """The letters with their texts, each in the language of its recipient.

    A printed letter has the address of the page only: it may lie around.
    """
    is_email = channel is LetterChannel.EMAIL
    ids = new_ids(account.id, len(planned), after="")
    locales = _Locales()
    seen: set[tuple[str, str, str]] = set()
    ready = []
    for id, letter in zip(ids, planned, strict=True):
        template, locale = stage_text.for_locale(locale_of(account, letter))
        with in_language(locale):
            words = letter_words(
                letter.candidate,
                letter.to,
                magazine=account.name,
                locale=locales[locale],
                prices=prices,
                my_page=(
                    links.of(letter.to.id, email_key(letter.to.email)) if is_email else links.url
                ),
            )
        text = written(template, words)
        key = letter.to.id, text.subject, text.text
        ready.append(_Letter(id, letter, text, locale, is_repeated=key in seen))
        seen.add(key)
    return ready


def _rows_of(account: Account, batch: LetterBatch, ready: Sequence[_Letter]) -> list[Row]:
    """The rows of letters; those that are printed keep their text and address."""
    is_printed = batch.channel is LetterChannel.PRINT
    status = LetterStatus.TO_PRINT if is_printed else LetterStatus.QUEUED
    countries = Counter(each.planned.address.country for each in ready if is_printed)
    layout = build_layout(countries, home_country(account.country, countries))
    return [
        {
            "id": each.id,
            "batch_id": batch.id,
            "period_id": each.planned.candidate.period_id,
            "stage": batch.stage.value,
            "channel": batch.channel.value,
            "status": LetterStatus.SKIPPED.value if each.is_repeated else status.value,
            "reason": SkipReason.SAME_LETTER.value if each.is_repeated else None,
            "subscription_id": each.planned.candidate.subscription_id,
            "subscriber_id": each.planned.to.id,
            "subject": each.text.subject if is_printed else None,
            "body": each.text.text if is_printed else None,
            "locale": each.locale if is_printed else None,
            "address": (
                "\n".join(address_lines(each.planned.address, layout)) if is_printed else None
            ),
            "created_at": batch.created_at,
            "ended_at": batch.created_at if each.is_repeated else None,
        }
        for each in ready
    ]


def _email_of(letter: _Letter, link: str) -> LetterEmail:
    """The email of a letter, in its language."""
    with in_language(letter.locale):
        body = with_unsubscribe_link(letter.text.text, link)
    return LetterEmail(
        id=letter.id,
        recipient=letter.planned.to.email,
        subject=letter.text.subject,
        body=body,
        unsubscribe_url=link,
    )
