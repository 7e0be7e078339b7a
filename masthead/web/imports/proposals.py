"""What a file is proposed to be: one of the presets, or what the names of its columns say."""

from collections.abc import Sequence

from msgspec import structs

from masthead.model.imports.fitting import fit_mapping
from masthead.model.imports.guesses import guess_mapping
from masthead.model.imports.mapping import answer_mapping, decode_json, encode_json
from masthead.model.imports.plan import ImportPlan
from masthead.model.imports.presets.registry import get_preset, mapping_of, propose


def propose_plan(columns: Sequence[str]) -> ImportPlan:
    """The preset that a file belongs to, or what the names of its columns say."""
    preset, _mapping = propose(columns)
    return plan_of(preset, columns) if preset else name_plan(columns)


def name_plan(columns: Sequence[str]) -> ImportPlan:
    """What the names of the columns say."""
    return ImportPlan(mapping=guess_mapping(columns))


def plan_of(preset: str, columns: Sequence[str]) -> ImportPlan:
    """The plan of a preset, with what it proposes to put before order numbers. Raises: Invalid."""
    prefix = get_preset(preset).order_prefix
    return ImportPlan(mapping=mapping_of(preset, columns), preset=preset, order_prefix=prefix)


def refit_plan(plan: ImportPlan, columns: Sequence[str]) -> ImportPlan:
    """The plan of another file, for one with these columns."""
    return structs.replace(plan, mapping=fit_mapping(plan.mapping, columns))


def encode_saved(plan: ImportPlan) -> str:
    """What is saved of a plan for the next file: the mapping, with the answers to questions."""
    mapping = answer_mapping(plan.mapping, plan.answers)
    return encode_json(structs.replace(mapping, order_prefix=plan.order_prefix))


def decode_saved(text: str, columns: Sequence[str]) -> ImportPlan:
    """The plan of a saved mapping, for a file with these columns."""
    mapping = fit_mapping(decode_json(text), columns)
    return ImportPlan(
        mapping=structs.replace(mapping, order_prefix=""), order_prefix=mapping.order_prefix
    )
