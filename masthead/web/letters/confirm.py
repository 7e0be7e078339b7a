"""The page to confirm the letters of a stage: how many, a sample, a test, and names to untick."""

from collections.abc import Sequence
from functools import partial
from http import HTTPStatus

from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.letters.outcomes import LetterChannel, SkipReason
from masthead.model.letters.stage_texts import StageText
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.renewals.prices import RenewalPrices
from masthead.model.translations import (
    counted,
    format_number,
    gettext as _,
    language_of,
    ngettext_noop,
)
from masthead.model.types.text import is_digits
from masthead.services.letters import rounds
from masthead.services.letters.givers import enter_givers
from masthead.services.letters.printing import find_sender
from masthead.services.letters.recipients import (
    PlannedLetter,
    locale_of,
    plan_letters,
    unused_language,
)
from masthead.services.letters.texts import list_texts
from masthead.services.letters.write import WrittenBatch
from masthead.services.subscriptions.renewal_prices import find_renewal_prices
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import save_or_show
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.letter_figures import find_figures, find_languages, find_price_sources
from masthead.web.kit.letter_form import CHANNELS, PRINTABLE, stage_of, test_message
from masthead.web.letters.preview import asked_language, send_test, shown_preview

MAX_LISTED = 50  # names on a page
MAX_SEARCH = 100  # characters
# The buttons for all letters about gifts that go to who got them, and whether these go out
_RECIPIENTS = {"without-recipients": False, "with-recipients": True}
_WRITTEN = {
    LetterChannel.EMAIL: ngettext_noop("{n} letter is being sent.", "{n} letters are being sent."),
    LetterChannel.PRINT: PRINTABLE,
}
# The same, if a subscriber gets one letter for several subscriptions
_SHARED = {
    LetterChannel.EMAIL: ngettext_noop(
        "{n} letter is being sent, for {all} subscriptions: those with the same text share one.",
        "{n} letters are being sent, for {all} subscriptions: those with the same text share one.",
    ),
    LetterChannel.PRINT: ngettext_noop(
        "{n} letter can be printed, for {all} subscriptions: those with the same text share one.",
        "{n} letters can be printed, for {all} subscriptions: those with the same text share one.",
    ),
}


async def confirm_stage(context: PageContext) -> Response:
    """Show the letters of a stage, and send them or change the selection. Raises: NotFound."""
    stage = stage_of(context)
    form = BaseForm(context.form_data)
    here = ("letters", stage, "send")

    async def save(form: BaseForm, db: Database) -> Response:
        action = str(context.fields.get("do", ""))
        selection = _read_selection(context, _RECIPIENTS.get(action))
        if action == "enter-givers":
            return await _enter_givers(context, db, stage)
        if action in CHANNELS:
            expected = read_expected(context, action)
            confirmed = rounds.Confirmed(expected, selection)
            written = await rounds.send_round(
                db, context.account_id, stage, confirmed, site=context.site, by=context.actor
            )
            return to_written(context, written)
        await rounds.change_selection(db, context.account_id, stage, selection, by=context.actor)
        language = action.partition(":")[2] or asked_language(context)
        found: dict[str, str] = {
            "language": language,
            "search": str(context.fields.get("search", "")).strip()[:MAX_SEARCH],
            "gifts": "1" if _shows_gifts(context) else "",
            "after": str(context.fields.get("next", "")) if action == "more" else "",
        }
        if action == "test":
            await send_test(context, db, stage, language)
        return context.redirect(
            context.url(*here, **{name: text for name, text in found.items() if text}),
            message=test_message(context.user.email) if action == "test" else "",
        )

    return await save_or_show(
        context, form, save, lambda status: _render(context, form, stage, status), is_long=True
    )


async def _enter_givers(context: PageContext, db: Database, stage: RenewalStage) -> Response:
    """Enter the givers of gifts, to whom the letters go then."""
    domain = context.web.placeholder_domain
    count = await enter_givers(
        db, context.account_id, stage, placeholder_domain=domain, by=context.actor
    )
    message = counted(
        "{count} giver is entered as a subscriber, and gets the letter.",
        "{count} givers are entered as subscribers, and get the letters.",
        count,
    )
    return context.redirect(context.url("letters", stage, "send"), message=message)


def _shows_gifts(context: PageContext) -> bool:
    """Whether the page lists only letters about gifts that go to who got them."""
    return str(context.given.get("gifts", "")) == "1"


def _texts(context: PageContext, name: str) -> list[str]:
    return [str(each) for each in context.given.getlist(name)]


def read_expected(context: PageContext, action: str) -> dict[LetterChannel, int]:
    """How many letters the page showed in each channel that is sent. Raises: Invalid."""
    found = {}
    for channel in CHANNELS[action]:
        text = str(context.fields.get(f"expected_{channel}", ""))
        if not is_digits(text, at_most=9):
            raise Invalid(_("The number of letters is missing. Please open the page again."))
        if int(text) or action != "send":
            found[channel] = int(text)
    return found


def to_written(context: PageContext, written: Sequence[WrittenBatch]) -> Response:
    """Go to the page of letters that were written: of those to print, if any, as it has the file.

    The page says what happened, by channel. Those to print are the last.
    """
    message = " ".join(
        counted(
            *(_SHARED if each.shared else _WRITTEN)[each.channel],
            each.letters,
            all=format_number(each.letters + each.shared),
        )
        for each in written
    )
    return context.redirect(context.url("letters", "batches", written[-1].id), message=message)


async def _render(
    context: PageContext, form: BaseForm, stage: RenewalStage, status: HTTPStatus
) -> Response:
    search = str(context.given.get("search", "")).strip()[:MAX_SEARCH]
    after = context.query.get("after", "")[:40]
    language, gifts = asked_language(context), _shows_gifts(context)
    unticked = _unticked(context, form)
    async with context.db.read(aside=True) as db:
        account = await accounts.get_account(db, context.account_id)
        figures = await find_figures(context, db, stage)
        plan = await plan_letters(
            db,
            account,
            stage,
            limit=MAX_LISTED + 1,
            after=after,
            search=search,
            is_to_recipient=gifts,
        )
        text = (await list_texts(db, account))[stage]
        prices = await find_price_sources(context, db, account, text, figures)
        renewal_prices = await find_renewal_prices(db, account)
        sender = await find_sender(db, account)
        preview = await shown_preview(
            context,
            db,
            account,
            text,
            None if after or search or gifts or language else plan,
            language,
            unticked,
        )
    listed = plan.letters[:MAX_LISTED]
    return context.render(
        "letters/confirm.html",
        status=status,
        form=form,
        stage=stage,
        counts=figures.counts,
        text=text,
        languages=find_languages(figures.counts, text),
        sender=sender,
        listed=listed,
        is_ticked=lambda each: each.goes_out and each.candidate.period_id not in unticked,
        counted_as=partial(_counted_as, account, text, renewal_prices),
        next=listed[-1].candidate.subscription_id if len(plan.letters) > MAX_LISTED else "",
        search=search,
        gifts=gifts,
        after=after,
        preview=preview,
        prices=prices,
        channels=LetterChannel,
        excluded=SkipReason.EXCLUDED,
    )


def _counted_as(
    account: Account, text: StageText, prices: RenewalPrices, letter: PlannedLetter
) -> str:
    """The numbers of the page in which a letter counts, if it is ticked."""
    _template, locale = text.for_locale(locale_of(account, letter))
    found = ["print" if letter.to.is_placeholder else "email", f"language-{language_of(locale)}"]
    if letter.is_to_recipient:
        found.append("recipients")
    price = prices.priced(letter.candidate)
    found.append("price-of-product" if price.is_of_product else "price-of-order")
    if price.is_raised:
        found.append("price-raised")
    if spoken := unused_language(account, letter.to.language, letter.country):
        found.append(f"spoken-{spoken}")
    return " ".join(found)


def _unticked(context: PageContext, form: BaseForm) -> frozenset[int]:
    """What the user had just unticked, if the form was refused or only the preview is asked for."""
    if context.is_post and not form.errors:
        return frozenset()
    try:
        return _read_selection(context).left_out
    except Invalid:
        return frozenset()


def _read_selection(context: PageContext, has_recipients: bool | None = None) -> rounds.Selection:
    """What changed in the list of names. Raises: Invalid if it cannot be read.

    The fields `shown` are `period:1` if it was ticked, or `period:0`; `keep` is ticked now.
    """
    ticked = set(_texts(context, "keep"))
    before: dict[str, bool] = {}
    for each in _texts(context, "shown"):
        id, _colon, was = each.partition(":")
        if not id.isdecimal() or len(id) > 18 or was not in {"0", "1"}:
            raise Invalid(_("The list of names cannot be read. Please open the page again."))
        before[id] = was == "1"
    return rounds.Selection(
        left_out=frozenset(int(id) for id, was in before.items() if was and id not in ticked),
        included=frozenset(int(id) for id, was in before.items() if not was and id in ticked),
        has_recipients=has_recipients,
    )
