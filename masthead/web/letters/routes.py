"""The routes of the pages about renewal letters."""

from masthead.model.identity.rights import Right
from masthead.web.kit.desk_pages import DeskPages
from masthead.web.kit.router import PageAccess, PageRoute
from masthead.web.letters import (
    batch,
    confirm,
    overview,
    stage,
    subscriber as subscriber,
    unsubscribe,
)

_LETTERS = DeskPages("letters/", rights=())
_BATCH = DeskPages("letters/batches/{id}/", rights=())
_SUBSCRIBER = DeskPages("subscribers/{id}/letters/", rights=(Right.SEND_LETTERS,))

LETTER_PAGES = (
    _LETTERS.page("", overview.show_letters),
    _LETTERS.confirmation("{stage}/", stage.show_stage, Right.SEND_LETTERS),
    _LETTERS.form("{stage}/send/", confirm.confirm_stage, Right.SEND_LETTERS),
    _BATCH.page("", batch.show_batch),
    _BATCH.page("renewed/", batch.show_renewed),
    _BATCH.page("pdf/{part}/", batch.download_pdf, Right.SEE_MONEY, Right.SEND_LETTERS),
    _BATCH.button("printed/", batch.mark_printed, Right.SEND_LETTERS),
    _BATCH.button("undo-printed/", batch.undo_printed, Right.SEND_LETTERS),
    _BATCH.confirmation("retry/", batch.retry_batch, Right.SEND_LETTERS),
    _BATCH.button("stop/", batch.stop_batch, Right.SEND_LETTERS),
    _SUBSCRIBER.form("", subscriber.show_subscriber),
    PageRoute(
        "/unsubscribe/{token}/",
        unsubscribe.unsubscribe,
        PageAccess.ANYONE,
        "GET POST",
        accepts_other_sites=True,
        is_button=True,
    ),
)
