"""Choose what separates the cells of CSV files."""

from urllib.parse import urlsplit

from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.web.kit.context import PageContext
from masthead.web.kit.cookies import CSV_STYLE
from masthead.web.kit.csv_export import CsvStyle


async def choose_csv_style(context: PageContext) -> Response:
    """Remember the style in this browser, and show the page again. Raises: Invalid."""
    style = str(context.fields.get("style", ""))
    if style not in list(CsvStyle):
        raise Invalid(
            _("style is “{text}”; expected one of {known}.").format(
                text=style[:80], known=", ".join(CsvStyle)
            ),
            field="style",
        )
    back = urlsplit(str(context.fields.get("back", "")))
    is_own = not back.netloc and back.path.startswith(context.url())
    address = back._replace(scheme="", fragment="").geturl() if is_own else context.url()
    response = context.redirect(address)
    context.cookies.set_choice(response, CSV_STYLE, style)
    return response
