"""Pages that explain an error."""

from http import HTTPStatus

from starlette.responses import Response

from masthead.model.errors import (
    Busy,
    Erased,
    Invalid,
    MastheadError,
    NotFound,
    PageNotFound,
    PayloadTooLarge,
    Unavailable,
)
from masthead.model.translations import gettext as _, gettext_noop
from masthead.web.kit.context import PageContext

STATUS: dict[type[MastheadError], tuple[HTTPStatus, str]] = {
    Erased: (HTTPStatus.GONE, gettext_noop("This subscriber was erased")),
    PageNotFound: (HTTPStatus.NOT_FOUND, gettext_noop("Page not found")),
    NotFound: (HTTPStatus.NOT_FOUND, gettext_noop("Not found")),
    Invalid: (HTTPStatus.BAD_REQUEST, gettext_noop("This cannot be done")),
    PayloadTooLarge: (HTTPStatus.REQUEST_ENTITY_TOO_LARGE, gettext_noop("The form is too large")),
    Unavailable: (HTTPStatus.SERVICE_UNAVAILABLE, gettext_noop("Temporarily unavailable")),
    Busy: (HTTPStatus.SERVICE_UNAVAILABLE, gettext_noop("Temporarily unavailable")),
}

# What NotFound says is not there, which is translated where it is raised
NOUNS = (
    gettext_noop("API key"),
    gettext_noop("batch of letters"),
    gettext_noop("change of address"),
    gettext_noop("claim"),
    gettext_noop("copy key"),
    gettext_noop("copy with the key"),
    gettext_noop("copy"),
    gettext_noop("cover"),
    gettext_noop("delivery report"),
    gettext_noop("export profile"),
    gettext_noop("export"),
    gettext_noop("failed email"),
    gettext_noop("file of refused rows"),
    gettext_noop("file"),
    gettext_noop("import"),
    gettext_noop("issue"),
    gettext_noop("letter"),
    gettext_noop("list"),
    gettext_noop("mapping"),
    gettext_noop("merge"),
    gettext_noop("note"),
    gettext_noop("order"),
    gettext_noop("passkey"),
    gettext_noop("product"),
    gettext_noop("refund"),
    gettext_noop("report of the file"),
    gettext_noop("request"),
    gettext_noop("session"),
    gettext_noop("source"),
    gettext_noop("statement"),
    gettext_noop("subscriber"),
    gettext_noop("subscription"),
    gettext_noop("user"),
    gettext_noop("webhook"),
)
NO_RECORD = gettext_noop(
    "There is no {noun} {id} in this account. Perhaps it was deleted, or a part of the address is "
    "missing."
)
# The lists of what NotFound may say is not there
LISTS = {
    "claim": "claims",
    "dispatch run": "dispatches",
    "import": "imports",
    "issue": "issues",
    "subscriber": "subscribers",
    "subscription": "subscriptions",
}

FAILED = (
    HTTPStatus.INTERNAL_SERVER_ERROR,
    gettext_noop("Something went wrong"),
    gettext_noop(
        "Everything that you saved before is still there. Try again. If the problem continues, "
        "tell the operator of this server what you did, and when."
    ),
)

OTHER_SITE = (
    HTTPStatus.FORBIDDEN,
    gettext_noop("Request from another site"),
    gettext_noop(
        "The form was sent from another site, so nothing was changed. Open the page on this site "
        "and send the form again."
    ),
)
NO_MEMBER = (
    HTTPStatus.NOT_FOUND,
    gettext_noop("Not found"),
    gettext_noop(
        "There is no account “{subdomain}”, or you are not a user of it. An owner of the account "
        "can invite you."
    ),
)
OWNERS_ONLY = (
    HTTPStatus.FORBIDDEN,
    gettext_noop("Owners only"),
    gettext_noop(
        "Only owners can change the settings of {account}. Ask an owner to change them, or to make "
        "you an owner."
    ),
)
MISSING_RIGHT = (
    HTTPStatus.FORBIDDEN,
    gettext_noop("You need another right"),
    gettext_noop(
        "You cannot open this page of {account} without the right: {rights}. Ask an owner for it: "
        "{owners}."
    ),
)
WRONG_METHOD = (
    HTTPStatus.METHOD_NOT_ALLOWED,
    gettext_noop("This page cannot be opened directly"),
    gettext_noop(
        "It opens only from a button on another page. Nothing was changed. Go to the desk and "
        "start from there."
    ),
)


def error_page(
    context: PageContext,
    status: HTTPStatus,
    title: str,
    text: str,
    list_path: str = "",
    **values: str,
) -> Response:
    """A page that explains an error and what to do.

    list_path: of the list where what is missing would be. values: of the placeholders in the text.
    """
    return context.render(
        "error.html",
        status=status,
        title=_(title),
        explanation=_(text).format(**values) if values else _(text),
        list_path=list_path,
        is_missing=status is HTTPStatus.NOT_FOUND,
    )


def page_of_error(context: PageContext, reason: MastheadError) -> Response:
    """The page for an error of the services. `router` adds `Retry-After` to each 503."""
    status, title = STATUS.get(type(reason), STATUS[Invalid])
    if isinstance(reason, NotFound):
        list_path = LISTS.get(reason.noun, "")
        noun = _("mailing") if reason.noun == "dispatch run" else _(reason.noun)
        return error_page(context, status, title, NO_RECORD, list_path, noun=noun, id=reason.id)
    return error_page(context, status, title, str(reason).replace("`", ""))
