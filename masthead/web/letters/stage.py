"""The page of a stage: a preview and a test, who gets its letter, and its numbers."""

from collections.abc import Mapping, Sequence
from functools import partial
from http import HTTPStatus

from starlette.responses import Response

from masthead.model.letters.outcomes import LetterChannel, SkipReason
from masthead.model.renewals.lapsed import RenewalList, RenewalStage
from masthead.services.letters import texts as service
from masthead.services.letters.recipients import LetterPlan, plan_letters
from masthead.store import accounts
from masthead.store.engine.interface import Database
from masthead.store.letters.failed import count_failed
from masthead.store.letters.rounds import (
    LetterRound,
    RoundRenewals,
    count_renewed_since,
    list_rounds,
)
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import save_or_show
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.letter_figures import (
    LISTS,
    count_listed,
    few_left_out,
    find_figures,
    find_languages,
    find_price_sources,
    list_line,
)
from masthead.web.kit.letter_form import stage_of, test_message
from masthead.web.letters.preview import asked_language, send_test, shown_preview

MAX_LISTED = 20  # subscribers on the page
MAX_ROUNDS = 5  # of the stage
ROUNDS = 50  # the newest ones, among which those of the stage are


async def show_stage(context: PageContext) -> Response:
    """Who would get the letter of a stage, and its text; send a test. Raises: NotFound."""
    stage = stage_of(context)
    form = BaseForm(context.form_data)

    async def save(form: BaseForm, db: Database) -> Response:
        language = asked_language(context)
        await send_test(context, db, stage, language)
        shown = {"language": language} if language else {}
        return context.redirect(
            context.url("letters", stage, **shown), message=test_message(context.user.email)
        )

    return await save_or_show(
        context, form, save, lambda status: _render(context, form, stage, status)
    )


async def _render(
    context: PageContext, form: BaseForm, stage: RenewalStage, status: HTTPStatus
) -> Response:
    async with context.db.read(aside=True) as db:
        account = await accounts.get_account(db, context.account_id)
        figures = await find_figures(context, db, stage)
        listed = await context.count_once(
            db, ("listed", stage), partial(count_listed, db, account, figures)
        )
        plan = LetterPlan(figures.counts.issue_number, ())
        if figures.counts.planned:
            plan = await plan_letters(db, account, stage, limit=service.MAX_LISTED)
        text = (await service.list_texts(db, account))[stage]
        prices = await find_price_sources(context, db, account, text, figures)
        preview = await shown_preview(context, db, account, text, plan, asked_language(context))
        found = await list_rounds(db, account.id, ROUNDS)
        rounds = [each for each in found if each.stage is stage][:MAX_ROUNDS]
        renewed = await count_renewed_since(db, account.id, rounds)
        failed = await count_failed(db, account.id)
    return context.render(
        "letters/stage.html",
        status=status,
        form=form,
        stage=stage,
        figures=figures,
        counts=figures.counts,
        list_line=list_line(listed),
        listed=plan.letters[:MAX_LISTED],
        rounds=rounds,
        last_rounds=_last_rounds(rounds, renewed),
        renewed_after=renewed,
        failed=failed,
        open_line=figures.open_line(context.has_mail, few_left_out(plan, figures.counts)),
        languages=find_languages(figures.counts, text),
        text=text,
        preview=preview,
        prices=prices,
        channels=LetterChannel,
        renewed=SkipReason.RENEWED,
        all_address=list_address(context, stage),
    )


def list_address(context: PageContext, stage: RenewalStage) -> str:
    """The renewal list with the subscriptions of a stage."""
    kind, ago = LISTS[stage]
    if kind is RenewalList.ENDING:
        return context.url("ending")
    if kind is RenewalList.LAPSED:
        return context.url("ending", kind, ago=ago)
    return context.url("ending", kind)


def _last_rounds(
    rounds: Sequence[LetterRound], renewed: Mapping[str, RoundRenewals]
) -> Sequence[LetterRound]:
    """The newest rounds, until one whose letters went out, newest first.

    The newest one may be a single letter that is printed because its email failed.
    """
    for count, each in enumerate(rounds, 1):
        if each.id not in renewed or renewed[each.id].went_out:
            return rounds[:count]
    return rounds[:1]
