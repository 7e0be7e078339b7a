"""Settings: how long personal data is kept."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from starlette.responses import Response
from wtforms import BooleanField, IntegerField
from wtforms.validators import InputRequired

from masthead.model.errors import Invalid
from masthead.model.privacy.retention import (
    MOST_MONTHS,
    DuePreview,
    RetentionKind,
    RetentionRule,
    describe_rule,
)
from masthead.model.translations import gettext as _
from masthead.services.privacy import retention as service
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm

TEMPLATE = "privacy/retention.html"


class RetentionForm(BaseForm):
    """The months of each kind, and whether it is deleted by rule."""

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of months that are not allowed."""
        text = _("Type a number of months from 1 to {most}.").format(most=MOST_MONTHS)
        return [
            Invalid(text, field=_months(kind))
            for kind in RetentionKind
            if not 1 <= (self._fields[_months(kind)].data or 0) <= MOST_MONTHS
        ]

    def rules(self) -> list[RetentionRule]:
        """The rules that were typed."""
        return [
            RetentionRule(
                kind=kind,
                months=self._fields[_months(kind)].data,
                is_automatic=self._fields[_is_on(kind)].data,
            )
            for kind in RetentionKind
        ]


def _months(kind: RetentionKind) -> str:
    """The name of the field for the months of a kind."""
    return f"months_{kind.value}"


def _is_on(kind: RetentionKind) -> str:
    """The name of the field that switches the rule of a kind on."""
    return f"is_on_{kind.value}"


for _kind in RetentionKind:
    _required = InputRequired("Type a number of months.")
    setattr(RetentionForm, _months(_kind), IntegerField("Delete after (months)", [_required]))
    setattr(RetentionForm, _is_on(_kind), BooleanField("Delete it every night"))


async def edit_retention(context: PageContext) -> Response:
    """Change how long data is kept, or show what the rules would delete now."""
    async with context.db.read() as connection:
        saved = await service.list_rules(connection, context.account_id)
    initial: dict[str, Any] = {}
    for rule in saved:
        initial |= {_months(rule.kind): rule.months, _is_on(rule.kind): rule.is_automatic}
    variables: dict[str, Any] = {
        "kinds": [rule.kind for rule in saved],
        "describe_rule": describe_rule,
    }
    if context.is_post and context.fields.get("do") == "preview":
        form = RetentionForm(context.form_data, initial)
        is_valid = form.validate()
        return context.render(
            TEMPLATE,
            status=HTTPStatus.OK if is_valid else HTTPStatus.BAD_REQUEST,
            form=form,
            previews=await _previews(context, form.rules()) if is_valid else {},
            **variables,
        )

    async def save(form: RetentionForm, db: Database) -> Response:
        await service.save_rules(db, context.account_id, form.rules(), by=context.actor)
        return context.redirect(
            context.url("settings", "privacy"), message=_("The rules are saved.")
        )

    return await handle_form(
        context, RetentionForm, TEMPLATE, save, initial=initial, previews={}, **variables
    )


async def _previews(
    context: PageContext, rules: list[RetentionRule]
) -> dict[RetentionKind, DuePreview]:
    """What the rules would delete now, also if they are not saved or are off."""
    day = context.membership.daily_date
    async with context.db.read(is_long=True) as db:
        return {
            rule.kind: await service.preview_rule(db, context.account_id, rule, day=day)
            for rule in rules
        }
