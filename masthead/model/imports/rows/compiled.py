"""A mapping, compiled for the columns of one table."""

from collections.abc import Mapping, Sequence

from msgspec import structs

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.mapping import ImportMapping, Rule
from masthead.model.imports.rows.rules import (
    Get,
    GetList,
    LeftOut,
    Lookup,
    Places,
    compile_list,
    compile_rule,
    is_blank,
    replace_values,
)
from masthead.model.imports.tabular_data import Line
from masthead.model.imports.targets import COLUMNS, REPORT, TARGETS
from masthead.model.imports.values.days import is_no_day
from masthead.model.imports.values.texts import clean
from masthead.model.translations import gettext as _
from masthead.model.types.damaged_texts import (
    Damage,
    DamageKind,
    find_damage,
    is_checked,
    may_be_damaged,
)
from masthead.model.types.messages import similar

# The texts of these are keys: what they mean is up to the mapping
_KEYS = frozenset("status medium type period item".split())
# What is repaired in all other fields
_ANYWHERE = (DamageKind.EMPTY, DamageKind.INVISIBLE)


class Repairs:
    """What can be repaired in the rows of one table: only cells that fill a field.

    Names, addresses and notes are decoded. `NULL` and the like are emptied and invisible
    characters are removed in other fields, too, without a remark. What cannot be repaired stays:
    the conversion of the field refuses it.
    """

    def __init__(self, rules: Mapping[str, Rule], places: Places) -> None:
        self._fields = dict[int, str]()
        for target, rule in rules.items():
            is_key = TARGETS[target].kind in _KEYS or rule.table or rule.packed
            for place in () if is_key else places.found(rule.named()):
                if is_checked(target) or place not in self._fields:
                    self._fields[place] = target
        self._names = places

    def repair(self, line: Line) -> Line:
        """The row with repaired cells, and remarks about them; the row itself if it is sound."""
        if line.problem or not may_be_damaged(line.cells):
            return line
        cells, remarks = list(line.cells), list[str]()
        for place, field in self._fields.items():
            text = line.cells[place].strip()
            damage = find_damage(field, text) if text else None
            if damage is None:
                continue
            meant, is_printed = damage.meant, is_checked(field) or field == "notes"
            if damage.is_unsure and line.cells.count(text) > 1:
                meant = ""  # the program writes it for other empty fields of the row, too
            if not is_printed and damage.kind not in _ANYWHERE:
                continue
            if meant is not None:
                cells[place] = meant
            if is_printed and (remark := _remark(self._names.name(place), text, damage, meant)):
                remarks.append(remark)
        return structs.replace(line, cells=cells, remarks=tuple(remarks))


def _remark(column: str, text: str, damage: Damage, meant: str | None) -> str:
    """What became of a cell; "" if its field refuses it."""
    if meant is None and damage.kind is not DamageKind.EMPTY:
        return ""
    message = _("`{column}` is `{text}`, {reason}. It is imported as `{meant}`.")
    if not meant:
        message = _("`{column}` is `{text}`, {reason}. It is imported as an empty cell.")
    if meant is None:
        message = _(
            "`{column}` is `{text}`, {reason}. A person or a town can be called that, so it is "
            "imported as it is. Correct it if it is no name."
        )
    return message.format(
        column=column, text=excerpt(text), reason=damage.kind.reason, meant=excerpt(meant or "")
    )


ITEM_TARGETS = ("product", "quantity", "item_price")


class CompiledMapping:
    """How the rows of one table are read.

    gets: the function that takes a row and returns the text of a field, by field. lists: the same
    for the fields of items, of which a row can have several. names: what the fields are called in
    the file, by field; without those that no column gives. width: the number of columns.
    repair: the function that each row goes through first.
    is_own: whether the columns are those of masthead, in which nothing is made from other fields.
    """

    def __init__(self, mapping: ImportMapping, columns: Sequence[str]) -> None:
        rules = mapping.columns or own_rules(columns)
        self.is_own = all(
            structs.replace(rule, otherwise=None) == Rule(columns=(name,))
            for name, rule in rules.items()
        )
        self.gets, self.names = dict[str, Get](), dict[str, str]()
        self.lists = dict[str, GetList]()
        self.width = len(columns)
        places = Places(columns)
        self.repair = Repairs(rules, places).repair
        for target, rule in rules.items():
            is_day = TARGETS[target].kind == "day"
            get, column = compile_rule(rule, places, is_empty=is_no_day if is_day else is_blank)
            if get is not None:
                if values := mapping.values.get(target):
                    get = replace_values(get, values, column or target)
                self.gets[target] = get
                if target in ITEM_TARGETS:
                    self.lists[target] = compile_list(rule, places, get)
            if column:
                self.names[target] = column
        price = rules.get("item_price", Rule())
        self.prices_are_of_lines = price.part == "total" and "item_price" in self.lists
        self._filters = [
            *self._compile_filters(mapping.only, places, is_wanted=True),
            *self._compile_filters(mapping.never, places, is_wanted=False),
        ]
        self._continues = places.find(mapping.continues) if mapping.continues else None
        self._groups = places.found(mapping.groups)
        self._order_id_from = places.found(mapping.order_id_from)

    @staticmethod
    def _compile_filters(
        filters: Mapping[str, tuple[str, ...]], places: Places, *, is_wanted: bool
    ) -> list[tuple[int, str, Lookup, bool]]:
        return [
            (place, places.name(place), Lookup(dict.fromkeys(values, True)), is_wanted)
            for name, values in filters.items()
            if (place := places.find(name)) is not None
        ]

    def check_filters(self, cells: Sequence[str]) -> None:
        """Raises: LeftOut if the mapping leaves out rows with a value of this row."""
        for place, column, values, is_wanted in self._filters:
            text = cells[place].strip()
            if (values.find(text) is not None) is not is_wanted:
                raise LeftOut(column, text)

    def continues(self, cells: Sequence[str], above: Sequence[str]) -> bool:
        """Whether a row continues the order of the row above."""
        if self._continues is not None:
            return not cells[self._continues].strip()
        at = next((place for place in self._groups if cells[place].strip()), None)
        return at is not None and cells[at] == above[at]

    def own_id(self, cells: Sequence[str]) -> str:
        """The texts of the columns that make an order id."""
        return "-".join(text for place in self._order_id_from if (text := clean(cells[place])))

    def text(self, target: str, cells: Sequence[str]) -> str:
        """The cleaned text of a field. Raises: LeftOut."""
        get = self.gets.get(target)
        return clean(get(cells)) if get else ""

    def item_texts(self, cells: Sequence[str]) -> list[tuple[str, str, str]]:
        """The product, quantity and price of each item in a row; "" for what is not said."""
        lists = [get(cells) if (get := self.lists.get(each)) else [] for each in ITEM_TARGETS]
        names, quantities, prices = lists
        count = len(names) if "product" in self.lists else 1
        return [
            (
                names[at] if at < len(names) else "",
                quantities[at] if at < len(quantities) else "",
                prices[at] if at < len(prices) else "",
            )
            for at in range(count)
        ]


# What rejected rows and our own export have too; an import has one product and one source
_OTHERS = (*REPORT, "product", "source")


def own_rules(columns: Sequence[str]) -> dict[str, Rule]:
    """The rules of a file with masthead's own columns.

    Raises: Invalid, which names all columns that are unknown or appear twice.
    """
    unknown = [name for name in dict.fromkeys(columns) if name not in (*COLUMNS, *_OTHERS)]
    wrong = []
    if "order_id" not in columns:
        wrong.append(_("The file has no column `order_id`."))
    if unknown:
        message = _("These columns are unknown: {names}.")
        wrong.append(message.format(names=", ".join(map(_with_hint, unknown))))
    twice = [name for name in dict.fromkeys(columns) if list(columns).count(name) > 1]
    message = _("Column `{name}` appears more than once.")
    wrong += [message.format(name=excerpt(name)) for name in twice]
    if wrong:
        message = _(
            "Choose the system that exported the file, map its columns, or use our own columns: "
            "{names}."
        )
        raise Invalid(" ".join([*wrong, message.format(names=", ".join(COLUMNS))]))
    return {name: Rule(columns=(name,)) for name in columns if name in COLUMNS}


def _with_hint(name: str) -> str:
    """The name of an unknown column, with the known one that is similar."""
    close = similar(name, COLUMNS)
    text = f"`{excerpt(name)}`"
    if not close:
        return text
    return _("{name} (did you mean `{known}`?)").format(name=text, known=close)
