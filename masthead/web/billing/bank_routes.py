"""The routes of the pages of bank statements."""

from masthead.model.billing.bank_lines import MAX_FILE
from masthead.model.identity.rights import Right
from masthead.web.billing import bank_line, bank_statements
from masthead.web.kit.router import PageAccess, PageRoute

_STATEMENTS = "/desk/{subdomain}/money/statements"
_LINE = f"{_STATEMENTS}/lines/{{id}}"
_RIGHTS = (Right.SEE_MONEY, Right.BILL)

BANK_PAGES: tuple[PageRoute, ...] = (
    PageRoute(
        f"{_STATEMENTS}/",
        bank_statements.show_statements,
        PageAccess.MEMBER,
        "GET POST",
        max_file=MAX_FILE,
        rights=_RIGHTS,
    ),
    PageRoute(
        f"{_STATEMENTS}/confirm/",
        bank_statements.confirm_safe,
        PageAccess.MEMBER,
        "POST",
        rights=_RIGHTS,
    ),
    PageRoute(f"{_LINE}/", bank_line.show_line, PageAccess.MEMBER, rights=_RIGHTS),
    PageRoute(
        f"{_LINE}/confirm/", bank_line.confirm_line, PageAccess.MEMBER, "POST", rights=_RIGHTS
    ),
    PageRoute(
        f"{_LINE}/debits/", bank_line.confirm_debits, PageAccess.MEMBER, "POST", rights=_RIGHTS
    ),
    PageRoute(
        f"{_LINE}/return/", bank_line.confirm_return, PageAccess.MEMBER, "POST", rights=_RIGHTS
    ),
    PageRoute(
        f"{_LINE}/leave-out/", bank_line.leave_out, PageAccess.MEMBER, "POST", rights=_RIGHTS
    ),
    PageRoute(f"{_LINE}/reopen/", bank_line.reopen_line, PageAccess.MEMBER, "POST", rights=_RIGHTS),
)
