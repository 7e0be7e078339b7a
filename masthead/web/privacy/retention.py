"""Settings: how long personal data is kept."""

from collections.abc import Sequence
from typing import Any

from msgspec import structs
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
from masthead.model.types.text import is_digits
from masthead.services.privacy import retention as service
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.idempotency import NotSaved

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
    """Change how long data is kept, or show what the rules would delete now.

    The address names the rules of the preview, so that the browser can go back to it.
    """
    async with context.db.read() as connection:
        saved = await service.list_rules(connection, context.account_id)
    initial = _fields_of(saved)
    variables: dict[str, Any] = {
        "kinds": [rule.kind for rule in saved],
        "describe_rule": describe_rule,
    }
    previews: dict[RetentionKind, DuePreview] = {}
    if context.query.get("preview"):
        asked = [_asked_rule(context, rule) for rule in saved]
        initial = _fields_of(asked)
        previews = await _previews(context, asked)

    async def save(form: RetentionForm, db: Database) -> Response:
        if context.fields.get("do") == "preview":
            shown = {name: int(value) for name, value in _fields_of(form.rules()).items()}
            address = context.url("settings", "privacy", preview=1, **shown)
            raise NotSaved(context.redirect(address))
        await service.save_rules(db, context.account_id, form.rules(), by=context.actor)
        return context.redirect(
            context.url("settings", "privacy"), message=_("The rules are saved.")
        )

    return await handle_form(
        context, RetentionForm, TEMPLATE, save, initial=initial, previews=previews, **variables
    )


def _fields_of(rules: Sequence[RetentionRule]) -> dict[str, Any]:
    """The fields of some rules, by name."""
    found: dict[str, Any] = {}
    for rule in rules:
        found |= {_months(rule.kind): rule.months, _is_on(rule.kind): rule.is_automatic}
    return found


def _asked_rule(context: PageContext, saved: RetentionRule) -> RetentionRule:
    """The rule of a kind as the address names it, or as it is saved."""
    months = context.query.get(_months(saved.kind), "")
    if not is_digits(months, at_most=3) or not 1 <= int(months) <= MOST_MONTHS:
        return saved
    is_automatic = context.query.get(_is_on(saved.kind)) == "1"
    return structs.replace(saved, months=int(months), is_automatic=is_automatic)


async def _previews(
    context: PageContext, rules: list[RetentionRule]
) -> dict[RetentionKind, DuePreview]:
    """What the rules would delete now, even if they are not saved or are off."""
    day = context.membership.daily_date
    async with context.db.read(is_long=True) as db:
        return {
            rule.kind: await service.preview_rule(db, context.account_id, rule, day=day)
            for rule in rules
        }
