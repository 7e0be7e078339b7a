"""The file of a collection for the bank: pain.008.001.08 of ISO 20022."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from masthead.lazy_modules import LazyModule
from masthead.model.billing.documents import Payer, Seller
from masthead.model.debits.bank_text import MAX_NAME, plain
from masthead.model.debits.rules import Collection as Debits, DueDebit, SequenceType, group_id
from masthead.model.types.money import money_text

if TYPE_CHECKING:
    from lxml import etree
else:
    etree = LazyModule("lxml.etree")

NAMESPACE = "urn:iso:std:iso:20022:tech:xsd:pain.008.001.08"
MAX_TEXT = 140
MAX_STREET, MAX_POSTCODE, MAX_TOWN = 70, 16, 35
Element = Any  # lxml has no types


class Creditor(Struct, frozen=True):
    """Who collects: the publisher with their bank account, and their creditor identifier."""

    seller: Seller
    creditor_id: str


def write_pain008(
    collection: Debits,
    debits: Sequence[DueDebit],
    types: Mapping[str, SequenceType],
    creditor: Creditor,
) -> bytes:
    """The file: one group for each sequence type. The same collection always gives the same bytes.

    types: of each debit, by its id.
    The id of the message is that of the collection, and the end-to-end id that of the debit, so
    that bank statements name them.
    """
    root = etree.Element(f"{{{NAMESPACE}}}Document", nsmap={None: NAMESPACE})
    body = _add(root, "CstmrDrctDbtInitn")
    head = _add(body, "GrpHdr")
    _add(head, "MsgId", collection.id)
    _add(head, "CreDtTm", _moment(collection.created_at))
    _add_sums(head, debits)
    party = _add(head, "InitgPty")
    _add(party, "Nm", plain(creditor.seller.name, MAX_NAME))
    for type in SequenceType:
        together = [each for each in debits if types[each.id] is type]
        if together:
            _add_group(body, collection, together, type, creditor)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def _add_group(
    body: Element,
    collection: Debits,
    debits: Sequence[DueDebit],
    type: SequenceType,
    creditor: Creditor,
) -> None:
    """The debits of one sequence type, which the bank books as one sum."""
    seller = creditor.seller
    group = _add(body, "PmtInf")
    _add(group, "PmtInfId", group_id(collection.id, type))
    _add(group, "PmtMtd", "DD")
    _add(group, "BtchBookg", "true")
    _add_sums(group, debits)
    kind = _add(group, "PmtTpInf")
    _add(kind, "SvcLvl/Cd", "SEPA")
    _add(kind, "LclInstrm/Cd", "B2B" if collection.is_b2b else "CORE")
    _add(kind, "SeqTp", type.value)
    _add(group, "ReqdColltnDt", collection.collect_date.isoformat())
    _add(group, "Cdtr/Nm", plain(seller.name, MAX_NAME))
    _add(group, "CdtrAcct/Id/IBAN", seller.iban)
    _add_bank(group, "CdtrAgt", seller.bic)
    _add(group, "ChrgBr", "SLEV")
    other = _add(group, "CdtrSchmeId/Id/PrvtId/Othr")
    _add(other, "Id", creditor.creditor_id)
    _add(other, "SchmeNm/Prtry", "SEPA")
    for each in debits:
        _add_debit(group, each, seller.name)


def _add_debit(group: Element, debit: DueDebit, magazine: str) -> None:
    mandate = debit.mandate
    part = _add(group, "DrctDbtTxInf")
    _add(part, "PmtId/EndToEndId", debit.id)
    amount = _add(part, "InstdAmt", money_text(debit.open_amount, debit.currency))
    amount.set("Ccy", debit.currency)
    about = _add(part, "DrctDbtTx/MndtRltdInf")
    _add(about, "MndtId", mandate.reference)
    _add(about, "DtOfSgntr", mandate.signed_date.isoformat())
    _add_bank(part, "DbtrAgt", mandate.bic)
    debtor = _add(part, "Dbtr")
    _add(debtor, "Nm", plain(mandate.holder, MAX_NAME))
    if debit.payer:
        _add_address(debtor, debit.payer)
    _add(part, "DbtrAcct/Id/IBAN", mandate.iban)
    _add(part, "RmtInf/Ustrd", plain(f"{debit.number} {magazine}", MAX_TEXT))


def _add_address(debtor: Element, payer: Payer) -> None:
    """Where the payer lives, in the elements of a structured address."""
    address = _add(debtor, "PstlAdr")
    for name, text, most in (
        ("StrtNm", payer.street, MAX_STREET),
        ("PstCd", payer.postcode, MAX_POSTCODE),
        ("TwnNm", payer.city, MAX_TOWN),
    ):
        if written := plain(text, most):
            _add(address, name, written)
    _add(address, "Ctry", payer.country)


def _add_sums(element: Element, debits: Sequence[DueDebit]) -> None:
    """The number of debits, and the control sum."""
    _add(element, "NbOfTxs", str(len(debits)))
    total = sum(each.open_amount for each in debits)
    _add(element, "CtrlSum", money_text(total, debits[0].currency))


def _add_bank(element: Element, name: str, bic: str) -> None:
    place = _add(element, f"{name}/FinInstnId")
    if bic:
        _add(place, "BICFI", bic)
    else:
        _add(place, "Othr/Id", "NOTPROVIDED")


def _add(element: Element, path: str, text: str | None = None) -> Element:
    """Add an element inside others; returns it."""
    for name in path.split("/"):
        element = etree.SubElement(element, f"{{{NAMESPACE}}}{name}")
    element.text = text
    return element


def _moment(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
