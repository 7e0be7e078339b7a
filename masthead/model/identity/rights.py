"""The rights of users and API keys: what each allows, and the ready sets of the roles."""

from collections.abc import Iterable, Sequence

from masthead.model.errors import Invalid, MastheadError
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.enums import LabelledEnum, Role
from masthead.model.types.messages import closest


class Right(LabelledEnum):
    """What a user of an account, or an API key, may do beyond the work that all users do."""

    TAKE_ORDERS = "take_orders", gettext_noop("Take orders")
    SEE_MONEY = "see_money", gettext_noop("See money")
    BILL = "bill", gettext_noop("Bill and record payments")
    DOWNLOAD = "download", gettext_noop("Export or download lists")
    SEND_LETTERS = "send_letters", gettext_noop("Send letters")
    DISPATCH = "dispatch", gettext_noop("Dispatch")
    IMPORT = "import", gettext_noop("Import")
    CORRECT = "correct", gettext_noop("Correct and merge")
    ERASE = "erase", gettext_noop("Erase")
    SETTINGS = "settings", gettext_noop("Settings")


Rights = frozenset[Right]


class MissingRight(MastheadError):
    """A user, or a key with chosen rights, may not do that. rights: what is missing."""

    code = "missing_right"

    def __init__(self, rights: Iterable[Right]) -> None:
        self.rights = tuple(rights)
        super().__init__(
            f"This request needs {needed_in_words(self.rights)}, which this API key or its user "
            "does not have. The account owner can give it to the user in the settings, under "
            "Users, or create another key there, or with `masthead key create --rights`."
        )


ALL_RIGHTS: Rights = frozenset(Right)
STAFF_RIGHTS: Rights = ALL_RIGHTS - {Right.ERASE, Right.SETTINGS}
# A ready set to choose: neither money nor lists to take away
ASSISTANT_RIGHTS: Rights = frozenset(
    {Right.TAKE_ORDERS, Right.SEND_LETTERS, Right.DISPATCH, Right.CORRECT}
)

# Rights that open nothing without one of others
NEEDED: dict[Right, tuple[Right, ...]] = {
    Right.BILL: (Right.TAKE_ORDERS, Right.SEE_MONEY),
    Right.IMPORT: (Right.SEE_MONEY,),
}

# What each right allows, in one line
EXPLANATIONS: dict[Right, str] = {
    Right.TAKE_ORDERS: gettext_noop("Enter and renew orders"),
    Right.SEE_MONEY: gettext_noop("All prices, payments, refunds and takings"),
    Right.BILL: gettext_noop("Invoices of orders, direct debits, and payments"),
    Right.DOWNLOAD: gettext_noop("Lists as Excel or CSV files"),
    Right.SEND_LETTERS: gettext_noop("Renewal letters and reminders"),
    Right.DISPATCH: gettext_noop("Mailings, labels to print, and returns"),
    Right.IMPORT: gettext_noop("Imports of orders; needs “See money”"),
    Right.CORRECT: gettext_noop("Change and merge subscribers, subscriptions and issues"),
    Right.ERASE: gettext_noop("Erase subscribers, and download all data of a subscriber"),
    Right.SETTINGS: gettext_noop("The settings of the account, except users and API keys"),
}

# The rest of it: what goes with other rights, and what stays visible without it
DETAILS: dict[Right, str] = {
    Right.TAKE_ORDERS: gettext_noop(
        "Shows what the order at hand costs. If the product has no price, a renewal costs what "
        "the last order cost, which stays hidden. Without “Bill and record payments”, an order by "
        "invoice waits until someone else issues its invoice. To cancel and reopen subscriptions, "
        "“Correct and merge” is needed, too."
    ),
    Right.SEE_MONEY: gettext_noop(
        "Without it, amounts are hidden, except those of the order at hand. With “Correct and "
        "merge”, also refunds and changes of prices."
    ),
    Right.BILL: gettext_noop(
        "With “Take orders”, the invoice is issued with the order. Lists of invoices, credit notes "
        "and payments need “See money”."
    ),
    Right.DOWNLOAD: gettext_noop("Also the addresses of a mailing, for the mailing house."),
    Right.SEND_LETTERS: gettext_noop(
        "Letters that go out have prices. Without “See money”, previews and tests leave out the "
        "amounts, and the PDF of letters on paper cannot be opened. Reminders also need “Bill and "
        "record payments”."
    ),
    Right.DISPATCH: gettext_noop(
        "Labels show the addresses of a whole mailing. Files with its addresses also need “Export "
        "or download lists”."
    ),
}


def in_order(rights: Iterable[Right]) -> list[Right]:
    """Rights in the order of the enum."""
    given = set(rights)
    return [each for each in Right if each in given]


def needed_in_words(rights: Sequence[Right]) -> str:
    """The names of rights for programs, such as "the rights `see_money` and `download`"."""
    *others, last = (f"`{each}`" for each in rights)
    return f"the rights {', '.join(others)} and {last}" if others else f"the right {last}"


def usable_rights(rights: Iterable[Right]) -> Rights:
    """Rights without those that open nothing, because the rights that they need are missing."""
    given = frozenset(rights)
    return frozenset(each for each in given if given.intersection(NEEDED.get(each, (each,))))


def names_of(rights: Iterable[Right]) -> str:
    """The names of rights in the current language."""
    return ", ".join(each.words for each in in_order(rights))


def role_in_words(role: Role, own: Rights | None) -> str:
    """The role of a user as pages name it. own: the rights if they are not those of the role."""
    if role is Role.OWNER:
        return _("Owner")
    if own is None:
        return _("Staff")
    return _("Assistant without access to money") if own == ASSISTANT_RIGHTS else _("Chosen rights")


def rights_of(role: Role, chosen: str | None) -> Rights:
    """The rights of a user. chosen: as `stored_text` wrote them; None for those of the role."""
    if role is Role.OWNER:
        return ALL_RIGHTS
    return STAFF_RIGHTS if chosen is None else rights_of_stored(chosen)


def rights_of_stored(text: str) -> Rights:
    """The rights in a stored text. Names that only a later version knows are ignored."""
    known = set(Right)
    return frozenset(Right(name) for name in text.split(",") if name in known)


def stored_text(rights: Iterable[Right]) -> str:
    """Rights as they are stored: their names with commas."""
    return ",".join(in_order(rights))


def rights_of_command(text: str) -> Rights:
    """The rights in a text of a command: names with commas, or `none`.

    Raises: Invalid, also if one of them opens nothing without another one.
    """
    if text.strip() == "none":
        return frozenset()
    names, known = [each.strip() for each in text.split(",")], [each.value for each in Right]
    for name in names:
        if name not in known:
            raise Invalid(
                f"`{name}` is not a right.{closest(name, known)} Use `none`, or names with commas: "
                f"{', '.join(f'`{each}`' for each in known)}.",
                field="rights",
                value=name,
            )
    given = frozenset(Right(name) for name in names)
    for right in in_order(given - usable_rights(given)):
        needed = " or ".join(f"`{each}`" for each in NEEDED[right])
        raise Invalid(
            f"`{right}` also needs {needed}. Add it, or leave `{right}` out.",
            field="rights",
            value=right.value,
        )
    return given
