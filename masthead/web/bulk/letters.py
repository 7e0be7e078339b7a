"""Confirm the renewal letters to all chosen rows: of which stage, how many, and a sample."""

from http import HTTPStatus

from starlette.responses import Response

from masthead.model.bulk import Chosen
from masthead.model.errors import NotFound
from masthead.model.identity.rights import Right
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.letters.chosen import plan_chosen, send_chosen
from masthead.services.letters.first_letter import first_going_out, text_to_show
from masthead.services.letters.recipients import LetterPlan
from masthead.services.letters.texts import LetterPreview, list_texts, preview_letter
from masthead.services.subscriptions.renewal_prices import find_renewal_prices
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection, Database
from masthead.store.self_service.settings import find_page_url
from masthead.web.bulk.choice import SHOWN, read_choice
from masthead.web.bulk.pages import confirm_chosen
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import save_or_show
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.letter_form import CHANNELS, test_message
from masthead.web.letters.confirm import read_expected, to_written
from masthead.web.letters.preview import send_test


async def send_letters(context: PageContext) -> Response:
    """Show the letters that the chosen rows can get, and send those of a stage.

    Raises: NotFound, Invalid.
    """
    read = read_choice(context)
    form = BaseForm(context.form_data)
    asked = _asked_stage(context)

    async def save(form: BaseForm, db: Database) -> Response:
        action = str(context.fields.get("do", ""))
        if asked is None or action not in (*CHANNELS, "test"):
            raise NotFound("letter", action)
        if action == "test":
            await send_test(context, db, asked)
            here = context.url("chosen", read.choice.listed, "letter") + read.query(stage=asked)
            return context.redirect(here, message=test_message(context.user.email))
        written = await send_chosen(
            db,
            context.account_id,
            asked,
            read.choice,
            read_expected(context, action),
            fingerprint=str(context.fields.get("fingerprint", "")),
            site=context.site,
            by=context.actor,
        )
        return to_written(context, written)

    async def show(status: HTTPStatus) -> Response:
        async def render(db: Connection, chosen: Chosen) -> Response:
            account = await accounts.get_account(db, context.account_id)
            plans = {stage: await plan_chosen(db, account, chosen, stage) for stage in RenewalStage}
            stage = asked or max(plans, key=lambda each: _count(plans[each]))
            plan = plans[stage]
            return context.render(
                "bulk/letters.html",
                status=status,
                form=form,
                read=read,
                chosen=chosen,
                stage=stage,
                counts={each: len(found.letters) for each, found in plans.items()},
                listed=plan.letters[:SHOWN],
                others=max(len(plan.letters) - SHOWN, 0),
                by_channel={each: len(plan.going_out(each)) for each in LetterChannel},
                preview=await _preview(context, db, account, stage, plan),
                channels=LetterChannel,
                to_recipients=sum(each.goes_out and each.is_to_recipient for each in plan.letters),
            )

        return await confirm_chosen(context, read, render)

    return await save_or_show(context, form, save, show, is_long=True)


def _count(plan: LetterPlan) -> int:
    """How many letters can go out."""
    return sum(each.goes_out for each in plan.letters)


def _asked_stage(context: PageContext) -> RenewalStage | None:
    """The stage that the user chose; None if none yet. Raises: NotFound."""
    text = str(context.given.get("stage", ""))
    try:
        return RenewalStage(text) if text else None
    except ValueError:
        raise NotFound("letter", text) from None


async def _preview(
    context: PageContext, db: Connection, account: Account, stage: RenewalStage, plan: LetterPlan
) -> LetterPreview | None:
    """The first letter that goes out; None if there is none."""
    known = (await list_texts(db, account))[stage]
    first = first_going_out(account, plan, known)
    if first is None:
        return None
    text, locale = text_to_show(account, plan, known)
    prices, my_page = await find_renewal_prices(db, account), await find_page_url(db, account.id)
    sees_money = context.membership.may(Right.SEE_MONEY)
    return preview_letter(
        account, text, first, prices, my_page, has_amounts=sees_money, locale=locale
    )
