"""What an erasure does with the columns that `model/privacy/columns.py` does not list."""

from collections.abc import Mapping

from masthead.model.exports.contents import LEFT_OUT_OF_SERVER

# Columns that the code of the erasure rewrites or deletes
REWRITTEN: Mapping[str, str] = {
    "subscriber": "email email_key salutation title first_name last_name company address1 address2 "
    "city state postcode country language bounce_reason",
    "subscription": "gifter_name gifter_email",
    "mandate": "revoke_reason",  # mandates by which nothing was collected are deleted
    "mandate_file": "media_type content",  # of mandates whose debits can no longer be returned
    "subscriber_merge": "moved",
    "subscriber_link": "digest subscriber_id purpose email_digest new_email",
    "subscriber_session": "digest subscriber_id email_digest",
    "delivery_report": "old_address new_address reason",
    "renewal_letter": "subject body address",
    "outbox": "recipient subject body last_error unsubscribe_url link_digest",
    "period": "order_id promo_code transaction_id",  # only if they contain the email address
    "audit": "before after",
    "event": "data",
    "searchable": "shared_text subscription_text subscriber_text",
    "subscription_document": "document",
    "dispatch_file_part": "content",
    "dispatch_file": "error",
    "bank_statement": "name",
    "billed_order": "order_reference",
    "settlement": "reason",
    "carrier_file": "name summary",
    "carrier_file_part": "content",
    "import_mapping": "mapping",
    "import_batch": "name options decisions layout counts reasons error",
    "import_file_part": "content",
    "import_row": "made order_id",
    "stored_answer": "body",
    "submission": "result",
    "account_export_part": "content",
    "webhook_delivery": "answer",
}

# Columns of records that name one person. An erasure does not search them in records of others:
# there, the same name is somebody else's, and a file that contains the name is deleted completely
OF_OTHERS: Mapping[str, str] = {
    "account_export_part": "content",
    "address_change": "first_name last_name city state postcode phone",
    "bank_line": "iban",
    "carrier_file_part": "content",
    "dispatch_file": "error",
    "dispatch_file_part": "content",
    "dispatch_line": "salutation title first_name last_name city state postcode",
    "import_file_part": "content",
    "import_row": "said",  # by digests
    "mandate_file": "media_type content",
    "outbox": "recipient unsubscribe_url link_digest",
    "payer": "vat_id department",
    "searchable": "shared_text subscription_text subscriber_text",  # written again
    "stored_answer": "body",  # all are deleted
    "subscriber": "email email_key salutation title first_name last_name city state postcode "
    "country language",
    "subscriber_link": "digest subscriber_id purpose email_digest new_email",
    "subscriber_merge": "moved",
    "subscriber_session": "digest subscriber_id email_digest",
    "subscription": "first_name last_name city state postcode phone gifter_email",
    "subscription_document": "document",  # written again
    "webhook_delivery": "answer",  # all are deleted
}

# Columns about the publisher, its users and the work of masthead itself. `*`: all columns of a
# table of the whole server
NOT_PERSONAL: Mapping[str, str] = {
    # a link to sign in has only ids
    **{table: "*" for table in LEFT_OUT_OF_SERVER if table != "sign_in_link"},
    "billed_sum": "currency kind country category",
    "billing": "postcode country vat_id tax_number iban bic series",
    "collection": "currency",
    "collection_file": "content",  # what the bank was told must be kept
    "ledger_account": "name",
    "number_series": "series",
    "vat_rate": "place medium",
    "exchange_rate": "base_currency quote_currency rate",
    "account": "subdomain currency locale country time_zone country_languages",
    "account_export": "status sha256 error",
    "account_user": "role rights",
    "api_key": "scope prefix created_by replaced_by rights",
    "bank_statement": "sha256 format iban currency",
    "carrier_file": "kind",
    "carrier_file_part": "kind",
    "dated_price": "currency medium country_group",
    "dispatch": "status selection layout fingerprint",
    "dispatch_file": "format status totals sha256",
    "erasure": "kept",
    "import_batch": "sha256 status issues",
    "issue": "newsstand_ean",
    "issue_cover": "media_type sha256 content",
    "letter_batch": "stage channel",
    "letter_exclusion": "stage",
    "letterhead": "media_type content",
    "paid_sum": "currency",
    "price_rise": "currency medium country_group",
    "product": "type",
    "product_price": "medium country_group currency",
    "reminder": "locale",
    "renewal_letter": "locale",
    "renewal_stage": "stage",
    "retention": "medium",
    "retention_rule": "kind",
    "revenue_statement": "status figures sha256 orders_sha256 error",
    "revenue_statement_part": "file content",  # ids and amounts of orders
    "sandbox": "data",
    "self_service": "actions colour logo logo_type page_url",
    "skipped_issue": "instead",
    "source": "type",
    "stored_answer": "key_digest request_digest",
    "submission": "digest",
    "summed_until": "last_invoice last_payment",
    "webhook": "types status disabled_reason signing_keys",
}
