"""The routes of the pages of reminders: who may bill and send letters sends them."""

from masthead.model.identity.rights import Right
from masthead.web.kit.router import Handler, PageAccess, PageRoute
from masthead.web.reminders import confirm, overview, round, terms, write_off

_REMINDERS = "/desk/{subdomain}/money/reminders"
_ROUND = f"{_REMINDERS}/rounds/{{id}}"
_LETTER = f"{_REMINDERS}/letters/{{id}}"
_SEES = (Right.SEE_MONEY,)
_BILLS = (Right.SEE_MONEY, Right.BILL)
_SENDS = (Right.SEE_MONEY, Right.BILL, Right.SEND_LETTERS)


def _page(
    path: str, handler: Handler, rights: tuple[Right, ...], methods: str = "GET"
) -> PageRoute:
    return PageRoute(path, handler, PageAccess.MEMBER, methods, rights=rights)


REMINDER_PAGES: tuple[PageRoute, ...] = (
    _page(f"{_REMINDERS}/", overview.show_overview, _SEES),
    _page(f"{_REMINDERS}/write-off/", write_off.write_off, _BILLS, "GET POST"),
    _page(f"{_REMINDERS}/{{stage}}/", confirm.confirm_stage, _SENDS, "GET POST"),
    _page(f"{_ROUND}/", round.show_round, _SEES),
    _page(f"{_ROUND}/pdf/", round.download_round, _SENDS),
    _page(f"{_ROUND}/printed/", round.mark_printed, _SENDS, "POST"),
    _page(f"{_ROUND}/stop/", round.stop, _SENDS, "POST"),
    _page(f"{_LETTER}/", round.show_letter, _SEES),
    _page(f"{_LETTER}/pdf/", round.download_letter, _SEES),
    _page(
        "/desk/{subdomain}/money/invoices/{id}/reminders/",
        terms.agree_on_invoice,
        _BILLS,
        "GET POST",
    ),
    _page(
        "/desk/{subdomain}/subscribers/{id}/account/reminders/",
        terms.stop_for_payer,
        _BILLS,
        "GET POST",
    ),
)
