"""Download the addresses to which an issue was sent."""

from collections.abc import AsyncIterator

from msgspec import structs
from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.file_names import file_name
from masthead.model.translations import gettext as _
from masthead.model.types.enums import CopyStatus
from masthead.services.download_records import record_address_download
from masthead.store.engine.interface import Row
from masthead.store.issues import records as issues
from masthead.store.reports import fulfilment
from masthead.web.kit import csv_export
from masthead.web.kit.context import PageContext
from masthead.web.kit.formatting import country_in, get_locale
from masthead.web.kit.table_file import table_file

COLUMNS = (
    "copy_id subscription_id medium first_name last_name company address1 address2 city state"
    " postcode country country_name"
).split()


async def download_addresses(context: PageContext) -> Response:
    """A file with the addresses of the printed copies that are Sent: CSV, or `format=xlsx`.

    Copies that are Not sent are in dispatch runs only, so that none is marked as sent without being
    in a file. Raises: NotFound, Invalid.
    """
    status = context.query.get("status", CopyStatus.SENT)
    issue = await issues.get_issue(context.db, context.account_id, context.path["id"])
    if status != CopyStatus.SENT:
        raise Invalid(
            _(
                "The status is “{status}”; expected Sent. To download the addresses of copies that "
                "are Not sent, prepare a mailing of the issue."
            ).format(status=status[:80]),
            field="status",
        )
    ending = "xlsx" if context.query.get("format") == "xlsx" else "csv"
    name = file_name("issue-{number}-sent-to.{ending}", number=issue.number, ending=ending)
    await record_address_download(
        context.db, context.account_id, issue.id, file=name, by=context.actor
    )
    rows = _read_addresses(context, issue.number)
    return await table_file(context, name, COLUMNS, rows, title=_("Addresses"), is_recorded=True)


async def _read_addresses(context: PageContext, number: int) -> AsyncIterator[list[Row]]:
    """The rows of the file, in batches."""
    after, locale = 0, get_locale(context.membership.locale)
    while True:
        async with context.db.read(aside=True) as db:
            rows = await fulfilment.list_addresses(
                db, context.account_id, number, CopyStatus.SENT, after=after, limit=csv_export.ROWS
            )
        if not rows:
            return
        after = rows[-1].id
        yield [
            {
                **structs.asdict(row),
                "copy_id": row.id,
                "medium": _(row.medium),
                "country_name": country_in(row.country, locale),
            }
            for row in rows
        ]
