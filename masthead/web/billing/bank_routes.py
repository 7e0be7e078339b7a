"""The routes of the pages of bank statements."""

from masthead.model.billing.bank_lines import MAX_FILE
from masthead.model.identity.rights import Right
from masthead.web.billing import bank_line, bank_statements
from masthead.web.kit.desk_pages import DeskPages

_STATEMENTS = DeskPages("money/statements/", rights=(Right.SEE_MONEY, Right.BILL))
_LINE = DeskPages("money/statements/lines/{id}/", rights=(Right.SEE_MONEY, Right.BILL))

BANK_PAGES = (
    _STATEMENTS.form("", bank_statements.show_statements, max_file=MAX_FILE),
    _STATEMENTS.change("confirm/", bank_statements.confirm_safe),
    _LINE.page("", bank_line.show_line),
    _LINE.change("confirm/", bank_line.confirm_line),
    _LINE.change("debits/", bank_line.confirm_debits),
    _LINE.change("return/", bank_line.confirm_return),
    _LINE.change("leave-out/", bank_line.leave_out),
    _LINE.change("reopen/", bank_line.reopen_line),
)
