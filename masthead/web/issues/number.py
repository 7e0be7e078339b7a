"""The pages that delete an issue, or give it another number, after a preview."""

from http import HTTPStatus

from starlette.responses import Response
from wtforms import HiddenField, StringField
from wtforms.widgets import NumberInput

from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.fields import MAX_NUMBER
from masthead.model.types.issue_names import shown_name
from masthead.model.types.text import is_digits
from masthead.services.issues import numbers as service
from masthead.services.issues.numbers import NumberPreview
from masthead.store.engine.interface import Database
from masthead.store.issues import records as issues
from masthead.store.subscriptions.records import list_starting
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import process_form, save_form, save_or_show
from masthead.web.kit.forms import BaseForm

MAX_NAMED = 20  # subscriptions that start with the issue


class IssueDeleteForm(BaseForm):
    """digest: of the preview that the user saw."""

    digest = HiddenField()


class IssueNumberForm(IssueDeleteForm):
    """The new number of an issue."""

    number = StringField("New number", widget=NumberInput(min=1, max=MAX_NUMBER))

    def read_number(self) -> int:
        """The typed number. Raises: Invalid."""
        text = (self.number.data or "").strip()
        if not is_digits(text, at_most=10) or not 0 < int(text) <= MAX_NUMBER:
            raise Invalid(_("Type a number such as 12."), field="number", value=text)
        return int(text)


async def delete_issue(context: PageContext) -> Response:
    """Show what deleting the issue does; delete it. Raises: NotFound."""
    id, form = context.path["id"], IssueDeleteForm(context.form_data)

    async def show(status: HTTPStatus) -> Response:
        preview = await _preview(context, id, None)
        form.digest.data = preview.digest
        return await _render(context, "issues/delete.html", status, form, preview)

    async def save(form: IssueDeleteForm, db: Database) -> Response:
        issue = await service.delete_issue(
            db, context.account_id, id, seen=form.digest.data or "", by=context.actor
        )
        message = _("“{name}” is deleted.").format(name=shown_name(issue.name, issue.number))
        return context.redirect(context.url("issues"), message=message)

    return await save_or_show(context, form, save, show, is_long=True)


async def renumber_issue(context: PageContext) -> Response:
    """Show what another number does; save it. Raises: NotFound.

    The address names the number of the preview, so that the browser can go back to it.
    """
    id = context.path["id"]
    issue = await issues.get_issue(context.db, context.account_id, id)
    asked = context.query.get("number", "")
    form = IssueNumberForm(context.form_data, {"number": asked or str(issue.number)})
    found: list[NumberPreview] = []

    async def show(status: HTTPStatus) -> Response:
        preview = found[0] if found else None
        known = preview or await _preview(context, id, None)
        return await _render(
            context, "issues/number.html", status, form, known, has_effects=bool(preview)
        )

    async def preview_number(number: int) -> None:
        found.append(await _preview(context, id, number))
        form.digest.data = found[0].digest

    async def save(form: IssueNumberForm, db: Database) -> Response:
        renumbered = await service.renumber_issue(
            db,
            context.account_id,
            id,
            form.read_number(),
            seen=form.digest.data or "",
            by=context.actor,
        )
        message = _("The issue has the number {number}.").format(number=renumbered.number)
        return context.redirect(context.url("issues", id), message=message)

    async def preview_or_save() -> Response:
        number = form.read_number()
        if context.fields.get("action") != "save":
            await preview_number(number)
            if taken := found[0].taken:
                raise (
                    service.taken_error(taken)
                    if taken.id != id
                    else Invalid(_("The issue has this number already."), field="number")
                )
            return context.redirect(context.url("issues", id, "number", number=number))
        try:
            return await save_form(context, form, save, is_long=True)
        except Invalid as reason:
            if reason.code == CHANGED_MEANWHILE:
                await preview_number(number)
            raise

    if asked and not context.is_post:
        try:
            await preview_number(form.read_number())
        except Invalid as reason:
            form.add_error(reason)
    return await process_form(context, form, preview_or_save, show)


async def _preview(context: PageContext, id: str, number: int | None) -> NumberPreview:
    async with context.db.read(aside=True) as db:
        return await service.preview_number(db, context.account_id, id, number)


async def _render(
    context: PageContext,
    template: str,
    status: HTTPStatus,
    form: BaseForm,
    preview: NumberPreview,
    *,
    has_effects: bool = True,
) -> Response:
    """The page with its preview, or with what keeps the issue as it is."""
    starting = []
    if service.is_only_started(preview.obstacles):
        async with context.db.read(aside=True) as db:
            starting = await list_starting(
                db, context.account_id, preview.issue.number, limit=MAX_NAMED
            )
    return context.render(
        template,
        status=status,
        form=form,
        issue=preview.issue,
        preview=preview,
        has_effects=has_effects and not preview.taken,
        reason=service.explain_obstacles(preview.obstacles) if preview.obstacles else "",
        starting=starting,
        taken=preview.taken if preview.taken and preview.taken.id != preview.issue.id else None,
    )
