"""The routes of the pages about webhooks."""

from masthead.model.identity.rights import Right
from masthead.web.kit.router import Handler, PageAccess, PageRoute
from masthead.web.webhooks import messages, webhooks

_PAGES = "/desk/{subdomain}/settings/webhooks"
_RIGHTS = (Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS)  # webhooks send all data elsewhere
_FORMS: dict[str, Handler] = {
    "edit": webhooks.edit_webhook,
    "rotate": webhooks.rotate_secret,
    "delete": webhooks.delete_webhook,
}
_BUTTONS: dict[str, Handler] = {
    "enable": webhooks.enable_webhook,
    "disable": webhooks.disable_webhook,
    "test": messages.send_test,
    "resend": messages.send_again,
}

WEBHOOK_PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"{_PAGES}/", webhooks.list_webhooks, PageAccess.MEMBER, rights=_RIGHTS),
    PageRoute(
        f"{_PAGES}/new/", webhooks.create_webhook, PageAccess.MEMBER, "GET POST", rights=_RIGHTS
    ),
    PageRoute(f"{_PAGES}/{{id}}/", messages.show_webhook, PageAccess.MEMBER, rights=_RIGHTS),
    *(
        PageRoute(
            f"{_PAGES}/{{id}}/{name}/", handler, PageAccess.MEMBER, "GET POST", rights=_RIGHTS
        )
        for name, handler in _FORMS.items()
    ),
    *(
        PageRoute(f"{_PAGES}/{{id}}/{name}/", handler, PageAccess.MEMBER, "POST", rights=_RIGHTS)
        for name, handler in _BUTTONS.items()
    ),
)
