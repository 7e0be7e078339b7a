"""The page to check the reminders of a stage and to send them: nothing leaves by one click."""

from collections import Counter
from functools import partial
from http import HTTPStatus

from starlette.responses import Response

from masthead.model.errors import NotFound
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.translations import counted
from masthead.model.types.text import is_digits
from masthead.services.emails.messages import no_mail_server
from masthead.services.reminders.counts import find_letters
from masthead.services.reminders.plan import MOST
from masthead.services.reminders.settings import preview_stage, send_test
from masthead.services.reminders.write import SentRound, send_round
from masthead.store import accounts
from masthead.store.engine.interface import Database
from masthead.store.reminders import stages as stage_store
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import save_or_show
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.letter_form import CHANNELS, test_message

MAX_LISTED = 100  # on a page; those on the other pages are part of the round, too


async def confirm_stage(context: PageContext) -> Response:
    """Show the reminders of a stage that are due, and send those that are ticked.

    Raises: NotFound.
    """
    text = context.path["stage"]
    async with context.db.read() as db:
        known = {
            str(each.stage): each for each in await stage_store.list_stages(db, context.account_id)
        }
    if text not in known or not is_digits(text, at_most=2):
        raise NotFound("stage", text)
    stage = known[text]
    form = BaseForm(context.form_data)
    number = str(context.fields.get("page", ""))

    async def save(_form: BaseForm, db: Database) -> Response:
        action = str(context.fields.get("do", ""))
        if action == "test":
            if not context.has_mail:
                raise no_mail_server()
            await send_test(
                db,
                context.account_id,
                stage,
                recipient=context.user.email,
                placeholder_domain=context.web.placeholder_domain,
                by=context.actor,
            )
            return context.redirect(
                context.url("money", "reminders", stage.stage),
                message=test_message(context.user.email),
            )
        if action not in CHANNELS:
            raise NotFound("stage", action)
        made = await send_round(
            db,
            context.account_id,
            stage.stage,
            [str(each) for each in context.fields.getlist("keep")],
            channels=CHANNELS[action],
            site=context.site,
            by=context.actor,
        )
        return context.redirect(
            context.url("money", "reminders", "rounds", made.id), message=sent_message(made)
        )

    async def show(status: HTTPStatus) -> Response:
        async with context.db.read(aside=True) as db:
            account = await accounts.get_account(db, context.account_id)
            find = partial(
                find_letters,
                db,
                account,
                account.daily_date,
                stage.stage,
                most=MOST,
                has_mail=context.site is not None,
            )
            plan, others = await context.count_once(db, ("reminders", stage.stage), find)
            preview = await preview_stage(db, account, stage, plan=plan)
        kept = {str(each) for each in context.fields.getlist("keep")} if context.is_post else None
        letters = [(each.key, each) for each in plan.letters]
        pages = -(-len(letters) // MAX_LISTED)
        page = int(number) if is_digits(number, at_most=2) and int(number) in range(pages) else 0
        first, after = MAX_LISTED * page, MAX_LISTED * (page + 1)
        shown = letters[first:after]
        elsewhere = [
            (key, each)
            for key, each in letters[:first] + letters[after:]
            if kept is None or key in kept
        ]
        counts = Counter(each.channel for _key, each in shown + elsewhere)
        return context.render(
            "reminders/confirm.html",
            status=status,
            form=form,
            stage=stage,
            letters=shown,
            elsewhere=[key for key, _each in elsewhere],
            page=page,
            pages=pages,
            others=others,
            is_ticked=lambda key: kept is None or key in kept,
            by_email=counts[LetterChannel.EMAIL],
            by_print=counts[LetterChannel.PRINT],
            hold_stage=plan.settings.hold_stage,
            preview=preview,
            today=account.daily_date,
        )

    if number:
        return await show(HTTPStatus.OK)
    return await save_or_show(context, form, save, show, is_long=True)


def sent_message(made: SentRound) -> str:
    """What happened."""
    texts = []
    if made.by_email:
        texts.append(
            counted("{n} reminder is being sent.", "{n} reminders are being sent.", made.by_email)
        )
    if made.to_print:
        texts.append(
            counted("{n} reminder can be printed.", "{n} reminders can be printed.", made.to_print)
        )
    if made.held:
        texts.append(
            counted("{n} subscription is held now.", "{n} subscriptions are held now.", made.held)
        )
    return " ".join(texts)
