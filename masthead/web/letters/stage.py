"""The page of a stage: its text, a preview and a test, who gets its letter, and its numbers."""

from functools import partial
from http import HTTPStatus

from starlette.responses import Response

from masthead.model.letters.outcomes import LetterChannel, SkipReason
from masthead.model.letters.stage_texts import StageText
from masthead.model.letters.texts import placeholders
from masthead.model.renewals.lapsed import RenewalList, RenewalStage
from masthead.services.emails.messages import no_mail_server
from masthead.services.letters import texts as service
from masthead.services.letters.recipients import LetterPlan, plan_letters
from masthead.services.letters.texts import LetterPreview
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection, Database
from masthead.store.letters.rounds import count_renewed_since, list_rounds
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import save_or_show
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.letter_figures import (
    LISTS,
    count_listed,
    few_left_out,
    find_figures,
    find_languages,
    list_line,
)
from masthead.web.kit.letter_form import (
    RenewalLetterForm,
    hides_price,
    stage_of,
    test_message,
    without_offer,
)

MAX_LISTED = 20  # subscribers on the page
MAX_ROUNDS = 5  # of the stage
MAX_PLANNED = 500  # letters that are looked at for the names of those who get none: 15 ms
ROUNDS = 50  # the newest ones, among which those of the stage are


async def show_stage(context: PageContext) -> Response:
    """Who would get the letter of a stage, and its text; send a test. Raises: NotFound."""
    stage = stage_of(context)
    form = BaseForm(context.form_data)

    async def save(form: BaseForm, db: Database) -> Response:
        await send_test(context, db, stage)
        return context.redirect(
            context.url("letters", stage), message=test_message(context.user.email)
        )

    return await save_or_show(
        context, form, save, lambda status: _render(context, form, stage, status)
    )


async def send_test(context: PageContext, db: Database, stage: RenewalStage) -> None:
    """Send the saved letter of a stage to the signed-in user. Raises: Invalid."""
    if not context.has_mail:
        raise no_mail_server()
    account = await accounts.get_account(db, context.account_id)
    known = (await service.list_texts(db, account))[stage]
    plan = await plan_letters(db, account, stage, limit=service.MAX_LISTED)
    text, locale = service.text_of_first(account, plan, known)
    await service.send_test(
        db,
        context.account_id,
        stage,
        subject=text.subject,
        text=text.text,
        locale=locale,
        recipient=context.user.email,
        public_url=context.web.public_url,
        placeholder_domain=context.web.placeholder_domain,
        by=context.actor,
    )


async def shown_preview(
    context: PageContext,
    db: Connection,
    account: Account,
    known: StageText,
    plan: LetterPlan | None,
) -> LetterPreview | None:
    """The letter as a subscriber gets it; None if it has a price, which the user may not see.

    plan: as for `preview_text`.
    """
    stage = known.stage
    plan = plan or await plan_letters(db, account, stage, limit=service.MAX_LISTED)
    text, locale = service.text_of_first(account, plan, known)
    text = without_offer(context, text)
    if hides_price(context, text):
        return None
    return await service.preview_text(
        db, account.id, stage, subject=text.subject, text=text.text, locale=locale, plan=plan
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
            plan = await plan_letters(db, account, stage, limit=MAX_PLANNED)
        text = (await service.list_texts(db, account))[stage]
        preview = await shown_preview(context, db, account, text, plan)
        found = await list_rounds(db, account.id, ROUNDS)
        rounds = [each for each in found if each.stage is stage][:MAX_ROUNDS]
        renewed = await count_renewed_since(db, account.id, rounds)
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
        renewed_after=renewed,
        open_line=figures.open_line(context.has_mail, few_left_out(plan, figures.counts)),
        languages=find_languages(figures.counts, text),
        text=text,
        text_form=RenewalLetterForm(
            None,
            {
                "subject": text.template.subject,
                "text": text.template.text,
                "is_automatic": text.is_automatic,
            },
        ),
        placeholders=placeholders(),
        preview=preview,
        channels=LetterChannel,
        renewed=SkipReason.RENEWED,
        all_address=list_address(context, stage),
        is_reason=lambda decision: isinstance(decision, SkipReason),
    )


def list_address(context: PageContext, stage: RenewalStage) -> str:
    """The renewal list with the subscriptions of a stage."""
    kind, ago = LISTS[stage]
    if kind is RenewalList.ENDING:
        return context.url("ending")
    if kind is RenewalList.LAPSED:
        return context.url("ending", kind, ago=ago)
    return context.url("ending", kind)
