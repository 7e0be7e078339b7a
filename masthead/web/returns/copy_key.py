"""The page that finds copy, subscriber, run and address by the key on a label."""

from msgspec import structs
from starlette.responses import Response

from masthead.model.dispatch.keys import key_of, printed
from masthead.model.dispatch.runs import DispatchLine
from masthead.model.errors import Invalid
from masthead.model.pagination import PageRequest
from masthead.model.returns.delivery_reports import PostalAddress, ReportKind, is_same_address
from masthead.model.returns.references import read_reference
from masthead.model.returns.report_inputs import CopyReportQuery
from masthead.model.translations import gettext as _
from masthead.model.types.text import MAX_TEXT, full_name
from masthead.store.dispatch import lines, runs
from masthead.store.engine.interface import Connection
from masthead.store.returns import delivery_reports, shipped
from masthead.web.kit.context import PageContext

REPORTS = 10


async def look_up_key(context: PageContext) -> Response:
    """Ask for a copy key, and show what it stands for."""
    key = context.query.get("key", "").strip()[:MAX_TEXT]
    if not key:
        return context.render("returns/copy_key.html", key="", line=None, problem="")
    try:
        async with context.db.read(aside=True) as db:
            return await _show(context, db, key)
    except Invalid as reason:
        problem = str(reason)
        return context.render("returns/copy_key.html", key=key, line=None, problem=problem)


async def _show(context: PageContext, db: Connection, key: str) -> Response:
    line = await find_line(db, context.account_id, key)
    page = await delivery_reports.list_reports(
        db,
        context.account_id,
        CopyReportQuery(copy=line.copy_id, subscription=line.subscription_id),
        PageRequest(REPORTS, None, b""),
    )
    address = PostalAddress.from_row(structs.asdict(line))
    return context.render(
        "returns/copy_key.html",
        key=key,
        problem="",
        line=line,
        printed=printed(key_of(context.account_id, line.id)),
        name=full_name(line.first_name, line.last_name, line.company, _("Subscriber")),
        run=await runs.get_dispatch(db, context.account_id, line.dispatch_id),
        address=address,
        reports=page.items,
        is_returned=any(
            each.kind is ReportKind.UNDELIVERABLE and each.line_id == line.id for each in page.items
        ),
        held=await _count_holds(db, context.account_id, line, address),
    )


async def _count_holds(
    db: Connection, account_id: int, line: DispatchLine, address: PostalAddress
) -> int:
    """How many of the subscriptions are on hold at the address of a line. Queries: two."""
    siblings = await delivery_reports.find_sibling_subscriptions(
        db, account_id, [line.subscription_id]
    )
    found = await delivery_reports.list_of_subscriptions(
        db, account_id, [row["id"] for row in siblings]
    )
    return len(
        {
            each.subscription_id
            for each in found
            if each.kind is ReportKind.UNDELIVERABLE and is_same_address(each.old_address, address)
        }
    )


async def find_line(db: Connection, account_id: int, key: str) -> DispatchLine:
    """The line of a copy key, or the newest line of a copy id. Raises: Invalid."""
    reference = read_reference(account_id, key)
    id = reference.line
    if reference.copy:
        copies = await shipped.find_copies(db, account_id, [reference.copy])
        id = copies[reference.copy].line_id or 0 if copies else 0
    line = await lines.find_line(db, account_id, id)
    if line is None:
        raise Invalid(_("No copy in a run of this account has this key or ID. Check it again."))
    return line
