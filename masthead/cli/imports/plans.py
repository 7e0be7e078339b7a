"""How `masthead import` reads a file: by a preset, a mapping, or what its columns are called."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct, structs

from masthead.cli.command import CommandError
from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.guesses import guess_mapping, is_guessable
from masthead.model.imports.mapping import ADD_ZEROS, ImportMapping, decode_json, merge_mappings
from masthead.model.imports.mapping_files import decode_mapping, require_columns
from masthead.model.imports.plan import AccountFacts, ImportPlan, Question
from masthead.model.imports.presets.registry import (
    get_preset,
    list_presets,
    recognize,
    require_marks,
)
from masthead.model.imports.tabular_data import Table
from masthead.services.imports.table import open_table
from masthead.store.engine.interface import Database
from masthead.store.imports.mappings import find_mapping, list_mappings

OWN = "masthead"  # the preset of our own columns, which are read without a mapping


class PlanOptions(Struct, frozen=True, kw_only=True):
    """The options of the command that say how the file is read.

    sent_through, unpaid: as in a mapping; empty for what the mapping says.
    """

    preset: str | None
    mapping: str | None
    order_prefix: str
    product: str | None
    create_issues: bool
    add_zeros: bool
    sent_through: int | str
    unpaid: str
    save_as: str | None
    sheet: str | None
    encoding: str | None


def open_by_options(file: Path, options: PlanOptions) -> Table:
    """The table in a file, as the options say. Raises: CommandError, Invalid."""
    try:
        return open_table(file, name=file.name, sheet=options.sheet, encoding=options.encoding)
    except Invalid as reason:
        if reason.field == "encoding":
            raise CommandError(f"{reason} `--encoding {reason.value}` chooses the first.") from None
        raise


async def choose_plan(
    db: Database, account_id: int, table: Table, facts: AccountFacts, options: PlanOptions
) -> tuple[ImportPlan, list[str]]:
    """The plan for a file, and the notes about it. Raises: CommandError, Invalid."""
    if options.preset and options.mapping:
        raise CommandError(
            "Use either --preset or --mapping. A mapping can name the preset that it changes: "
            f'preset = "{options.preset}".'
        )
    mapping, preset, notes = ImportMapping(), options.preset, [table.description]
    if options.preset:
        mapping = get_preset(options.preset).mapping
        require_marks(get_preset(options.preset), table.columns)
    elif options.mapping:
        mapping = await _read_mapping(db, account_id, options.mapping, table)
        preset = mapping.preset or None
        if preset:
            mapping = merge_mappings(get_preset(preset).mapping, mapping)
    else:
        found = recognize(table.columns)
        if found is not None and found.name != OWN:
            preset, mapping = found.name, found.mapping
            notes.append(
                f"The columns are those of the preset {found.name} ({found.label})."
                + _describe_left(mapping, table.columns, found.name)
            )
        elif is_guessable(table.columns):
            mapping = guess_mapping(table.columns)
            notes.append(_describe_guess(mapping, table.columns))
    if options.sent_through:
        mapping = structs.replace(mapping, sent_through=options.sent_through)
    if options.unpaid:
        mapping = structs.replace(mapping, unpaid=options.unpaid)
    if options.add_zeros:
        mapping = structs.replace(mapping, postcodes=ADD_ZEROS)
    product = options.product
    plan = ImportPlan(
        mapping=mapping,
        preset=preset,
        order_prefix=options.order_prefix,
        create_issues=options.create_issues,
        product_id=facts.products.get(product, product) if product else None,
    )
    return plan, notes


def _describe_guess(mapping: ImportMapping, columns: Sequence[str]) -> str:
    """Which columns are taken for what, and which are not used."""
    used = {name: field for field, rule in mapping.columns.items() for name in rule.named()}
    taken = ", ".join(f"{excerpt(name)} = {field}" for name, field in used.items())
    left = ", ".join(excerpt(name) for name in columns if name not in used)
    ignored = f" Not used: {left}." if left else ""
    return f"The columns are taken for what their names say: {taken}.{ignored}"


def _describe_left(mapping: ImportMapping, columns: Sequence[str], preset: str) -> str:
    """Which columns a preset does not use, although their names say what they are."""
    used = mapping.named()
    left = {
        name: field
        for field, rule in guess_mapping(columns).columns.items()
        for name in rule.named()
        if field not in mapping.columns and name not in used
    }
    if not left:
        return ""
    named = ", ".join(f"{excerpt(name)} = {field}" for name, field in left.items())
    return (
        f" Not used: {named}. A mapping can add them to the preset; it begins with "
        f'preset = "{preset}".'
    )


async def _read_mapping(db: Database, account_id: int, wanted: str, table: Table) -> ImportMapping:
    """The mapping in a TOML file, or a saved one, of which a table may lack columns."""
    text = await asyncio.to_thread(_read_file, Path(wanted))
    if text is not None:
        mapping = decode_mapping(text)
        require_columns(mapping, table.columns)
        return mapping
    saved = await find_mapping(db, account_id, wanted)
    if saved is not None:
        return decode_json(saved.mapping)
    names = [f"`{each.name}`" for each in await list_mappings(db, account_id)]
    known = f" Saved mappings: {', '.join(names)}." if names else " No mapping is saved."
    raise CommandError(
        f"There is no file `{excerpt(wanted)}`, and no saved mapping with that name.{known}"
    )


def _read_file(path: Path) -> str | None:
    """The text of a file; None if there is no such file. Raises: CommandError."""
    try:
        return path.read_text("utf-8-sig") if path.is_file() else None
    except UnicodeDecodeError:
        raise CommandError(
            f"The mapping `{excerpt(path.name)}` is not a text in UTF-8. Save it as UTF-8."
        ) from None


def describe_presets(*, full: bool) -> list[dict[str, str]]:
    """The presets, as `masthead imports presets` lists them. full: with all that programs need."""
    found = []
    for each in list_presets():
        shown = {"name": each.name, "label": each.label, "result": each.result}
        more = {"export_from": each.export_from, "order_prefix": each.order_prefix}
        found.append({**shown, **more} if full else shown)
    return found


def question_text(question: Question, preset: str | None) -> str:
    """A question about the file, with the lines of a mapping that answer it."""
    first = f'preset = "{preset}"; ' if preset else ""
    kind, _, value = question.id.partition(":")
    line = f'[status] "{value}"' if value else kind
    values = " or ".join(f'"{choice.value}"' for choice in question.choices)
    if kind == "value":
        field, _, text = value.partition(":")
        line, values = f'[values.{field}] "{text}"', f'"{question.default or "…"}" or "leave out"'
    assumed = f' Without an answer, it is "{question.default}".' if kind == "gifts" else ""
    return f"{question.text}{assumed} Answer in a file for --mapping: {first}{line} = {values}."
