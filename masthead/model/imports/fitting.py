"""Fits a mapping to the columns of a file: names in the file's spelling, without missing ones."""

from collections.abc import Iterable

from msgspec import structs

from masthead.model.imports.mapping import ImportMapping, Rule


def column_key(column: str) -> str:
    """The name of a column without what differs between exports: case and spaces."""
    return " ".join(column.lower().split())


def fit_mapping(mapping: ImportMapping, columns: Iterable[str]) -> ImportMapping:
    """The mapping with the names of a file's columns, as the file spells them.

    A preset names the columns of several versions of a system; those that the file does not have
    are left out, and so are rules without any column and filters of missing columns. A rule that
    says what an empty cell means is constant then.
    """
    spelled: dict[str, str] = {}
    for name in columns:
        spelled.setdefault(column_key(name), name)
        spelled[name] = name

    def fit(names: Iterable[str]) -> tuple[str, ...]:
        found = (spelled.get(name) or spelled.get(column_key(name), "") for name in names)
        return tuple(dict.fromkeys(name for name in found if name))

    def fit_one(name: str) -> str:
        return next(iter(fit([name])), "")

    def fit_rule(rule: Rule) -> Rule:
        fitted = structs.replace(
            rule,
            columns=fit(rule.columns),
            join=fit(rule.join),
            split=fit_one(rule.split),
            packed=fit_one(rule.packed),
            lookup=fit_one(rule.lookup),
        )
        if rule.if_empty and not fitted.named():
            return Rule(constant=rule.if_empty, prefix=rule.prefix)
        return fitted

    rules = {field: fit_rule(rule) for field, rule in mapping.columns.items()}
    return structs.replace(
        mapping,
        columns={field: rule for field, rule in rules.items() if rule.named() or rule.constant},
        continues=fit_one(mapping.continues),
        groups=fit(mapping.groups),
        order_id_from=fit(mapping.order_id_from),
        only={found: values for name, values in mapping.only.items() if (found := fit_one(name))},
        never={found: values for name, values in mapping.never.items() if (found := fit_one(name))},
    )
