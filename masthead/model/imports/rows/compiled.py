"""A mapping, compiled for the columns of one table."""

from collections.abc import Mapping, Sequence

from msgspec import structs

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.mapping import ImportMapping, Rule
from masthead.model.imports.rows.repairs import Repairs
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
from masthead.model.imports.targets import COLUMNS, REPORT, TARGETS
from masthead.model.imports.values.days import is_no_day
from masthead.model.imports.values.texts import clean
from masthead.model.translations import gettext as _
from masthead.model.types.messages import similar

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
