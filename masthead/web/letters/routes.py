"""The routes of the pages about renewal letters."""

from masthead.model.identity.rights import Right
from masthead.web.kit.router import PageAccess, PageRoute
from masthead.web.letters import batch, confirm, overview, stage, unsubscribe
from masthead.web.letters import subscriber as subscriber

_LETTERS = "/desk/{subdomain}/letters"
_BATCH = f"{_LETTERS}/batches/{{id}}"
_SEND = (Right.SEND_LETTERS,)

LETTER_PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"{_LETTERS}/", overview.show_letters, PageAccess.MEMBER, rights=()),
    PageRoute(
        f"{_LETTERS}/{{stage}}/", stage.show_stage, PageAccess.MEMBER, "GET POST", rights=_SEND
    ),
    PageRoute(
        f"{_LETTERS}/{{stage}}/send/",
        confirm.confirm_stage,
        PageAccess.MEMBER,
        "GET POST",
        rights=_SEND,
    ),
    PageRoute(f"{_BATCH}/", batch.show_batch, PageAccess.MEMBER, rights=()),
    PageRoute(
        f"{_BATCH}/pdf/{{part}}/",
        batch.download_pdf,
        PageAccess.MEMBER,
        rights=(Right.SEE_MONEY, Right.SEND_LETTERS),
    ),
    PageRoute(f"{_BATCH}/printed/", batch.mark_printed, PageAccess.MEMBER, "POST", rights=_SEND),
    PageRoute(
        f"{_BATCH}/undo-printed/", batch.undo_printed, PageAccess.MEMBER, "POST", rights=_SEND
    ),
    PageRoute(f"{_BATCH}/retry/", batch.retry_batch, PageAccess.MEMBER, "GET POST", rights=_SEND),
    PageRoute(f"{_BATCH}/stop/", batch.stop_batch, PageAccess.MEMBER, "POST", rights=_SEND),
    PageRoute(
        "/desk/{subdomain}/subscribers/{id}/letters/",
        subscriber.show_subscriber,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SEND_LETTERS,),
    ),
    PageRoute(
        "/unsubscribe/{token}/",
        unsubscribe.unsubscribe,
        PageAccess.ANYONE,
        "GET POST",
        accepts_other_sites=True,
    ),
)
