"""The pages that merge two readers: choose the other one, compare both, choose which one stays."""

from decimal import Decimal
from http import HTTPStatus

from starlette.responses import Response
from wtforms import RadioField
from wtforms.validators import InputRequired

from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.orders.period_coverage import spreads
from masthead.model.pagination import PageRequest
from masthead.model.queries import SubscriberQuery
from masthead.model.readers.corrections import MERGED_MEANWHILE
from masthead.model.readers.merges import UNDO_SPAN
from masthead.model.search import search_terms
from masthead.model.translations import gettext as _
from masthead.services.readers import merge as service
from masthead.services.readers.compare import ComparedReader, Comparison, compare_readers
from masthead.store import subscribers
from masthead.store.engine.interface import Database
from masthead.store.readers.records import get_reader
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_filters, real_email
from masthead.web.kit.formatting import day_in, get_locale
from masthead.web.kit.forms import BaseForm, choices_of

FOUND = 25  # readers that a search shows


class MergeForm(BaseForm):
    """Which of the two readers stays."""

    stays = RadioField(
        "Which subscriber stays?",
        [InputRequired("Choose which subscriber stays.")],
        validate_choice=False,
    )


async def choose_reader(context: PageContext) -> Response:
    """Search for the reader to merge with; at first, for the name of this one. Raises: NotFound."""
    async with context.db.read(aside=True) as db:
        reader = await get_reader(db, context.account_id, context.path["id"])
        if reader["merged_into"] is not None:
            return _to_kept(context, str(reader["merged_into"]))
        one = await subscribers.get_subscriber(db, context.account_id, reader["id"])
        filters, problem, found = read_filters(context, SubscriberQuery), "", []
        search = filters.values["search"] or one.last_name or one.full_name
        try:
            decode_filters(context, SubscriberQuery)
        except Invalid as reason:
            problem = str(reason)
        if not problem and (terms := search_terms(search)):
            page = await subscribers.search_subscribers(
                db, context.account_id, terms, PageRequest(FOUND + 1, None, b"")
            )
            found = [each for each in page.items if each.id != one.id][:FOUND]
    return context.render(
        "readers/merge_choose.html",
        status=HTTPStatus.BAD_REQUEST if problem else HTTPStatus.OK,
        reader=one,
        search=search,
        found=found,
        problem=problem,
        real_email=lambda email: real_email(email, context.web.placeholder_domain),
    )


async def merge_readers(context: PageContext) -> Response:
    """Compare two readers, and merge one into the other. Raises: NotFound, Invalid."""
    ids = context.path["id"], context.path["other"]
    try:
        async with context.db.read(aside=True) as db:
            comparison = await compare_readers(db, context.account_id, *ids)
    except Invalid as reason:
        if reason.code == MERGED_MEANWHILE:
            return _to_kept(context, str(reason.value), str(reason))
        raise
    both = {each.row["id"]: each for each in (comparison.one, comparison.other)}

    def make(formdata: object, data: object) -> MergeForm:
        form = MergeForm(formdata, data)  # type: ignore[arg-type]
        form.stays.choices = choices_of((id, _label(each)) for id, each in both.items())
        return form

    async def save(form: MergeForm, db: Database) -> Response:
        kept = both.get(form.stays.data or "")
        if kept is None:
            raise Invalid(_("Choose which subscriber stays."), field="stays")
        [merged] = [each for each in both.values() if each is not kept]
        kept_id, merged_id = str(kept.row["id"]), str(merged.row["id"])
        try:
            await service.merge_readers(
                db, context.account_id, kept_id=kept_id, merged_id=merged_id, by=context.actor
            )
        except Invalid as reason:
            if reason.code == MERGED_MEANWHILE:
                return _to_kept(context, str(reason.value), str(reason))
            raise
        until = day_in((now() + UNDO_SPAN).date(), get_locale(context.locale))
        message = _("{merged} is merged into {kept}. You can undo this until {day}.").format(
            merged=merged.name, kept=kept.name, day=until
        )
        return context.redirect(context.url("subscribers", kept_id), message=message)

    return await context.handle_form(
        make,
        "readers/merge.html",
        save,
        initial={"stays": _usual(comparison)},
        comparison=comparison,
        both=list(both.values()),
        together=str(sum(Decimal(each.totals.ltv) for each in both.values())),
        spreads=spreads,
    )


def _label(reader: ComparedReader) -> str:
    """The name of a reader with what tells two of the same name apart."""
    apart = reader.row["id"] if reader.row["is_placeholder"] else reader.row["email"]
    return f"{reader.name} ({apart})"


def _usual(comparison: Comparison) -> str:
    """The id of the reader who usually stays: the one with an email address, else the first."""
    one, other = comparison.one.row, comparison.other.row
    stays = other if one["is_placeholder"] and not other["is_placeholder"] else one
    return str(stays["id"])


def _to_kept(context: PageContext, id: str, message: str = "") -> Response:
    """Redirect to the reader that another one was merged into."""
    return context.redirect(context.url("subscribers", id), message=message)
