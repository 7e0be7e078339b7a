"""Settings: what subscribers can do on their page, its texts, its colour and its logo."""

from functools import partial

from msgspec import structs
from starlette.responses import Response
from wtforms import BooleanField, FileField, SelectMultipleField, StringField, TextAreaField
from wtforms.validators import DataRequired

from masthead.model.pagination import PageRequest
from masthead.model.self_service.settings import Action, SelfService, page_address, read_actions
from masthead.model.translations import gettext as _, set_language
from masthead.services.issues.covers import read_cover
from masthead.services.self_service import settings as service
from masthead.store.accounts import get_account
from masthead.store.engine.interface import Database
from masthead.store.issues.covers import NewCover
from masthead.store.self_service.settings import get_settings, has_logo
from masthead.store.subscribers.corrections import get_subscriber
from masthead.store.subscribers.records import list_subscribers
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, choices_of, labels_of
from masthead.web.kit.pictures import PictureForm, handle_picture
from masthead.web.subscriber_pages.context import MyContext
from masthead.web.subscriber_pages.looks import colours_of, logo_of
from masthead.web.subscriber_pages.overview import show_overview
from masthead.web.subscriber_pages.sign_in import show_start

TEMPLATE = "self_service/settings.html"
_NEWEST = PageRequest(limit=1, after=None, binding=b"")


class SelfServiceForm(BaseForm):
    """The settings of the page."""

    is_open = BooleanField("Subscribers can sign in at their page")
    actions = SelectMultipleField(
        "What they can do there", choices=choices_of(labels_of(Action)), validate_choice=False
    )
    introduction = TextAreaField("Introduction")
    contact = TextAreaField("Contact line")
    colour = StringField("Colour")
    renewal_url = StringField("Address of your shop")
    has_codes = BooleanField("Print a QR code of the page on labels and letters")


class LogoForm(PictureForm):
    """A picture."""

    file = FileField("Logo", [DataRequired("Choose a picture that is not empty.")])


async def edit_settings(context: PageContext) -> Response:
    """Show the settings, and save them."""
    settings = await get_settings(context.db, context.account_id)
    actions = [each.value for each in settings.actions]

    async def save(form: SelfServiceForm, db: Database) -> Response:
        new = SelfService(
            is_open=bool(form.is_open.data),
            actions=read_actions(" ".join(form.actions.data or ())),
            introduction=form.introduction.data or "",
            contact=form.contact.data or "",
            colour=form.colour.data or "",
            renewal_url=form.renewal_url.data or "",
            has_codes=bool(form.has_codes.data),
        )
        await service.update_settings(
            db, context.account_id, new, page_url=_address_of(context), by=context.actor
        )
        return context.redirect(
            context.url("settings", "self-service"), message=_("The settings are saved.")
        )

    return await handle_form(
        context,
        SelfServiceForm,
        TEMPLATE,
        save,
        initial={**structs.asdict(settings), "actions": actions},
        address=_address_of(context),
        has_mail=context.has_mail,
        is_open=settings.is_open,
        has_logo=await has_logo(context.db, context.account_id),
    )


def _address_of(context: PageContext) -> str:
    """The address of the page, which the publisher links to."""
    subdomain = context.membership.subdomain
    return page_address(context.web.public_url, context.web.subscriber_hosts, subdomain)


async def upload_logo(context: PageContext) -> Response:
    """Store an uploaded logo, or delete the stored one."""
    here = context.url("settings", "self-service")
    if context.fields.get("do") == "delete":
        await service.set_logo(context.db, context.account_id, None, by=context.actor)
        return context.redirect(here, message=_("The page has no logo now."))

    async def store(picture: NewCover, db: Database) -> Response:
        await service.set_logo(db, context.account_id, picture, by=context.actor)
        return context.redirect(here, message=_("The logo is saved."))

    read = partial(read_cover, account_id=context.account_id)
    return await handle_picture(context, "self_service/logo.html", read, store, form=LogoForm)


async def preview_page(context: PageContext) -> Response:
    """The page as subscribers see it: the sign-in, or what the newest subscriber has.

    As there, its language is that of the browser, not that of the user.
    """
    async with context.db.read() as db:
        account = await get_account(db, context.account_id)
        settings = await get_settings(db, account.id)
        newest = (await list_subscribers(db, account.id, _NEWEST)).items
        shown = await get_subscriber(db, account.id, newest[0].id) if newest else None
        logo = await has_logo(db, account.id)
    my = MyContext(
        context.web, context.request, account=account, settings=settings, is_preview=True
    )
    my.has_logo = logo
    set_language(my.locale)
    if shown is None or context.query.get("page") == "sign-in":
        return await show_start(my)
    my.optional_subscriber = shown
    return await show_overview(my)


async def send_colours(context: PageContext) -> Response:
    """The colour of the preview, as a style sheet."""
    return colours_of(await get_settings(context.db, context.account_id))


async def send_logo(context: PageContext) -> Response:
    """The logo, for the preview. Raises: PageNotFound."""
    return await logo_of(context.db, context.account_id)
