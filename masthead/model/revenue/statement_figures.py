"""The figures of a revenue statement: sums by currency and issue. Currencies are never added."""

from collections.abc import Mapping
from datetime import date

from msgspec import Struct

from masthead.model.revenue.recognition import OrderState, Recognition


class Sums(Struct):
    """Sums of orders in one currency, in minor units.

    price, refunds: with VAT. vat: in what is left after refunds; the others are without it.
    """

    orders: int = 0
    price: int = 0
    refunds: int = 0
    earned: int = 0
    deferred: int = 0
    kept: int = 0
    vat: int = 0

    def add(self, price: int, parts: Recognition) -> None:
        """Count an order."""
        self.orders += 1
        self.price += price
        self.refunds += parts.refunds
        self.earned += parts.earned
        self.deferred += parts.deferred
        self.kept += parts.kept
        self.vat += parts.vat

    def add_sums(self, other: "Sums") -> None:
        """Count the orders of other sums in the same currency."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class IssueSums(Struct, kw_only=True):
    """What orders in one currency paid for an announced issue.

    earned, copies: of the copies that were sent. deferred, unsent: of those that are owed.
    """

    number: int
    name: str
    earned: int = 0
    copies: int = 0
    deferred: int = 0
    unsent: int = 0


class CurrencyFigures(Struct, kw_only=True):
    """The figures of a currency.

    memberships: earned by days, not by issues. issues: those that orders include, by number.
    later: what is deferred for issues not yet announced; later_issues: how many are owed.
    """

    currency: str
    subscriptions: Sums
    memberships: Sums
    issues: list[IssueSums]
    later: int = 0
    later_issues: int = 0

    @property
    def total(self) -> Sums:
        """Issue subscriptions and memberships together."""
        total = Sums()
        total.add_sums(self.subscriptions)
        total.add_sums(self.memberships)
        return total

    @property
    def sent_issues(self) -> list[IssueSums]:
        """The issues of which copies were sent."""
        return [each for each in self.issues if each.copies]

    @property
    def owed_issues(self) -> list[IssueSums]:
        """The issues of which copies are owed."""
        return [each for each in self.issues if each.unsent]

    @property
    def owed_copies(self) -> int:
        """How many copies are owed, also of issues not yet announced."""
        return sum(each.unsent for each in self.issues) + self.later_issues


class StatementFigures(Struct, kw_only=True):
    """All figures of a statement, by currency. day: the statement is of its end.

    is_net: whether VAT is apart from what is earned, deferred and kept. It is not in statements
    from before masthead could do this, and of accounts that charge no VAT.
    """

    day: date
    currencies: list[CurrencyFigures]
    is_net: bool = False

    def find(self, currency: str) -> CurrencyFigures | None:
        """The figures of a currency; None if no order has it."""
        return next((each for each in self.currencies if each.currency == currency), None)

    def starting_with(self, currency: str) -> list[CurrencyFigures]:
        """The figures of all currencies, those of one currency first."""
        return sorted(self.currencies, key=lambda each: each.currency != currency)


class FigureCounter:
    """Adds up orders, one after the other. names: of the announced issues, by number."""

    def __init__(self, day: date, names: Mapping[int, str], *, is_net: bool = False) -> None:
        self._day, self._names, self._is_net = day, names, is_net
        self._currencies: dict[str, CurrencyFigures] = {}
        self._issues: dict[str, dict[int, IssueSums]] = {}

    def add(self, order: OrderState, parts: Recognition) -> None:
        """Count an order."""
        figures = self._currencies.get(order.currency)
        if figures is None:
            figures = self._currencies[order.currency] = CurrencyFigures(
                currency=order.currency, subscriptions=Sums(), memberships=Sums(), issues=[]
            )
            self._issues[order.currency] = {}
        group = figures.memberships if order.is_membership else figures.subscriptions
        group.add(order.price, parts)
        figures.later += parts.later
        figures.later_issues += parts.later_issues
        issues = self._issues[order.currency]
        for number, amount in parts.earned_by_issue.items():
            sums = self._issue(issues, number)
            sums.earned += amount
            sums.copies += 1
        for number, amount in parts.deferred_by_issue.items():
            sums = self._issue(issues, number)
            sums.deferred += amount
            sums.unsent += 1

    def _issue(self, issues: dict[int, IssueSums], number: int) -> IssueSums:
        found = issues.get(number)
        if found is None:
            found = issues[number] = IssueSums(number=number, name=self._names[number])
        return found

    def finish(self) -> StatementFigures:
        """The figures of all orders so far, by currency."""
        for currency, issues in self._issues.items():
            self._currencies[currency].issues = [issues[number] for number in sorted(issues)]
        currencies = [self._currencies[code] for code in sorted(self._currencies)]
        return StatementFigures(day=self._day, currencies=currencies, is_net=self._is_net)
