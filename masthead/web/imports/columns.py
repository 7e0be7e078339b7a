"""The page of the columns: which column is what, and the questions that a file leaves open."""

from collections.abc import Sequence
from http import HTTPStatus

from msgspec import structs
from starlette.responses import Response

from masthead.model.errors import Invalid, NotFound
from masthead.model.imports.batches import CHANGEABLE, ImportBatch
from masthead.model.imports.encodings import ENCODINGS, encoding_named
from masthead.model.imports.mapping import LEAVE_OUT, answer_mapping
from masthead.model.imports.plan import (
    AccountFacts,
    Choice,
    ImportPlan,
    Question,
    Survey,
    ask_start_issue,
)
from masthead.model.imports.presets.registry import get_preset, list_presets
from masthead.model.imports.rows.status import count_unpaid
from masthead.model.imports.tabular_data import FileLayout, Table
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Medium
from masthead.services.imports import batches as service
from masthead.services.imports.facts import load_facts
from masthead.services.imports.mappings import save_mapping
from masthead.services.imports.work.open_uploads import OpenUpload
from masthead.store import products as product_store
from masthead.store.imports import batches as store, mappings
from masthead.web.imports.columns_form import field_groups, read_plan, require_statuses
from masthead.web.imports.field_rows import constants_of
from masthead.web.imports.files import (
    UploadFindings,
    find_examples,
    find_samples,
    list_unused,
    open_upload,
    require_columns,
)
from masthead.web.imports.items_form import item_rows
from masthead.web.imports.other_settings import describe_settings
from masthead.web.imports.proposals import decode_saved, encode_saved, name_plan, plan_of
from masthead.web.imports.shown_rows import find_obstacles, prepare_shown
from masthead.web.kit.choices import list_countries
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import BaseForm

SAVED = "saved:"
Countries = Sequence[tuple[str, str]]  # codes and names


async def edit_columns(context: PageContext) -> Response:
    """Show what each column is used for, and change it. Raises: NotFound."""
    batch = await store.get_batch(context.db, context.account_id, context.path["id"])
    if batch.status not in CHANGEABLE or batch.number is not None:
        return context.redirect(context.url("imports", batch.id))
    form = BaseForm(context.form_data)
    plan = batch.plan
    try:
        upload = await open_upload(context, batch)
        table = upload.table
        if context.is_post:
            try:
                plan = read_plan(context.fields, plan, table.columns)
                if "check" not in context.fields:
                    require_statuses(context.fields)
                return await _save(context, batch, table, plan)
            except Invalid as reason:
                form.add_error(reason)
        async with context.db.read() as db:
            account = await load_facts(db, context.account_id, context.defaults)
        facts = await _find(upload, plan, account)
        return await _render(context, batch, table, plan, facts, form)
    except Invalid as reason:
        form.add_error(reason)
        return context.render(
            "imports/unreadable.html", status=HTTPStatus.BAD_REQUEST, batch=batch, form=form
        )


async def choose_preset(context: PageContext) -> Response:
    """Use the columns of a preset or of a saved mapping, or another sheet. Raises: NotFound."""
    batch = await store.get_batch(context.db, context.account_id, context.path["id"])
    chosen = str(context.fields.get("preset", ""))
    sheet = str(context.fields.get("sheet", "")) or batch.layout.sheet
    named = str(context.fields.get("encoding", ""))
    encoding = encoding_named(named) if named else batch.layout.encoding
    layout = structs.replace(batch.layout, sheet=sheet, encoding=encoding)
    table = (await open_upload(context, batch, layout)).table
    if chosen.startswith(SAVED):
        name = chosen.removeprefix(SAVED)
        saved = await mappings.find_mapping(context.db, context.account_id, name)
        if saved is None:
            raise NotFound("mapping", name)
        plan = decode_saved(saved.mapping, table.columns)
    elif chosen:
        plan = plan_of(chosen, table.columns)
    else:
        plan = name_plan(table.columns)
    await _choose_plan(context, batch, table, plan, sheet)
    return context.redirect(context.url("imports", batch.id, "columns"))


async def _choose_plan(
    context: PageContext, batch: ImportBatch, table: Table, plan: ImportPlan, sheet: str | None
) -> None:
    await service.choose_plan(
        context.db,
        context.account_id,
        batch.id,
        source_id=batch.source_id,
        plan=plan,
        layout=FileLayout.of(table, sheet, table.row_count),
    )


async def _save(
    context: PageContext, batch: ImportBatch, table: Table, plan: ImportPlan
) -> Response:
    """Store the plan, and go on to the preview or the rehearsal, or show the columns again.

    Raises: Invalid.
    """
    await _choose_plan(context, batch, table, plan, batch.layout.sheet)
    name = str(context.fields.get("save_as", "")).strip()
    message = ""
    if name:
        await save_mapping(context.db, context.account_id, name, encode_saved(plan))
        message = _("The columns are saved as “{name}”.").format(name=name)
    if "check" in context.fields:
        return context.redirect(context.url("imports", batch.id, "columns"), message=message)
    if "rehearse" in context.fields:
        await service.request_rehearsal(context.db, context.account_id, batch.id)
        return context.redirect(context.url("imports", batch.id), message=message)
    return context.redirect(context.url("imports", batch.id, "preview"), message=message)


async def _find(upload: OpenUpload, plan: ImportPlan, account: AccountFacts) -> UploadFindings:
    """What the rows say. Raises: Busy."""
    try:
        require_columns(plan)
        found = await upload.survey(plan.mapping)
    except Invalid as reason:
        return await upload.run(find_no_more, str(reason))
    return await upload.run(find_all, plan, found, account)


def find_no_more(table: Table, problem: str) -> UploadFindings:
    """What the rows of a table say that cannot be surveyed."""
    return UploadFindings(find_examples(table), Survey(), problem=problem)


def find_all(
    table: Table, plan: ImportPlan, found: Survey, account: AccountFacts
) -> UploadFindings:
    """What the rows of a table say."""
    try:
        asks = "start_issue_rule" in {question.id for question in found.questions}
        asks = asks or bool(plan.mapping.start_issue_rule)
        samples = find_samples(table, plan, found, account) if asks else []
        obstacles = find_obstacles(prepare_shown(table, plan, found, account), found.questions)
    except Invalid as reason:
        return find_no_more(table, str(reason))
    return UploadFindings(find_examples(table), found, samples, obstacles)


async def _render(
    context: PageContext,
    batch: ImportBatch,
    table: Table,
    plan: ImportPlan,
    facts: UploadFindings,
    form: BaseForm,
) -> Response:
    async with context.db.read() as db:
        saved = await mappings.list_mappings(db, context.account_id)
        products = await product_store.list_products(db, context.account_id)
    active = {each.id: each.name for each in products if each.is_active}
    countries = list_countries(context.locale)
    answered = answer_mapping(plan.mapping, plan.answers)
    return context.render(
        "imports/columns.html",
        status=HTTPStatus.BAD_REQUEST if form.errors else HTTPStatus.OK,
        batch=batch,
        table=table,
        plan=plan,
        facts=facts,
        form=form,
        groups=field_groups(plan.mapping, table.columns, facts.examples, countries),
        items=item_rows(facts.survey.items, plan.mapping, active),
        products=active,
        media=list(Medium),
        encodings=ENCODINGS,
        presets=[(each.name, each.label) for each in list_presets()],
        preset=get_preset(plan.preset) if plan.preset else None,
        saved=[each.name for each in saved],
        questions=_questions_of(plan, facts.survey, countries),
        samples=facts.samples,
        unused=list_unused(plan, table.columns),
        settings=describe_settings(plan.mapping),
        money_in=answered.money_in,
        unpaid=count_unpaid(facts.survey.statuses, answered),
    )


def _questions_of(plan: ImportPlan, survey: Survey, countries: Countries) -> list[Question]:
    """What the page asks: what the file leaves open, and the rule for start issues in any case."""
    asked = [_with_choices(each, countries) for each in survey.questions]
    rule = plan.mapping.start_issue_rule
    if rule and "start_issue" not in plan.mapping.columns:
        asked.append(ask_start_issue(rule))
    return asked


def _with_choices(question: Question, countries: Countries) -> Question:
    """The question with its choices, if it is about a status or a value of a field."""
    kind, _colon, value = question.id.partition(":")
    if kind == "status":
        choices = (Choice("", _("Choose what it means")), *question.choices)
        return structs.replace(question, choices=choices)
    if kind != "value":
        return question
    field = value.partition(":")[0]
    named = [
        ("", _("Not decided: these rows are refused")),
        (LEAVE_OUT, _("Leave these rows out")),
        *constants_of(field, countries),
    ]
    return structs.replace(question, choices=tuple(Choice(*each) for each in named))
