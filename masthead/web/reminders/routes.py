"""The routes of the pages of reminders: for users who may bill and send letters."""

from masthead.model.identity.rights import Right
from masthead.web.kit.desk_pages import DeskPages
from masthead.web.reminders import confirm, overview, round, terms, write_off

_REMINDERS = DeskPages("money/reminders/", rights=(Right.SEE_MONEY,))
_ROUND = DeskPages("money/reminders/rounds/{id}/", rights=(Right.SEE_MONEY,))
_LETTER = DeskPages("money/reminders/letters/{id}/", rights=(Right.SEE_MONEY,))
_DESK = DeskPages("", rights=(Right.SEE_MONEY, Right.BILL))

REMINDER_PAGES = (
    _REMINDERS.page("", overview.show_overview),
    _REMINDERS.form("write-off/", write_off.write_off, Right.BILL),
    _REMINDERS.form("{stage}/", confirm.confirm_stage, Right.BILL, Right.SEND_LETTERS),
    _ROUND.page("", round.show_round),
    _ROUND.page("pdf/", round.download_round, Right.BILL, Right.SEND_LETTERS),
    _ROUND.button("printed/", round.mark_printed, Right.BILL, Right.SEND_LETTERS),
    _ROUND.button("undo-printed/", round.undo_printed, Right.BILL, Right.SEND_LETTERS),
    _ROUND.button("stop/", round.stop, Right.BILL, Right.SEND_LETTERS),
    _LETTER.page("", round.show_letter),
    _LETTER.page("pdf/", round.download_letter),
    _DESK.form("money/invoices/{id}/reminders/", terms.agree_on_invoice),
    _DESK.form("subscribers/{id}/account/reminders/", terms.stop_for_payer),
)
