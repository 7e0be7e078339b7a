"""SEPA mandates: what lets the publisher debit the bank account of a payer."""

import re
from datetime import date, datetime
from enum import StrEnum

from dateutil.relativedelta import relativedelta
from msgspec import Struct

from masthead.model.billing.tax_ids import check_bic, check_iban, find_bic
from masthead.model.debits.bank_text import MAX_NAME, can_be_written
from masthead.model.errors import Invalid, excerpt
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.damaged_texts import repair_texts
from masthead.model.types.fields import required_text

MONTHS_WITHOUT_USE = 36  # after which a mandate ends, by the SEPA rules
MONTHS_OF_RETURNS = 13  # in which a payer can ask back a debit that they did not allow
MAX_REFERENCE = 35
_REFERENCE = re.compile(r"[A-Za-z0-9+?/:().,'-]{1,35}")
# Countries of SEPA outside the European Economic Area: a file must name the bank and the address of
# the debtor (regulation (EU) 2023/1113)
_OUTSIDE_EEA = frozenset("AD AL CH GB GG GI IM JE MC MD ME MK RS SM VA".split())


class MandateStatus(StrEnum):
    """Whether a mandate can be used, in the words of the page."""

    VALID = gettext_noop("valid")
    REVOKED = gettext_noop("revoked")
    EXPIRED = gettext_noop("expired")
    USED = gettext_noop("used up")


class MandateScheme(StrEnum):
    """The rules of SEPA for a mandate."""

    CORE = "core"
    B2B = "b2b"


def scheme_of(is_b2b: bool) -> MandateScheme:
    """The scheme of a mandate."""
    return MandateScheme.B2B if is_b2b else MandateScheme.CORE


class NewMandate(Struct, frozen=True, kw_only=True):
    """A mandate as it is typed. reference: empty for one that masthead makes.

    bic: empty for that of the bank, as far as it is known. is_recurring: or for one debit only.
    is_b2b: by SEPA B2B, between companies; else by SEPA Core. last_used_date: of a mandate that
    another system has used.
    """

    iban: str
    bic: str = ""
    holder: str
    reference: str = ""
    is_recurring: bool = True
    is_b2b: bool = False
    signed_date: date
    last_used_date: date | None = None

    def __repr__(self) -> str:
        """The reference without the IBAN, for error reports."""
        return f"NewMandate({self.reference!r})"


class Mandate(Struct, frozen=True, kw_only=True):
    """A mandate. iban: the whole one; pages show `masked`. has_file: whether a signed one is here.

    last_used_date: the last day of a collection. is_used_up: whether its one debit was collected.
    waiting_invoice_id: the open invoice for which its one debit waits.
    """

    id: str
    payer_id: str
    reference: str
    iban: str
    bic: str
    holder: str
    is_recurring: bool
    is_b2b: bool = False
    signed_date: date
    last_used_date: date | None
    revoked_date: date | None
    revoke_reason: str
    created_at: datetime
    has_file: bool = False
    is_used_up: bool = False
    waiting_invoice_id: str | None = None

    def __repr__(self) -> str:
        """The id without the IBAN, for error reports."""
        return f"Mandate({self.id!r})"

    @property
    def masked(self) -> str:
        """The IBAN as pages show it."""
        return masked(self.iban)

    @property
    def needs_address(self) -> bool:
        """Whether its bank is told where the payer lives."""
        return self.iban[:2] in _OUTSIDE_EEA

    @property
    def last_day(self) -> date:
        """The last day on which it can be used, unless it is used again."""
        since = self.last_used_date or self.signed_date
        return since + relativedelta(months=MONTHS_WITHOUT_USE)

    def is_free(self, day: date, *, invoice_id: str | None = None) -> bool:
        """Whether another invoice can be collected by it. invoice_id: one that is taken back."""
        is_taken = self.waiting_invoice_id not in (None, invoice_id)
        return self.status_on(day) is MandateStatus.VALID and not is_taken

    def status_on(self, day: date) -> MandateStatus:
        """Whether it can be used for a collection on a day."""
        if self.revoked_date is not None:
            return MandateStatus.REVOKED
        if self.is_used_up:
            return MandateStatus.USED
        return MandateStatus.VALID if day <= self.last_day else MandateStatus.EXPIRED


def masked(iban: str) -> str:
    """An IBAN of which only the country and the end can be read: `DE** **** … 1234`."""
    return f"{iban[:2]}** **** … {iban[-4:]}" if len(iban) > 10 else "…"


def check_mandate(asked: NewMandate, *, today: date) -> NewMandate:
    """The mandate with IBAN and BIC in their short form. Raises: Invalid, without the IBAN."""
    iban = check_iban("iban", asked.iban, is_debited=True)
    bic = check_bic("bic", asked.bic) if asked.bic else find_bic(iban)
    if not bic and iban[:2] in _OUTSIDE_EEA:
        raise Invalid(
            _("A bank in {country} needs the BIC. Type it.").format(country=iban[:2]), field="bic"
        )
    if asked.signed_date > today:
        raise Invalid(
            _("The mandate cannot be signed after today. Check the day."),
            field="signed_date",
            value=asked.signed_date,
        )
    used = asked.last_used_date
    if used is not None and not asked.signed_date <= used <= today:
        raise Invalid(
            _("The last use of a mandate is between its signature and today. Check the day."),
            field="last_used_date",
            value=used,
        )
    if (used or asked.signed_date) + relativedelta(months=MONTHS_WITHOUT_USE) < today:
        raise Invalid(
            _(
                "A mandate ends {count} months after it was signed or last used. Ask the payer for "
                "a new one."
            ).format(count=MONTHS_WITHOUT_USE),
            field="signed_date",
            value=asked.signed_date,
        )
    repaired, lost = repair_texts({"holder": asked.holder}, ["holder"])
    if lost:
        raise lost[0]
    holder = required_text("holder", repaired.get("holder", asked.holder))
    if len(holder) > MAX_NAME:
        raise Invalid(
            _("The name has more than {most} characters; banks take no longer ones.").format(
                most=MAX_NAME
            ),
            field="holder",
        )
    if not can_be_written(holder):
        raise Invalid(
            _(
                "A bank cannot read `{name}`. Type the name in Latin letters, as it is on the bank "
                "card or on a bank statement."
            ).format(name=excerpt(holder)),
            field="holder",
            value=holder,
        )
    return NewMandate(
        iban=iban,
        bic=bic,
        holder=holder,
        reference=_check_reference(asked.reference),
        is_recurring=asked.is_recurring,
        is_b2b=asked.is_b2b,
        signed_date=asked.signed_date,
        last_used_date=used,
    )


def check_b2b(asked: NewMandate, *, company: str | None) -> None:
    """Raises: Invalid if a mandate between companies is of a payer who is none."""
    if asked.is_b2b and not company:
        raise Invalid(
            _(
                "A B2B mandate is for companies only, and no company is known of this payer. Add "
                "the company on the page of the subscriber, or choose a core mandate."
            ),
            code="not_a_company",
            field="scheme",
        )


def _check_reference(text: str) -> str:
    reference = text.strip()
    if reference and not (
        _REFERENCE.fullmatch(reference)
        and not reference.startswith("/")
        and not reference.endswith("/")
        and "//" not in reference
    ):
        raise Invalid(
            _(
                "`{text}` cannot be a mandate reference. Use up to {most} letters, digits and "
                "`+ ? / : ( ) . , ' -`, without blanks."
            ).format(text=excerpt(text), most=MAX_REFERENCE),
            field="reference",
            value=text,
        )
    return reference
