"""Let users upload pictures, and send them."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from starlette.datastructures import UploadFile
from starlette.responses import Response
from wtforms import FileField
from wtforms.validators import DataRequired

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.services.pictures import MAX_UPLOAD
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form, save_form
from masthead.web.kit.forms import BaseForm

T = TypeVar("T")

# The address names one picture; only users of the account may see it
IMMUTABLE = "private, max-age=31536000, immutable"
# Whatever is in the file, it runs nothing: not even as a page of its own
ISOLATED = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
}


def send_picture(content: bytes, media_type: str) -> Response:
    """A picture whose address never has another one, so that browsers may keep it for ever."""
    return Response(
        content, media_type=media_type, headers={"Cache-Control": IMMUTABLE, **ISOLATED}
    )


class PictureForm(BaseForm):
    """A picture."""

    file = FileField("Picture", [DataRequired("Choose a picture that is not empty.")])


async def handle_picture(
    context: PageContext,
    template: str,
    read: Callable[[bytes], Awaitable[T]],
    store: Callable[[T, Database], Awaitable[Response]],
    *,
    form: type[PictureForm] = PictureForm,
    **variables: Any,
) -> Response:
    """Show a form with a picture, or store the one that was sent, like `handle_form`.

    read: makes the picture to store, before the transaction, which would wait for it.
    """

    async def save(form: PictureForm, _db: Database) -> Response:
        file = context.fields.get("file")
        if not isinstance(file, UploadFile) or not file.size:
            raise Invalid(_("Choose a picture that is not empty."), field="file")
        picture = await read(await file.read())
        return await save_form(context, form, lambda _form, db: store(picture, db))

    megabytes = MAX_UPLOAD // 1_000_000
    return await handle_form(
        context, form, template, save, in_transaction=False, megabytes=megabytes, **variables
    )
