"""Each id of the API says which kind of record it is of."""

import re

from masthead.store.record_kinds import KINDS
from tests.golden.schema import FILES

# Records with an id that the API does not show
INTERNAL = """
    account_export bank_line bank_statement cancellation carrier_file collection debit
    dispatch_file erasure export_profile letter_batch mandate outbox reminder reminder_round
    renewal_letter revenue_statement settlement subscriber_merge subscriber_note subscriber_request
    subscription_change subscription_document subscription_hold
"""


def test_every_table_with_a_text_id_is_a_kind_of_record_or_internal() -> None:
    schema = FILES["sqlite"].read_text(encoding="utf-8")
    tables = {
        table
        for table, columns in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\)", schema, re.DOTALL)
        if re.search(r"^    account_id ", columns, re.MULTILINE)
        and re.search(r"^    id text ", columns, re.MULTILINE)
    }
    assert tables == {*KINDS, *INTERNAL.split()}
