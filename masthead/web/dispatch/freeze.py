"""The page that previews a dispatch run of an issue, and freezes it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from http import HTTPStatus
from urllib.parse import urlencode

from msgspec import Struct
from starlette.responses import Response
from wtforms import HiddenField

from masthead.model.dispatch.postal.rules import country_group
from masthead.model.dispatch.runs import CountryGroup, DispatchSelection, DispatchStatus
from masthead.model.translations import counted, gettext as _
from masthead.model.types.countries import COUNTRIES
from masthead.model.types.enums import Medium
from masthead.model.types.source_names import shown_source
from masthead.services.dispatch import runs as service
from masthead.services.dispatch.preview import CandidateCounts, count_copies, preview_dispatch
from masthead.services.dispatch.profiles import list_active
from masthead.store import accounts
from masthead.store.dispatch import runs
from masthead.store.dispatch.candidates import CandidateCount
from masthead.store.engine.interface import Connection, Database
from masthead.store.issues import records as issues
from masthead.store.sources import list_all_sources
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import save_or_show
from masthead.web.kit.formatting import country_in, get_locale
from masthead.web.kit.forms import BaseForm

MAX_CHECKED = 5_000  # addresses that are checked before the page is shown, about 0.05 s


class FreezeForm(BaseForm):
    """expected: how many lines the preview showed. profile: whose limits were checked."""

    expected = HiddenField()
    profile = HiddenField()


class Choices(Struct, frozen=True):
    """What a run can be limited to: values, labels and counts of free copies, most first."""

    country: list[tuple[str, str, int]]
    medium: list[tuple[str, str, int]]
    source: list[tuple[str, str, int]]


async def freeze_run(context: PageContext) -> Response:
    """Preview what a run would take; freeze it. Raises: NotFound."""
    selection = read_selection(context)
    form = FreezeForm(context.form_data)

    async def save(form: FreezeForm, db: Database) -> Response:
        run = await service.freeze_dispatch(
            db, context.account_id, context.path["id"], selection, by=context.actor
        )
        count = run.lines
        message = counted(
            "{count} copy is in mailing {number}.",
            "{count} copies are in mailing {number}.",
            count,
            number=run.number,
        )
        expected = form.expected.data or ""
        if expected != str(count):
            text = _("The preview showed {count}: something changed in the meantime.")
            message = f"{message} {text.format(count=expected[:10])}"
        chosen = {"profile": form.profile.data} if form.profile.data else {}
        return context.redirect(context.url("dispatches", run.id, **chosen), message=message)

    return await save_or_show(
        context, form, save, lambda status: _render(context, form, selection, status), is_long=True
    )


def read_selection(context: PageContext) -> DispatchSelection:
    """The chosen countries, media and sources; unknown ones are ignored."""
    given = context.given
    countries, media, sources = (
        {str(value) for value in given.getlist(name)} for name in ("country", "medium", "source")
    )
    return DispatchSelection(
        countries=tuple(sorted(countries & COUNTRIES.keys())),
        media=tuple(medium for medium in Medium if medium.value in media),
        sources=tuple(sorted(sources - {""})),
        only_replacements=bool(given.get("only_replacements")),
    )


async def _render(
    context: PageContext, form: FreezeForm, selection: DispatchSelection, status: HTTPStatus
) -> Response:
    """The page with its preview. Many addresses are checked only when htmx or a link asks."""
    account_id, id = context.account_id, context.path["id"]

    async def count(db: Connection, account_id: int, number: int) -> CandidateCounts:
        counting = partial(count_copies, db, account_id, number)
        return await context.count_once(db, ("copies of a run", number), counting)

    async with context.db.read(aside=True) as db:
        issue = await issues.get_issue(db, account_id, id)
        known = await runs.list_of_issues(db, account_id, [issue.number])
        account = await accounts.get_account(db, account_id)
        counts = await count(db, account_id, issue.number)
        listed = await list_all_sources(db, account_id)
        profiles = await list_active(db, account_id)
    source_names = {each.id: shown_source(each.name) for each in listed}
    choices = _list_choices(counts.free, source_names, context.locale)
    chosen = context.query.get("profile", "")
    settings = next((each.settings for each in profiles if each.id == chosen), None)
    free = sum(count for *_rest, count in choices.country)
    is_checked = free <= MAX_CHECKED or bool(context.query.get("check"))
    preview = await context.count_once(
        context.db,
        ("dispatch", id, selection, chosen if settings else "", is_checked, context.locale),
        partial(
            preview_dispatch,
            context.db,
            account_id,
            id,
            selection,
            settings=settings,
            checks_addresses=is_checked,
            count=count,
        ),
    )
    form.expected.data = str(preview.lines)
    valid = [run for run in known if run.status is not DispatchStatus.DISCARDED]
    limited = [run for run in valid if _choice_of(run.selection)]
    before = max(limited, key=lambda run: run.number, default=None)
    form.profile.data = chosen if settings else ""
    return context.render(
        "dispatch/freeze.html",
        status=status,
        form=form,
        issue=issue,
        preview=preview,
        selection=selection,
        choices=choices,
        groups=_group_choices(choices, account.country),
        has_country=account.country is not None,
        before=before if before and before.selection != selection else None,
        source_names=source_names,
        chosen_before=_choice_of(before.selection) if before else {},
        frozen=[run for run in known if run.status is DispatchStatus.FROZEN],
        profiles=sorted(profiles, key=lambda profile: profile.is_built_in),
        chosen=chosen if settings else "",
        is_checked=is_checked,
        check_url=_check_url(context),
        query_of=lambda values: f"?{urlencode(values, doseq=True)}" if values else "",
    )


def _choice_of(selection: DispatchSelection) -> dict[str, Sequence[str]]:
    """What copies a run is limited to, in a query string; see `read_selection`."""
    media = [medium.value for medium in selection.media]
    chosen = {"country": selection.countries, "medium": media, "source": selection.sources}
    return {name: values for name, values in chosen.items() if values}


def _group_choices(choices: Choices, home: str | None) -> list[tuple[CountryGroup, list[str], int]]:
    """The groups of countries that free copies go to, with their countries and copies.

    home: the publisher's country; by default, the one that most copies go to.
    """
    home = home or next((code for code, _name, _count in choices.country), None)
    found: dict[CountryGroup, list[tuple[str, int]]] = {group: [] for group in CountryGroup}
    for code, _name, count in choices.country:
        found[country_group(code, home)].append((code, count))
    return [
        (group, sorted(code for code, _count in countries), sum(count for _, count in countries))
        for group, countries in found.items()
        if countries
    ]


def _check_url(context: PageContext) -> str:
    """The address of this page that checks the addresses, however many they are."""
    query = [pair for pair in context.query.multi_items() if pair[0] != "check"]
    return f"{context.request.url.path}?{urlencode([*query, ('check', '1')])}"


def _list_choices(
    free: Sequence[CandidateCount], source_names: Mapping[str, str], locale: str
) -> Choices:
    """The countries, media and sources of the free copies."""
    countries, media, sources = Counter[str](), Counter[str](), Counter[str]()
    for each in free:
        countries[each.country] += each.count
        media[each.medium] += each.count
        sources[each.source_id] += each.count
    own = get_locale(locale)
    return Choices(
        [(code, country_in(code, own), count) for code, count in countries.most_common()],
        [(medium, _(medium), count) for medium, count in media.most_common()],
        [(source, source_names[source], count) for source, count in sources.most_common()],
    )
