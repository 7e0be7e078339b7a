"""Number formats of spreadsheets that show a number as a code: `00000` shows 2134 as `02134`."""

import operator
import re
from collections.abc import Sequence

from msgspec import Struct

_PART = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|(?P<blank>[_*].)|\[\$(?P<symbol>[^\]-]*)[^\]]*\]'
    r"|\[(?P<operator><=|>=|<>|<|>|=)(?P<limit>-?\d+(?:\.\d+)?)\]|(?P<colour>\[[^\]]*\])"
    r"|(?P<digit>0)|(?P<later>#)|(?P<end>;)|(?P<sign>[-+() ])|(?P<other>.)",
    re.DOTALL,
)
_LETTERS = re.compile(r"(?<![A-Za-z\"\\])([A-Z]{1,3})-(?=0{4})")  # `D-00000`, which is no date
_HOLDS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}
_MOST_DIGITS = 15  # that a spreadsheet keeps


class _Section(Struct, frozen=True):
    """A part of a format. texts: what is before each digit, and after the last one."""

    texts: Sequence[str]
    condition: tuple[str, float] | None
    is_code: bool

    def holds(self, number: int) -> bool:
        """Whether it is for a number."""
        return self.condition is None or bool(_HOLDS[self.condition[0]](number, self.condition[1]))

    def show(self, number: int) -> str:
        """The number as people see it."""
        places = len(self.texts) - 1
        digits = str(number).zfill(places)
        first = len(digits) - places + 1
        groups = [digits[:first], *digits[first:]]
        shown = (text + group for text, group in zip(self.texts, [*groups, ""], strict=True))
        return "".join(shown).strip()


class DigitFormat(Struct, frozen=True):
    """A format that shows some numbers as codes."""

    sections: Sequence[_Section | None]

    def show(self, text: str) -> str | None:
        """The stored text of a number as people see it; None if it is not shown as a code."""
        number = _whole(text)
        if number is None:
            return None
        is_zero_section = len(self.sections) > 2 and number == 0
        for section in self.sections[2:] if is_zero_section else self.sections:
            if section is None:
                return None
            if section.holds(number):
                return section.show(number) if section.is_code else None
        return None


def _whole(text: str) -> int | None:
    """The stored text of a number that can be a code; None if it cannot."""
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number.is_integer() and 0 <= number < 10**_MOST_DIGITS else None


def is_shown_code(shown: str, text: str, *, has_zero: bool) -> bool:
    """Whether what a cell shows can be the code of its number. text: as it is stored.

    has_zero: whether only a zero before the number makes it a code.
    """
    number, digits = _whole(text), re.sub(r"[^0-9]", "", shown)
    return number is not None and str(number) in digits and (digits.startswith("0") or not has_zero)


def read_format(code: str) -> DigitFormat | None:
    """The format with a code of a spreadsheet; None if it shows no number as a code.

    A code has two zeros or a plus before the number, and neither decimals nor thousands.
    """
    sections: list[_Section | None] = []
    texts, condition, is_known = [""], None, True
    for part in [*_PART.finditer(_LETTERS.sub(r'"\1-"', code)), None]:
        kind = part.lastgroup if part else "end"
        if part is None or kind == "end":
            is_number = is_known and len(texts) > 1
            is_code = is_number and (len(texts) > 2 or texts[0].endswith("+"))
            sections.append(_Section(texts, condition, is_code) if is_number else None)
            texts, condition, is_known = [""], None, True
        elif kind == "digit" or (kind == "later" and len(texts) > 1):  # 0## shows as much as 000
            texts.append("")
        elif kind in ("quoted", "escaped", "symbol", "sign"):
            texts[-1] += part[kind]
        elif kind == "limit":
            condition = (part["operator"], float(part["limit"]))
        elif kind in ("later", "other"):
            is_known = False
    found = DigitFormat(sections)
    return found if any(each and each.is_code for each in sections) else None
