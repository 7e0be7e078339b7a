"""Whether the file of a collection for the bank is one that masthead has written."""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import structs

from masthead.lazy_modules import LazyModule
from masthead.model.billing.tax_ids import check_iban
from masthead.model.debits.rules import Collection
from masthead.model.errors import Invalid
from masthead.model.types.money import money_text
from masthead.services.debits.pain008 import Element
from masthead.store.billing import invoices
from masthead.store.billing.settings import find_settings
from masthead.store.debits import collections
from masthead.store.debits.collections import MandatedDebit
from masthead.store.engine.interface import Transaction

if TYPE_CHECKING:
    from lxml import etree
else:
    etree = LazyModule("lxml.etree")

_NAMESPACE = "{urn:iso:std:iso:20022:tech:xsd:pain.008."  # in any version
_ALL = 2**31  # collections
_OWN = 5  # signs at the beginning of an id that name the account, which an import changes


async def require_own_files(tx: Transaction, account_id: int) -> None:
    """Raises: Invalid if the file of a collection is not that of its debits."""
    for collection in await collections.list_collections(tx, account_id, _ALL):
        content = await collections.find_file(tx, account_id, collection.id)
        if content is None:
            continue
        debits = await collections.list_mandated(tx, account_id, collection.id)
        root = _parse(content)
        if root is None or not _collects(root, collection, debits):
            raise Invalid(
                f"The file of the direct debits {collection.number} in `csv/collection_files.csv` "
                "does not collect these debits. Nothing was imported. Use the export as masthead "
                "has made it."
            )
        if not await _pays_publisher(tx, account_id, root):
            raise Invalid(
                f"The file of the direct debits {collection.number} in `csv/collection_files.csv` "
                "does not pay into a bank account of the publisher: its IBAN is neither in the "
                "settings nor on an invoice. Nothing was imported. Use the export as masthead has "
                "made it."
            )


def _parse(content: bytes) -> Element | None:
    """The document of a file; None if it is none for direct debits."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    if root.getroottree().docinfo.doctype or not root.tag.startswith(_NAMESPACE):
        return None
    return root


def _collects(root: Element, collection: Collection, debits: Iterable[MandatedDebit]) -> bool:
    """Whether a file collects exactly these debits, on the day of the collection.

    The account of an export has other ids than the one where it is imported.
    """
    head, groups = _find(root, "CstmrDrctDbtInitn/GrpHdr"), _find(root, "CstmrDrctDbtInitn/PmtInf")
    days = {_text(group, "ReqdColltnDt") for group in groups}
    found = Counter(
        MandatedDebit(
            _text(part, "PmtId/EndToEndId")[_OWN:],
            _amount(part, collection.currency),
            _text(part, "DrctDbtTx/MndtRltdInf/MndtId"),
            _text(part, "DbtrAcct/Id/IBAN"),
        )
        for group in groups
        for part in _find(group, "DrctDbtTxInf")
    )
    return (
        [_text(each, "MsgId")[_OWN:] for each in head] == [collection.id[_OWN:]]
        and [_text(each, "CtrlSum") for each in head]
        == [money_text(collection.total, collection.currency)]
        and days == {collection.collect_date.isoformat()}
        and found == Counter(structs.replace(each, id=each.id[_OWN:]) for each in debits)
    )


async def _pays_publisher(tx: Transaction, account_id: int, root: Element) -> bool:
    """Whether the money of a file goes to the publisher, even if their bank was another then.

    Queries: one; if the settings have another IBAN, one more, which reads all invoices.
    """
    groups = _find(root, "CstmrDrctDbtInitn/PmtInf")
    ibans = {_text(group, "CdtrAcct/Id/IBAN") for group in groups}
    settings = await find_settings(tx, account_id)
    if len(ibans) != 1:
        return False
    [iban] = ibans
    if settings is not None and settings.iban and settings.iban == iban:
        return True
    try:
        is_written_so = check_iban("iban", iban) == iban
    except Invalid:
        return False
    return is_written_so and await invoices.has_seller_iban(tx, account_id, iban)


def _find(element: Element, path: str) -> list[Element]:
    return list(element.findall("/".join(f"{{*}}{name}" for name in path.split("/"))))


def _text(element: Element, path: str) -> str:
    """The text of an element; empty unless there is one."""
    found = _find(element, path)
    return (found[0].text or "") if len(found) == 1 else ""


def _amount(part: Element, currency: str) -> int:
    """The amount of a debit in minor units; -1 if it is none in the currency of the collection."""
    text = _text(part, "InstdAmt").replace(".", "")
    is_number = text.isascii() and text.isdigit()  # there is one amount, then
    if not is_number or _find(part, "InstdAmt")[0].get("Ccy") != currency:
        return -1
    return int(text)
