"""Settings: export profiles, how the files of dispatch runs look."""

from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus

from msgspec import Struct, structs
from starlette.responses import Response

from masthead.model.dispatch.labels import PAPER_SIZES, Sheet
from masthead.model.dispatch.profiles import (
    ExportProfile,
    FileFormat,
    ProfileSettings,
    needs_columns,
    sheet_of,
)
from masthead.model.errors import Invalid, NotFound
from masthead.model.translations import counted, gettext as _, gettext_noop
from masthead.services.dispatch import profiles as service
from masthead.services.dispatch.samples import sample_addresses, sample_columns
from masthead.store.accounts import get_account
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import save_or_show
from masthead.web.settings.activation import activation
from masthead.web.settings.export_profile_form import (
    ColumnRow,
    ProfileForm,
    form_values,
    read_rows,
    read_settings,
    rows_of_settings,
)

DEFAULT_START = "mailing-house"
SAVE = "save"  # the value of the button that saves; the others show the form again
SaveProfile = Callable[[str, ProfileSettings, Database], Awaitable[ExportProfile]]


class Sample(Struct, frozen=True):
    """What files of a profile look like. problem: why the settings cannot be used.

    columns: names and texts, without a table empty. sheet: of labels, None without PDF files.
    """

    problem: str = ""
    columns: Sequence[tuple[str, list[str]]] = ()
    addresses: Sequence[list[str]] = ()
    sheet: Sheet | None = None
    start_label: int = 1

    @property
    def paper(self) -> tuple[float, float]:
        """Width and height of the paper in millimetres."""
        assert self.sheet is not None
        return PAPER_SIZES[self.sheet.paper]


async def list_profiles(context: PageContext) -> Response:
    """List the built-in profiles and the account's own ones."""
    profiles = await service.list_profiles(context.db, context.account_id)
    return context.render("settings/export_profiles.html", profiles=profiles, describe=describe)


async def create_profile(context: PageContext) -> Response:
    """Create a profile, as a copy of another one. Raises: NotFound."""
    start = context.query.get("from", "") or DEFAULT_START
    copied = await service.get_profile(context.db, context.account_id, start)
    copied = structs.replace(copied, name="")

    async def save(name: str, settings: ProfileSettings, db: Database) -> ExportProfile:
        return await service.create_profile(
            db, context.account_id, name=name, settings=settings, by=context.actor
        )

    profiles = await service.list_profiles(context.db, context.account_id)
    return await _edit(context, copied, save, start=start, profiles=profiles)


async def edit_profile(context: PageContext) -> Response:
    """Change one of the account's own profiles. Raises: NotFound."""
    profile = await service.get_profile(context.db, context.account_id, context.path["id"])
    if profile.is_built_in:
        raise NotFound("export profile", profile.id)

    async def save(name: str, settings: ProfileSettings, db: Database) -> ExportProfile:
        return await service.update_profile(
            db, context.account_id, profile.id, name=name, settings=settings, by=context.actor
        )

    return await _edit(context, profile, save, start="", profiles=[])


async def _edit(
    context: PageContext,
    profile: ExportProfile,
    save: SaveProfile,
    *,
    start: str,
    profiles: Sequence[ExportProfile],
) -> Response:
    """Show the form of a profile with a sample, and save it.

    A button that moves a column, and htmx after a change, send the form too: nothing is saved.
    """
    form = ProfileForm(context.form_data, form_values(profile))
    rows = read_rows(context.fields) if context.is_post else rows_of_settings(profile.settings)
    home = (await get_account(context.db, context.account_id)).country

    async def show(status: HTTPStatus) -> Response:
        return context.render(
            "settings/export_profile.html",
            status=status,
            form=form,
            rows=rows,
            sample=_make_sample(context, form, rows, home),
            profile=profile,
            start=start,
            profiles=profiles,
        )

    async def save_profile(form: ProfileForm, db: Database) -> Response:
        saved = await save(form.name.data or "", read_settings(form, rows), db)
        return context.redirect(
            context.url("settings", "export-profiles"),
            message=_("{name} is saved.").format(name=saved.name),
        )

    if context.is_post and context.fields.get("do") != SAVE:
        return await show(HTTPStatus.OK)
    return await save_or_show(context, form, save_profile, show)


def _make_sample(
    context: PageContext, form: ProfileForm, rows: Sequence[ColumnRow], home: str | None
) -> Sample:
    try:
        settings = read_settings(form, rows)
    except (Invalid, ValueError) as reason:
        shown = ProfileForm()
        shown.add_error(
            reason if isinstance(reason, Invalid) else Invalid(_("Correct the fields."))
        )
        errors = [*shown.form_errors, *(text for each in shown.errors.values() for text in each)]
        return Sample(" ".join(str(text) for text in errors))
    is_label = FileFormat.PDF in (*settings.formats, settings.contents)
    return Sample(
        columns=sample_columns(context.account_id, settings, home)
        if needs_columns(settings)
        else (),
        addresses=sample_addresses(home),
        sheet=sheet_of(settings) if is_label else None,
        start_label=settings.start_label,
    )


activate_profile, deactivate_profile = activation(
    "export-profiles",
    service.set_profile_active,
    gettext_noop("{name} is inactive. Existing files do not change."),
)


def describe(settings: ProfileSettings) -> str:
    """A profile in a few words."""
    parts = []
    if needs_columns(settings):
        count = len(settings.columns)
        parts.append(counted("{count} column", "{count} columns", count))
    if settings.block and needs_columns(settings):
        text = _("address in {lines} × {width} characters")
        parts.append(text.format(lines=settings.block.lines, width=settings.block.width))
    if FileFormat.CSV in settings.formats:
        parts.append(settings.encoding.words.partition(" (")[0])
    if FileFormat.PDF in settings.formats:
        sheet = sheet_of(settings)
        text = _("{columns} × {rows} labels on {paper}")
        parts.append(text.format(columns=sheet.columns, rows=sheet.rows, paper=sheet.paper.value))
    return ", ".join(parts)
