"""Print the label of one replacement at once, without waiting for a mailing."""

from collections.abc import Sequence

from msgspec import Struct
from starlette.responses import Response
from wtforms import HiddenField

from masthead.model.claims.rules import Claim, ClaimStatus
from masthead.model.dispatch.built_in_profiles import profile_name
from masthead.model.dispatch.profiles import ExportProfile, FileFormat
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.translations import gettext as _
from masthead.services.dispatch import files, run_groups
from masthead.services.dispatch.profiles import list_active
from masthead.store import accounts
from masthead.store.claims import records as claims
from masthead.store.engine.interface import Connection, Database
from masthead.store.subscriptions import records as subscriptions
from masthead.web.dispatch.addresses import address_of_run
from masthead.web.dispatch.run_forms import FileForm, list_file_buttons
from masthead.web.kit.context import PageContext
from masthead.web.kit.cookies import FILE
from masthead.web.kit.form_handling import handle_form


class LabelForm(FileForm):
    """A sheet of labels, and the first free label on it. claim: ids, with blanks between them."""

    claim = HiddenField()


class _Label(Struct, frozen=True, kw_only=True):
    """What the page shows. claims: the open ones that were asked for, by issue."""

    claims: Sequence[Claim]
    owner: StoredSubscription | None
    profiles: Sequence[ExportProfile]
    home: str | None

    @property
    def issues(self) -> list[int]:
        """The numbers of the issues to send."""
        return sorted({claim.issue.number for claim in self.claims})


async def print_label(context: PageContext) -> Response:
    """Ask for the sheet; prepare a mailing of these replacements alone, and its labels."""
    ids = list(dict.fromkeys(str(context.given.get("claim", "")).split()))[: run_groups.MAX_ISSUES]
    async with context.db.read(aside=True) as db:
        found = await _find(db, context.account_id, ids)

    async def save(form: LabelForm, db: Database) -> Response:
        chosen = [claim.id for claim in found.claims]
        run = await run_groups.freeze_replacements(db, context.account_id, chosen, by=context.actor)
        file = await files.request_file(
            db,
            context.account_id,
            run.id,
            FileFormat.PDF,
            form.profile.data or None,
            first_label=form.read_first_label(),
            by=context.actor,
        )
        message = _(
            "The label is below as soon as it is ready. "
            "When the copy has left, mark it as sent here."
        )
        page = f"{address_of_run(context, run)}#file-{file.id}"
        response = context.redirect(page, message=message)
        context.cookies.set_choice(response, FILE, f"{file.format.value}:{file.profile_id}")
        return response

    buttons = list_file_buttons(
        found.profiles,
        home=found.home,
        remembered=context.cookies.read_choice(context.request, FILE),
    )
    usual = next(each.value for each in buttons if each.format is FileFormat.PDF)
    return await handle_form(
        context,
        LabelForm,
        "dispatch/replacement.html",
        save,
        initial={
            "claim": " ".join(claim.id for claim in found.claims),
            "profile": usual.partition(":")[2],
            "format": FileFormat.PDF.value,
        },
        is_long=True,
        found=found,
        profile_choices=[
            (each.id, profile_name(each.name))
            for each in sorted(found.profiles, key=lambda each: each.is_built_in)
            if FileFormat.PDF in each.settings.formats
        ],
    )


async def _find(db: Connection, account_id: int, ids: Sequence[str]) -> _Label:
    account = await accounts.get_account(db, account_id)
    found = await claims.list_by_ids(db, account_id, ids) if ids else []
    waiting = [claim for claim in found if claim.status is ClaimStatus.OPEN]
    owners = [claim.subscription_id for claim in waiting[:1]]
    rows = await subscriptions.find_rows(db, account_id, owners) if owners else {}
    return _Label(
        claims=waiting,
        owner=rows.get(owners[0]) if owners else None,
        profiles=await list_active(db, account_id),
        home=account.country,
    )
