"""The routes of the pages about imports.

Staff may import, like owners: it makes the same records that they add one by one, each import says
who made it, and it can be undone.
"""

from masthead.model.identity.rights import Right
from masthead.model.imports.batches import MAX_UPLOAD
from masthead.web.imports import actions, batch, columns, corrections, preview, upload
from masthead.web.kit.desk_pages import DeskPages

_IMPORTS = DeskPages("imports/", rights=(Right.SEE_MONEY, Right.IMPORT))

IMPORT_PAGES = (
    _IMPORTS.page("", upload.list_imports),
    _IMPORTS.form("new/", upload.upload_file, max_file=MAX_UPLOAD),
    _IMPORTS.change("saved/delete/", actions.delete_mapping),
    _IMPORTS.page("{id}/", batch.show_batch),
    _IMPORTS.form("{id}/columns/", columns.edit_columns),
    _IMPORTS.change("{id}/preset/", columns.choose_preset),
    _IMPORTS.page("{id}/preview/", preview.show_preview),
    _IMPORTS.change("{id}/rehearse/", actions.rehearse),
    _IMPORTS.change("{id}/duplicates/", actions.decide),
    _IMPORTS.button("{id}/add-zeros/", actions.add_zeros),
    _IMPORTS.change("{id}/run/", actions.run),
    _IMPORTS.page("{id}/rows/", batch.list_rows),
    _IMPORTS.change("{id}/correct/", corrections.use_corrected),
    _IMPORTS.button("{id}/again/", actions.import_again),
    _IMPORTS.button("{id}/discard-corrections/", actions.discard_corrections),
    _IMPORTS.page("{id}/refused/", batch.download_refused, Right.DOWNLOAD),
    _IMPORTS.confirmation("{id}/delete/", actions.delete),
    _IMPORTS.form("{id}/undo/", actions.undo),
)
