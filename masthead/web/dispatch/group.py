"""The page of runs of several issues that go out together."""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from datetime import date, datetime
from functools import partial
from http import HTTPStatus

from msgspec import Struct
from starlette.responses import Response

from masthead.model.dispatch.joined_lines import issues_of, join_group
from masthead.model.dispatch.preview import LineProblem
from masthead.model.dispatch.runs import Dispatch, DispatchLine, DispatchStatus, LineStatus
from masthead.services.dispatch.address_problems import find_line_problems
from masthead.services.dispatch.profiles import list_active
from masthead.store.dispatch import files, groups, runs
from masthead.store.engine.interface import Connection
from masthead.web.dispatch.run import (
    address_of,
    find_undo_problem,
    list_file_choices,
    new_mark_form,
    show_files,
    undo_until,
)
from masthead.web.dispatch.run_forms import FileForm, MarkForm
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import BaseForm

MAX_LABELS = 200  # that the page shows


class GroupView(Struct, frozen=True, kw_only=True):
    """The runs of a group, and what became of their lines.

    lines: by run and status. labels: the lines of a file in which copies are joined.
    """

    members: Sequence[Dispatch]
    lines: Counter[tuple[str, LineStatus]]
    postal: int
    digital: int
    labels: list[DispatchLine]

    def count(self, status: str, run: str = "") -> int:
        """The lines with a status, of a run or of all."""
        return sum(
            count for (id, each), count in self.lines.items() if each == status and run in ("", id)
        )

    @property
    def status(self) -> DispatchStatus:
        """Frozen if one of them is; otherwise marked, or discarded."""
        return groups.status_of({run.status for run in self.members})

    @property
    def date_sent(self) -> date | None:
        """The day on which it was sent; None if it has none, or several."""
        return groups.date_of(self.members)

    @property
    def leader(self) -> Dispatch:
        """The run that has the files."""
        return groups.leader_of(self.members)


async def show_group(context: PageContext) -> Response:
    """The page of the group of a run, or that of a run without one. Raises: NotFound."""
    return await render_group(context)


async def render_group(
    context: PageContext, form: BaseForm | None = None, status: HTTPStatus = HTTPStatus.OK
) -> Response:
    """The page with a form that has errors, or with new forms. Raises: NotFound."""
    account_id = context.account_id
    async with context.db.read(aside=True) as db:
        run = await runs.get_dispatch(db, account_id, context.path["id"])
        if run.group_id is None:
            return context.redirect(context.url("dispatches", run.id))
        view = await _read_view(db, account_id, run.group_id)
        found = await files.list_files(db, account_id, view.leader.id)
        profiles = await list_active(db, account_id)
        problem = await find_undo_problem(db, account_id, view.members)
        problems = await _find_problems(context, db, view)
    layout = view.leader.layout
    return context.render(
        "dispatch/group.html",
        status=status,
        view=view,
        problems=problems,
        **show_files(context, view.leader, found),
        labels=view.labels[:MAX_LABELS],
        undo_until=_undo_until(view),
        undo_problem=problem,
        form=form,
        mark=form if isinstance(form, MarkForm) else new_mark_form(context),
        prepare=form if isinstance(form, FileForm) else FileForm(),
        issues_of=issues_of,
        address_of=lambda line: address_of(line, layout),
        **list_file_choices(context, profiles, home=layout.home),
    )


async def _find_problems(
    context: PageContext, db: Connection, view: GroupView
) -> Sequence[LineProblem]:
    """The problems of the addresses of runs that are not sent yet; each is checked once."""
    if view.status is not DispatchStatus.FROZEN:
        return []

    async def labels() -> AsyncIterator[Sequence[DispatchLine]]:
        yield [line for line in view.labels if line.status is LineStatus.IN_RUN]

    find = partial(find_line_problems, db, context.account_id, view.leader.layout, labels())
    return await context.count_once(
        db, ("problems of a group", view.leader.id, context.locale), find
    )


async def _read_view(db: Connection, account_id: int, group_id: str) -> GroupView:
    members = await groups.list_group(db, account_id, group_id)
    lines = await groups.list_group_lines(db, account_id, group_id)
    there = [line for line in lines if line.status is not LineStatus.LEFT]
    postal = [line for line in lines if line.is_postal]  # as the files, which do not change
    return GroupView(
        members=members,
        lines=Counter((line.dispatch_id, line.status) for line in lines),
        postal=sum(line.is_postal for line in there),
        digital=sum(not line.is_postal for line in there),
        labels=join_group(postal, joins=True),
    )


def _undo_until(view: GroupView) -> datetime | None:
    """Until when the marking can be undone in any case; None if this moment is over."""
    moments = [undo_until(run) for run in view.members if run.status is DispatchStatus.MARKED]
    known = [moment for moment in moments if moment is not None]
    return min(known) if known and len(known) == len(moments) else None
