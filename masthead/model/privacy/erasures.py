"""Erasures: what became of the data of a subscriber who asked to be forgotten."""

from collections.abc import Callable, Mapping
from datetime import datetime

from msgspec import Struct

from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.enums import LabelledEnum

UNSENT_COPIES = "unsent_copies"  # the code if a subscription must be cancelled first
UNBILLED_ORDERS = "unbilled_orders"  # the code if an order waits for its invoice
FILES_IN_PROGRESS = "files_in_progress"  # the code if a file with the address is being made


class Record(LabelledEnum):
    """A kind of records about a subscriber."""

    SUBSCRIBERS = "subscribers", gettext_noop("Subscriber")
    SUBSCRIPTIONS = "subscriptions", gettext_noop("Subscriptions")
    ORDERS = "orders", gettext_noop("Orders")
    COPIES = "copies", gettext_noop("Copies")
    REFUNDS = "refunds", gettext_noop("Refunds")
    CANCELLATIONS = "cancellations", gettext_noop("Cancellations")
    NOTES = "notes", gettext_noop("Notes")
    ADDRESS_CHANGES = "address_changes", gettext_noop("Changes of address")
    MERGES = "merges", gettext_noop("Merges")
    LETTERS = "letters", gettext_noop("Renewal letters")
    EMAILS = "emails", gettext_noop("Emails")
    CLAIMS = "claims", gettext_noop("Claims")
    REQUESTS = "requests", gettext_noop("Requests on the page for subscribers")
    DELIVERY_REPORTS = "delivery_reports", gettext_noop("Delivery reports")
    DISPATCH_LINES = "dispatch_lines", gettext_noop("Lines of mailings")
    IMPORT_ROWS = "import_rows", gettext_noop("Rows of imports")
    PAYERS = "payers", gettext_noop("Customer number and VAT ID")
    INVOICES = "invoices", gettext_noop("Invoices and credit notes")
    PAYMENTS = "payments", gettext_noop("Payments")
    BANK_LINES = "bank_lines", gettext_noop("Lines of bank statements")
    MANDATES = "mandates", gettext_noop("Mandates for direct debit")
    REMINDERS = "reminders", gettext_noop("Reminders")
    REMINDER_TERMS = "reminder_terms", gettext_noop("What was agreed about invoices")
    HOLDS = "holds", gettext_noop("Holds")
    AUDIT_ENTRIES = "audit_entries", gettext_noop("Entries of the audit log")
    GIFTS = "gifts", gettext_noop("Gifts to others")


class Erasure(Struct, frozen=True, kw_only=True):
    """An erasure of a subscriber. kept: how many records of each kind stay, without the person."""

    id: str
    subscriber_id: str
    kept: Mapping[Record, int]
    created_at: datetime
    actor_kind: str
    actor_id: str


class NamedElsewhere(Struct, frozen=True, kw_only=True):
    """A text that names a subscriber, and that an erasure leaves as it is.

    table: see `describe_place`. id: of the subscription, the dispatch run or the record; the number
    of an issue, the name of a mapping.
    """

    table: str
    id: str
    text: str


class KeptRecords(Struct, frozen=True, kw_only=True):
    """What is kept of a subscriber.

    counts: records by kind. erased: the earlier erasure, if there is one.
    """

    subscriber_id: str
    name: str
    email: str
    counts: Mapping[Record, int]
    erased: Erasure | None


class ErasurePreview(KeptRecords, frozen=True, kw_only=True):
    """What an erasure would do now.

    running: the ids of subscriptions that it would end. files: stored files of dispatch runs that
    it would withdraw. owes, is_owed: whether invoices of the subscriber are open, and whether they
    have paid too much, or were credited.
    """

    running: list[str]
    files: int
    owes: bool
    is_owed: bool

    @property
    def asked(self) -> str:
        """What a user types to confirm: the email, or the name, or the id without both."""
        return self.email or ("" if self.erased else self.name) or self.subscriber_id

    @property
    def open_money(self) -> list[str]:
        """What is open, in sentences, and what to do before."""
        found = []
        if self.owes:
            found.append(
                _(
                    "Invoices of this subscriber are open. Afterwards they get no reminders, and "
                    "their invoices are not emailed any more: collect what is open, or write it "
                    "off, first."
                )
            )
        if self.is_owed:
            found.append(
                _(
                    "You owe this subscriber money, which is the credit in their account. Pay it "
                    "back first."
                )
            )
        return found


def describe_place(table: str) -> str:
    """The kind of texts of a `NamedElsewhere`."""
    names: dict[str, Callable[[], str]] = {
        "subscriber": lambda: _("Own address of another subscriber"),
        "subscription": lambda: _("Address of another subscriber"),
        "address_change": lambda: _("Planned address of another subscriber"),
        "dispatch_line": lambda: _("Address of another subscriber in a mailing"),
        "account": lambda: _("Settings of the account"),
        "api_key": lambda: _("Name of an API key"),
        "billing": lambda: _("Settings of invoices"),
        "delivery_report": lambda: _("Delivery report of another subscriber"),
        "dispatch_file": lambda: _("Name of a file of a mailing"),
        "export_profile": lambda: _("Export profile"),
        "import_mapping": lambda: _("Saved mapping of an import"),
        "issue": lambda: _("Issue"),
        "mandate": lambda: _("Account holder of a mandate of another payer"),
        "product": lambda: _("Product"),
        "reminder_round": lambda: _("Name of a stage of reminders"),
        "reminder_stage": lambda: _("Text of a reminder"),
        "renewal_stage": lambda: _("Text of a renewal letter"),
        "self_service": lambda: _("Texts of the page for subscribers"),
        "source": lambda: _("Name of a source"),
        "webhook": lambda: _("Address of a webhook"),
    }
    return names[table]()


def describe_goes(record: Record) -> str:
    """What an erasure removes from records of a kind."""
    name, address = _("Name and address"), _("Name, address and email")
    names: dict[Record, Callable[[], str]] = {
        Record.SUBSCRIBERS: lambda: _("Name, company and email"),
        Record.SUBSCRIPTIONS: lambda: _("Name, address, phone and notes"),
        Record.ORDERS: lambda: "",
        Record.COPIES: lambda: "",
        Record.REFUNDS: lambda: _("The reason"),
        Record.CANCELLATIONS: lambda: _("The notes"),
        Record.NOTES: lambda: _("The text"),
        Record.ADDRESS_CHANGES: lambda: _("Name, address and phone"),
        Record.MERGES: lambda: _("The email of the merged subscriber"),
        Record.LETTERS: lambda: _("The text and the address"),
        Record.EMAILS: lambda: _("The text and the recipient"),
        Record.CLAIMS: lambda: _("The notes"),
        Record.REQUESTS: lambda: _("The notes"),
        Record.DELIVERY_REPORTS: lambda: _("The addresses and the reason"),
        Record.PAYERS: lambda: _("The VAT ID"),
        Record.INVOICES: lambda: "",
        Record.PAYMENTS: lambda: _("What the payer wrote"),
        Record.BANK_LINES: lambda: _("Name, masked IBAN and text"),
        Record.MANDATES: lambda: _("All of them by which nothing was collected"),
        Record.REMINDERS: lambda: _("The text and the address"),
        Record.REMINDER_TERMS: lambda: _("The reason"),
        Record.HOLDS: lambda: _("The reason"),
        Record.DISPATCH_LINES: lambda: name,
        Record.IMPORT_ROWS: lambda: _("The cells of the file"),
        Record.AUDIT_ENTRIES: lambda: address,
        Record.GIFTS: lambda: _("Name and email of the giver"),
    }
    return names[record]()


def describe_stays(record: Record) -> str:
    """What an erasure keeps of records of a kind, and why."""
    names: dict[Record, Callable[[], str]] = {
        Record.SUBSCRIBERS: lambda: _("An ID and the totals of the orders, for the accounts"),
        Record.SUBSCRIPTIONS: lambda: _("Country, medium, issues and status, for the accounts"),
        Record.ORDERS: lambda: _(
            "Order ID, dates and amounts, because accounts must be kept for years"
        ),
        Record.COPIES: lambda: _("Issue, country and day of sending, for the print run"),
        Record.REFUNDS: lambda: _("Day and amount, for the accounts"),
        Record.CANCELLATIONS: lambda: _("Day and kind of reason, for the figures"),
        Record.NOTES: lambda: _("That there was a note, and who wrote it"),
        Record.ADDRESS_CHANGES: lambda: _("The issues and the country"),
        Record.MERGES: lambda: _("That two records were merged"),
        Record.LETTERS: lambda: _("That a letter was sent, so that it is not sent again"),
        Record.EMAILS: lambda: _("That an email was sent, and when"),
        Record.CLAIMS: lambda: _("Issue and kind of claim, for the figures"),
        Record.REQUESTS: lambda: _("What was asked for, and when"),
        Record.DELIVERY_REPORTS: lambda: _("Issue and kind of report, for the figures"),
        Record.PAYERS: lambda: _("The customer number, which is on invoices"),
        Record.INVOICES: lambda: _(
            "Everything, with name and address: tax law requires invoices to be kept as they were "
            "issued"
        ),
        Record.PAYMENTS: lambda: _("Day and amount, for the books"),
        Record.BANK_LINES: lambda: _("Day and amount, for the books"),
        Record.MANDATES: lambda: _(
            "Those by which something was collected, with holder and IBAN: tax law requires them "
            "to be kept, and payers can ask money back for 13 months"
        ),
        Record.REMINDERS: lambda: _("Day, stage and amount, for the books"),
        Record.REMINDER_TERMS: lambda: _("Until when, and whether reminders were stopped"),
        Record.HOLDS: lambda: _("Since when, and until when"),
        Record.DISPATCH_LINES: lambda: _("Country and status, for the count of the mailing"),
        Record.IMPORT_ROWS: lambda: _("What the row made, so that the file is not taken twice"),
        Record.AUDIT_ENTRIES: lambda: _("Who changed or downloaded what kind of data, and when"),
        Record.GIFTS: lambda: _("The gifts, which belong to those who get them"),
    }
    return names[record]()


class MovedErasure(Struct, frozen=True, kw_only=True):
    """An erasure with its digests."""

    id: str
    subscriber_id: str
    created_at: datetime
    actor_kind: str
    actor_id: str
    digests: list[str]


class AccountErasures(Struct, frozen=True, kw_only=True):
    """The erasures of an account, and the secret of their digests."""

    account: str
    account_id: int
    secret: str
    erasures: list[MovedErasure]


class ErasuresFile(Struct, frozen=True, kw_only=True):
    """All erasures of a database. Whoever has the file can test whether an address was erased."""

    version: int = 1
    accounts: list[AccountErasures]
