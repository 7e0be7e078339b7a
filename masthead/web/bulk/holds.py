"""Confirm that the copies of all chosen rows are held, or released."""

from http import HTTPStatus

from starlette.responses import Response

from masthead.model.bulk import Chosen, ChosenList
from masthead.model.translations import counted
from masthead.services.holds import by_hand
from masthead.store.engine.interface import Connection, Database
from masthead.store.subscriptions.bundles import list_one_of_each
from masthead.web.bulk.choice import list_samples, read_choice
from masthead.web.bulk.pages import confirm_chosen
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import save_or_show
from masthead.web.subscriptions.holds import HoldForm


async def hold(context: PageContext) -> Response:
    """Ask why, and hold the subscriptions of the chosen rows. Raises: NotFound, Invalid."""
    return await _change(context, is_release=False)


async def release(context: PageContext) -> Response:
    """Ask why, and release the subscriptions of the chosen rows. Raises: NotFound, Invalid."""
    return await _change(context, is_release=True)


async def _change(context: PageContext, *, is_release: bool) -> Response:
    read = read_choice(context)
    form = HoldForm(context.form_data)

    async def save(form: HoldForm, db: Database) -> Response:
        count = await by_hand.change_chosen(
            db,
            context.account_id,
            read.choice,
            is_release=is_release,
            reason=form.reason.data or "",
            expected=str(context.fields.get("fingerprint", "")),
            by=context.actor,
        )
        message = counted("{n} subscription is held.", "{n} subscriptions are held.", count)
        if is_release:
            message = counted(
                "{n} subscription is released.", "{n} subscriptions are released.", count
            )
        return context.redirect(read.back, message=message)

    async def show(status: HTTPStatus) -> Response:
        async def render(db: Connection, chosen: Chosen) -> Response:
            ids = await by_hand.subscriptions_of(db, context.account_id, chosen)
            rows = await list_one_of_each(db, context.account_id, ids)
            changed = await by_hand.list_changed(db, context.account_id, ids, is_release=is_release)
            return context.render(
                "bulk/hold.html",
                status=status,
                form=form,
                read=read,
                chosen=chosen,
                is_release=is_release,
                total=len(rows),
                count=len(changed),
                samples=await list_samples(context, db, ChosenList.SUBSCRIPTIONS, rows),
            )

        return await confirm_chosen(context, read, render)

    return await save_or_show(context, form, save, show, is_long=True)
