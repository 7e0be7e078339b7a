"""Settings: how many replacements a subscriber gets without a warning."""

from starlette.responses import Response
from wtforms import IntegerField
from wtforms.validators import InputRequired

from masthead.model.translations import gettext as _
from masthead.services.claims import records as service
from masthead.store.claims.records import get_policy
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm


class ReplacementsForm(BaseForm):
    """At most so many replacements in so many issues."""

    max_replacements = IntegerField(
        "Replacements", [InputRequired("Type a number of replacements.")]
    )
    max_replacements_issues = IntegerField("Issues", [InputRequired("Type a number of issues.")])


async def edit_replacements(context: PageContext) -> Response:
    """Change the limit on replacements."""
    policy = await get_policy(context.db, context.account_id)
    initial = {
        "max_replacements": policy.replacements,
        "max_replacements_issues": policy.issues,
    }

    async def save(form: ReplacementsForm, db: Database) -> Response:
        replacements, issues = form.max_replacements.data, form.max_replacements_issues.data
        assert replacements is not None
        assert issues is not None
        await service.update_policy(
            db, context.account_id, replacements=replacements, issues=issues, by=context.actor
        )
        return context.redirect(
            context.url("settings", "replacements"), message=_("The limit is saved.")
        )

    return await handle_form(
        context, ReplacementsForm, "settings/replacements.html", save, initial=initial
    )
