"""The page of a dispatch run: its steps, its files, its lines and what happened to them."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from http import HTTPStatus
from typing import Any

from msgspec import Struct, structs
from starlette.responses import Response

from masthead.model.audit_entries import label_of
from masthead.model.clock import now
from masthead.model.dispatch.address_layout import address_lines, person_name
from masthead.model.dispatch.copy_keys import key_of, printed
from masthead.model.dispatch.files import DispatchFile, FileStatus, rights_for, shown_name
from masthead.model.dispatch.joined_lines import join_alike
from masthead.model.dispatch.preview import LineProblem, RunPreview
from masthead.model.dispatch.profiles import ExportProfile
from masthead.model.dispatch.runs import UNDO_PERIOD, Dispatch, DispatchLine, DispatchStatus, Layout
from masthead.model.errors import Invalid
from masthead.model.inputs import ListQuery
from masthead.model.pagination import Page, PageRequest, encode_cursor
from masthead.model.translations import gettext as _
from masthead.model.types.text import casefold
from masthead.services.dispatch import runs as service
from masthead.services.dispatch.address_problems import find_run_problems
from masthead.services.dispatch.preview import preview_run
from masthead.services.dispatch.profiles import list_active
from masthead.store.audit import log
from masthead.store.audit.log import AuditEntry, AuditFilter
from masthead.store.dispatch import files, lines, runs
from masthead.store.engine.interface import Connection
from masthead.web.dispatch.freeze import MAX_CHECKED
from masthead.web.dispatch.run_forms import (
    FORMAT_LABELS,
    FileForm,
    MarkForm,
    downloaded_file,
    find_choice,
    list_file_buttons,
    list_profile_choices,
)
from masthead.web.kit.choices import list_sources
from masthead.web.kit.context import PageContext
from masthead.web.kit.cookies import FILE
from masthead.web.kit.filters import PAGE, decode_filters
from masthead.web.kit.forms import BaseForm

MAX_ROWS = 50  # in each table, besides the lines
MAX_HISTORY = 30  # entries
_HISTORY = PageRequest(limit=MAX_HISTORY, after=None, binding=b"")
_UNFINISHED = (FileStatus.WAITING, FileStatus.BUILDING)


class RunDetails(Struct, frozen=True, kw_only=True):
    """What the page shows besides the numbers of the run.

    left: at most MAX_ROWS lines, with alike ones as one. undo_until: the moment until which the
    marking can be undone in any case. undo_problem: why it can no longer be undone.
    """

    left: list[DispatchLine]
    history: list[AuditEntry]
    undo_until: datetime | None
    undo_problem: str


async def show_run(context: PageContext) -> Response:
    """The page of a run, or only its files if htmx asks for them. Raises: NotFound, Invalid."""
    if context.request.headers.get("HX-Target") == "files":
        return await _render_files(context)
    return await render_run(context)


async def _render_files(context: PageContext) -> Response:
    """The files of a run while they are prepared; when they are, htmx loads all steps."""
    async with context.db.read() as db:
        run = await runs.get_dispatch(db, context.account_id, context.path["id"])
        found = await files.list_files(db, context.account_id, run.id)
    shown = show_files(context, run, found, is_part=True)
    return context.render("dispatch/prepared_files.html", **shown)


def show_files(
    context: PageContext, run: Dispatch, found: Sequence[DispatchFile], *, is_part: bool = False
) -> dict[str, Any]:
    """What a page shows of the files of a run, or of a group whose files the run has.

    is_part: whether htmx asks for the files alone.
    """
    return {
        "run": run,
        "files": found,
        "is_part": is_part,
        "is_ready": any(file.status is FileStatus.READY for file in found),
        "is_preparing": any(file.status in _UNFINISHED for file in found),
        "name_of": partial(shown_name, run, zone=context.zone),
        "rights_for": rights_for,
    }


async def render_run(
    context: PageContext, form: BaseForm | None = None, status: HTTPStatus = HTTPStatus.OK
) -> Response:
    """The page with a form that has errors, or with new forms. Raises: NotFound, Invalid."""
    id, account_id = context.path["id"], context.account_id
    _query, request = decode_filters(context, ListQuery)
    view = await preview_run(context.db, account_id, id)
    async with context.db.read(aside=True) as db:
        found = await files.list_files(db, account_id, view.dispatch.id)
        details = await _read_details(db, account_id, view.dispatch)
        problems = await _find_problems(context, db, view)
        page = await _list_lines(db, account_id, view.dispatch, request)
        profiles = await list_active(db, account_id)
        number = view.dispatch.issue_number  # read only if the page shows a link to the next run
        known = await runs.list_of_issues(db, account_id, [number]) if view.late else []
    prepare = form if isinstance(form, FileForm) else FileForm()
    return context.render(
        "dispatch/run.html",
        status=status,
        view=view,
        details=details,
        problems=problems,
        **show_files(context, view.dispatch, found),
        page=page,
        is_first=request.after is None,
        form=form,
        mark=form if isinstance(form, MarkForm) else new_mark_form(context),
        prepare=prepare,
        **list_file_choices(context, profiles, home=view.dispatch.layout.home),
        next_number=1 + max((each.number for each in known), default=0),
        needs_file=view.postal > 0,
        source_names={source.id: source.name for source in await list_sources(context)},
        label_of=label_of,
        downloaded_file=downloaded_file,
        key_of=lambda line: printed(key_of(account_id, line.id)),
        address_of=lambda line: address_of(line, view.dispatch.layout),
    )


async def _find_problems(
    context: PageContext, db: Connection, view: RunPreview
) -> Sequence[LineProblem] | None:
    """The problems of the addresses of a run that is not sent yet.

    None if they are too many to check before somebody asks for it. Counted once after each write.
    """
    if view.dispatch.status is not DispatchStatus.FROZEN:
        return []
    if view.postal > MAX_CHECKED and not context.query.get("check"):
        return None
    find = partial(find_run_problems, db, context.account_id, view.dispatch)
    return await context.count_once(
        db, ("problems of a run", view.dispatch.id, context.locale), find
    )


def list_file_choices(
    context: PageContext, profiles: Sequence[ExportProfile], *, home: str | None
) -> dict[str, object]:
    """What the form for a file of a run or a group offers. home: the publisher's country."""
    may = context.membership.may
    remembered = find_choice(profiles, context.query.get("profile", ""))
    buttons = list_file_buttons(
        profiles,
        home=home,
        remembered=remembered or context.cookies.read_choice(context.request, FILE),
    )
    return {
        "file_buttons": [each for each in buttons if may(*rights_for(each.format))],
        "profile_choices": list_profile_choices(profiles),
        "format_choices": [
            (format.value, _(label))
            for format, label in FORMAT_LABELS.items()
            if may(*rights_for(format))
        ],
    }


def new_mark_form(context: PageContext) -> MarkForm:
    """The form to mark a run as sent, with the date of today."""
    return MarkForm(None, {"date": context.membership.daily_date.isoformat()})


def address_of(line: DispatchLine, layout: Layout) -> str:
    """The address in one line, without the name, which the table shows separately."""
    name = casefold(person_name(line) or line.company or "")
    return ", ".join(text for text in address_lines(line, layout) if casefold(text) != name)


async def _read_details(db: Connection, account_id: int, run: Dispatch) -> RunDetails:
    history = await log.list_log(
        db, account_id, AuditFilter(subject_type="dispatch", subject_id=run.id), _HISTORY
    )
    is_discarded = run.status is DispatchStatus.DISCARDED
    return RunDetails(
        left=[]
        if is_discarded
        else join_alike(await lines.list_left(db, account_id, run.id, limit=MAX_ROWS)),
        history=list(history.items),
        undo_until=undo_until(run),
        undo_problem=await find_undo_problem(db, account_id, [run]),
    )


async def find_undo_problem(db: Connection, account_id: int, members: Sequence[Dispatch]) -> str:
    """Why the marking of a run, or of those of a group, cannot be undone; empty if it can."""
    try:
        for run in members:
            if run.status is DispatchStatus.MARKED:
                await service.require_undoable(db, account_id, run)
    except Invalid as reason:
        return str(reason)
    return ""


def undo_until(run: Dispatch) -> datetime | None:
    """Until when the marking can be undone in any case; None if this moment is over."""
    if run.marked_at is None or run.marked_at + UNDO_PERIOD < now():
        return None
    return run.marked_at + UNDO_PERIOD


async def _list_lines(
    db: Connection, account_id: int, run: Dispatch, request: PageRequest
) -> Page[DispatchLine]:
    """A page of the lines, in the order of the files, with alike ones as one row.

    A row that would go on on the next page is left to it, unless it is the only one.
    """
    request = structs.replace(request, limit=PAGE)
    after = int(request.after) if request.after else 0
    found = await lines.list_lines(db, account_id, run.id, after=after, limit=request.fetch)
    if len(found) <= PAGE:
        return Page(items=join_alike(found), has_more=False, cursor=None)
    rows = join_alike(found)[:-1] or join_alike(found[:-1])
    last = found[sum(row.quantity for row in rows) - 1]
    return Page(items=rows, has_more=True, cursor=encode_cursor(request.binding, str(last.id)))
