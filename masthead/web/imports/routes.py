"""The routes of the pages about imports.

Staff may import, like owners: it makes the same records that they add one by one, each import says
who made it, and it can be undone.
"""

from masthead.model.identity.rights import Right
from masthead.model.imports.batches import MAX_UPLOAD
from masthead.web.imports import actions, batch, columns, preview, upload
from masthead.web.kit.router import PageAccess, PageRoute

_IMPORTS = "/desk/{subdomain}/imports"

IMPORT_PAGES: tuple[PageRoute, ...] = (
    PageRoute(
        f"{_IMPORTS}/",
        upload.list_imports,
        PageAccess.MEMBER,
        rights=(Right.IMPORT, Right.SEE_MONEY),
    ),
    PageRoute(
        f"{_IMPORTS}/new/",
        upload.upload_file,
        PageAccess.MEMBER,
        "GET POST",
        max_file=MAX_UPLOAD,
        rights=(Right.IMPORT, Right.SEE_MONEY),
    ),
    PageRoute(
        f"{_IMPORTS}/saved/delete/",
        actions.delete_mapping,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.IMPORT, Right.SEE_MONEY),
    ),
    PageRoute(
        f"{_IMPORTS}/{{id}}/",
        batch.show_batch,
        PageAccess.MEMBER,
        rights=(Right.IMPORT, Right.SEE_MONEY),
    ),
    PageRoute(
        f"{_IMPORTS}/{{id}}/columns/",
        columns.edit_columns,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.IMPORT, Right.SEE_MONEY),
    ),
    PageRoute(
        f"{_IMPORTS}/{{id}}/preset/",
        columns.choose_preset,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.IMPORT, Right.SEE_MONEY),
    ),
    PageRoute(
        f"{_IMPORTS}/{{id}}/preview/",
        preview.show_preview,
        PageAccess.MEMBER,
        rights=(Right.IMPORT, Right.SEE_MONEY),
    ),
    PageRoute(
        f"{_IMPORTS}/{{id}}/rehearse/",
        actions.rehearse,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.IMPORT, Right.SEE_MONEY),
    ),
    PageRoute(
        f"{_IMPORTS}/{{id}}/duplicates/",
        actions.decide,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.IMPORT, Right.SEE_MONEY),
    ),
    PageRoute(
        f"{_IMPORTS}/{{id}}/run/",
        actions.run,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.IMPORT, Right.SEE_MONEY),
    ),
    PageRoute(
        f"{_IMPORTS}/{{id}}/rows/",
        batch.list_rows,
        PageAccess.MEMBER,
        rights=(Right.IMPORT, Right.SEE_MONEY),
    ),
    PageRoute(
        f"{_IMPORTS}/{{id}}/refused/",
        batch.download_refused,
        PageAccess.MEMBER,
        rights=(Right.IMPORT, Right.SEE_MONEY, Right.DOWNLOAD),
    ),
    PageRoute(
        f"{_IMPORTS}/{{id}}/delete/",
        actions.delete,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.IMPORT, Right.SEE_MONEY),
    ),
    PageRoute(
        f"{_IMPORTS}/{{id}}/undo/",
        actions.undo,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.IMPORT, Right.SEE_MONEY),
    ),
)
