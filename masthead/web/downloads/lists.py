"""The files of lists: which list, which kind of file, and the record of the download."""

from collections.abc import Mapping

from starlette.responses import Response

from masthead.model.errors import NotFound
from masthead.model.file_names import file_name
from masthead.model.translations import gettext as _
from masthead.web.downloads.billing_files import BILLING_FILES
from masthead.web.downloads.import_files import IMPORT_FILES
from masthead.web.downloads.letter_files import LETTER_FILES
from masthead.web.downloads.list_file import ListFile
from masthead.web.downloads.money_files import MONEY_FILES
from masthead.web.downloads.sending_files import SENDING_FILES
from masthead.web.downloads.settings_files import SETTINGS_FILES
from masthead.web.downloads.subscriber_files import SUBSCRIBER_FILES
from masthead.web.kit.context import PageContext
from masthead.web.kit.desk_pages import ENDINGS
from masthead.web.kit.table_file import begun, in_zone, table_file

# The lists that all users see, and those of the settings
LISTS: Mapping[str, ListFile] = {
    **SUBSCRIBER_FILES,
    **SENDING_FILES,
    **MONEY_FILES,
    **BILLING_FILES,
    **LETTER_FILES,
    **IMPORT_FILES,
}
SETTINGS_LISTS: Mapping[str, ListFile] = SETTINGS_FILES


async def download_list(context: PageContext) -> Response:
    """A list of the desk with the filters of its page. Raises: NotFound, Invalid."""
    return await _download(context, LISTS)


async def download_settings_list(context: PageContext) -> Response:
    """A list of the settings with the filters of its page. Raises: NotFound, Invalid."""
    return await _download(context, SETTINGS_LISTS)


async def _download(context: PageContext, lists: Mapping[str, ListFile]) -> Response:
    listed, ending = context.path["list"], context.path["format"]
    if listed not in lists or ending not in ENDINGS:
        raise NotFound("list", listed)
    file = lists[listed]
    name = file_name(file.name, day=context.membership.daily_date, ending=ending)
    parts = await begun(in_zone(file.read(context), context.zone))  # refuses before the record
    return await table_file(context, name, file.columns, parts, title=_(file.title))
