"""The products of a file, as the lines of a mapping that say what each of them is."""

from collections.abc import Iterable

from masthead.model.imports.batches import ReasonCount, RowOutcome
from masthead.model.imports.mapping import ImportMapping, ItemOffer
from masthead.model.imports.mapping_files import encode_mapping
from masthead.model.imports.plan import ImportPlan, Survey
from masthead.model.imports.rows.items import length_in

MOST_PRODUCTS = 20  # that are printed


def products_note(plan: ImportPlan, survey: Survey, reasons: Iterable[ReasonCount]) -> list[str]:
    """What to write in a mapping if rows are rejected because a product has no number of issues.

    The lines can be pasted into a file. It is refused until each 0 in it is replaced.
    """
    mapping = plan.mapping
    rule = mapping.columns.get("product")
    asking = {each.column for each in reasons if each.outcome is RowOutcome.REFUSED}
    if rule is None or mapping.products or asking.isdisjoint(rule.named()):
        return []
    items = {name: count for name, count in survey.items.items() if name}
    shown = sorted(items, key=lambda name: -items[name])[:MOST_PRODUCTS]
    offers = {name: ItemOffer(length=length_in(name) or 0) for name in shown}
    base = ImportMapping(preset=plan.preset) if plan.preset else mapping
    head, _, lines = encode_mapping(ImportMapping(products=offers)).partition("\n")
    counted = [
        f"{line}  # {items[name]} × in the file"
        for line, name in zip(lines.splitlines(), shown, strict=True)
    ]
    if len(items) > len(shown):
        more = len(items) - len(shown)
        counted.append(f"# and {more} more, whose rows are left out unless lines name them")
    instruction = (
        "Say what each product of the file is: write these lines in a file for --mapping, or add "
        "them to yours. Replace each `length = 0` by the number of issues, or by "
        '`interval_months = 12` for a membership, or `{ length = 0 }` by `"leave out"`.'
    )
    return ["\n".join([instruction, "", encode_mapping(base), head, *counted, ""])]
