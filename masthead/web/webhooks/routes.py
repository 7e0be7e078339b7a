"""The routes of the pages about webhooks."""

from masthead.web.kit.router import Handler, PageAccess, PageRoute
from masthead.web.webhooks import messages, webhooks

_PAGES = "/desk/{subdomain}/settings/webhooks"
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
    PageRoute(f"{_PAGES}/", webhooks.list_webhooks, PageAccess.OWNER),
    PageRoute(f"{_PAGES}/new/", webhooks.create_webhook, PageAccess.OWNER, "GET POST"),
    PageRoute(f"{_PAGES}/{{id}}/", messages.show_webhook, PageAccess.OWNER),
    *(
        PageRoute(f"{_PAGES}/{{id}}/{name}/", handler, PageAccess.OWNER, "GET POST")
        for name, handler in _FORMS.items()
    ),
    *(
        PageRoute(f"{_PAGES}/{{id}}/{name}/", handler, PageAccess.OWNER, "POST")
        for name, handler in _BUTTONS.items()
    ),
)
