"""The page that edits an issue."""

from starlette.responses import Response
from wtforms import HiddenField

from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.inputs import IssueUpdate
from masthead.model.resources import Issue
from masthead.model.translations import gettext as _
from masthead.model.validation import decode_input
from masthead.services.issues import records as service
from masthead.store.engine.interface import Database
from masthead.store.issues import records as issues
from masthead.web.issues.form import FIELDS, IssueForm
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import dump_original_values, load_original_values


class IssueEditForm(IssueForm):
    """The fields of an existing issue. was: their values when the page was shown."""

    was = HiddenField()

    def original_values(self) -> dict[str, str | None]:
        """The values when the page was shown. Raises: Invalid if they were altered."""
        return load_original_values(self.was.data, FIELDS)


async def edit_issue(context: PageContext) -> Response:
    """Show the form; save the fields that the user changed. Raises: NotFound."""
    issue = await issues.get_issue(context.db, context.account_id, context.path["id"])

    async def save(form: IssueEditForm, db: Database) -> Response:
        original = form.original_values()
        changed = {
            name: value
            for name, value in form.trimmed_values().items()
            if value != (original[name] or "").strip()
        }
        emptied = {name: value or None for name, value in changed.items() if name != "name"}
        body = decode_input(IssueUpdate, {**changed, **emptied})
        seen = {name: original[name] or "" for name in changed}
        try:
            await service.update_issue(
                db, context.account_id, issue.id, body, seen=seen, by=context.actor
            )
        except Invalid as reason:
            if reason.code == CHANGED_MEANWHILE:
                now = await issues.get_issue(db, context.account_id, issue.id)
                form.was.data = dump_original_values(_form_values(now))
            raise
        message = _("The changes are saved.") if changed else _("Nothing was changed.")
        return context.redirect(context.url("issues", issue.id), message=message)

    values = _form_values(issue)
    return await handle_form(
        context,
        IssueEditForm,
        "issues/edit.html",
        save,
        is_long=True,
        initial={**values, "was": dump_original_values(values)},
        issue=issue,
    )


def _form_values(issue: Issue) -> dict[str, str]:
    """The values of an issue as the form shows them."""
    return {name: str(getattr(issue, name) or "") for name in FIELDS}
