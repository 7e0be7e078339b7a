"""The page of a stage: who would get its letter, a preview, and sending them."""

from http import HTTPStatus

from starlette.responses import Response
from wtforms import HiddenField

from masthead.model.errors import NotFound
from masthead.model.letters.outcomes import (
    LetterChannel,
    SkipReason,
    describe_channel,
    describe_reason,
    describe_stage,
)
from masthead.model.renewals.lapsed import RenewalStage, ends_at_stage
from masthead.model.translations import gettext as _
from masthead.model.translations import ngettext
from masthead.services.emails.notices import Site
from masthead.services.letters.recipients import count_letters, plan_letters
from masthead.services.letters.texts import list_texts, preview_letter
from masthead.services.letters.write import write_letters
from masthead.store import accounts
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import real_email
from masthead.web.kit.form_handling import save_or_show
from masthead.web.kit.forms import BaseForm

MAX_LISTED = 20  # subscribers on the page


class SendLettersForm(BaseForm):
    """channel: how the letters go out. expected: how many the page showed."""

    channel = HiddenField()
    expected = HiddenField()


async def send_stage(context: PageContext) -> Response:
    """Preview the letters of a stage, and send them. Raises: NotFound."""
    stage = stage_of(context)
    form = SendLettersForm(context.form_data)

    async def save(form: SendLettersForm, db: Database) -> Response:
        printed = form.channel.data == LetterChannel.PRINT
        channel = LetterChannel.PRINT if printed else LetterChannel.EMAIL
        site = Site(context.web.public_url, context.web.placeholder_domain)
        batch = await write_letters(
            db, context.account_id, stage, channel, site=site, by=context.actor
        )
        return context.redirect(
            context.url("letters", "batches", batch.id),
            message=_message(
                channel,
                batch.letters,
                form.expected.data or "",
                has_mail=context.web.has_mail,
            ),
        )

    async def show(status: HTTPStatus) -> Response:
        return await _render(context, form, stage, status)

    return await save_or_show(context, form, save, show, is_long=True)


def stage_of(context: PageContext) -> RenewalStage:
    """The stage in the address. Raises: NotFound."""
    try:
        return RenewalStage(context.path["stage"])
    except ValueError:
        raise NotFound("letter", context.path["stage"]) from None


def _message(channel: LetterChannel, count: int, expected: str, *, has_mail: bool) -> str:
    """What happened, and whether it is not what the page showed."""
    if channel is LetterChannel.PRINT:
        text = ngettext("{n} letter can be printed.", "{n} letters can be printed.", count)
    elif has_mail:
        text = ngettext("{n} letter is being sent.", "{n} letters are being sent.", count)
    else:
        text = ngettext(
            "{n} letter will be sent after a mail server is set up.",
            "{n} letters will be sent after a mail server is set up.",
            count,
        )
    message = text.format(n=count)
    if expected == str(count):
        return message
    changed = _("The page had shown {n}: something has changed meanwhile.").format(n=expected[:10])
    return f"{message} {changed}"


async def _render(
    context: PageContext, form: SendLettersForm, stage: RenewalStage, status: HTTPStatus
) -> Response:
    async with context.db.read(aside=True) as db:
        account = await accounts.get_account(db, context.account_id)
        counts = await count_letters(db, account, stage)
        plan = await plan_letters(db, account, stage, limit=MAX_LISTED)
        text = (await list_texts(db, account))[stage]
    going_out = [each for each in plan.letters if isinstance(each.decision, LetterChannel)]
    number = counts.issue_number
    last_issue = ends_at_stage(stage, number, account.daily_date).last_issue if number else None
    return context.render(
        "letters/stage.html",
        status=status,
        form=form,
        stage=stage,
        counts=counts,
        listed=plan.letters,
        last_issue=last_issue,
        text=text,
        preview=preview_letter(account, text.template, going_out[0]) if going_out else None,
        channels=LetterChannel,
        renewed=SkipReason.RENEWED,
        all_address=_list_address(context, stage),
        is_reason=lambda decision: isinstance(decision, SkipReason),
        describe_channel=describe_channel,
        describe_reason=describe_reason,
        describe_stage=describe_stage,
        real_email=lambda email: real_email(email, context.web.placeholder_domain),
    )


def _list_address(context: PageContext, stage: RenewalStage) -> str:
    """The renewal list with the subscriptions of a stage."""
    if stage is RenewalStage.LAST:
        return context.url("ending")
    if stage is RenewalStage.BEFORE:
        return context.url("ending", "next")
    return context.url("ending", "lapsed", ago=1 if stage is RenewalStage.AFTER_1 else 2)
