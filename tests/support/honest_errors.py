"""The errors that a person gets who sends each request of `/docs` twice, as it is filled in.

By operation: the codes of the first and of the second response; empty if it succeeds. A person
still has to choose something, or the first request did what the second one asks for.
"""

HONEST_ERRORS = {
    "create_subscription": ["invalid_source", "invalid_source"],
    "renew_subscription": ["invalid_source", "invalid_source"],
    "cancel_subscription": ["not_recurring", "not_recurring"],
    "create_issue": ["", "duplicate_issue_number"],
    "create_dispatch": ["unknown_issue", "unknown_issue"],
    "mark_dispatch_sent": ["", "already_marked"],
    "undo_dispatch": ["", "not_marked"],
    "discard_dispatch": ["", "already_discarded"],
    "accept_delivery_report": ["not_open", "not_open"],
    "dismiss_delivery_report": ["not_open", "not_open"],
    "create_claim": ["unknown_copy", "unknown_copy"],
    "create_payment": ["unknown_invoice", "unknown_invoice"],
    "undo_payment": ["", "changed_meanwhile"],
    "create_order": ["invalid_source", "invalid_source"],
    "update_terms": ["already_sent", "already_sent"],
    "reopen_subscription": ["not_cancelled", "not_cancelled"],
    "move_subscription": ["unknown_subscriber", "unknown_subscriber"],
    "change_price": ["unknown_order", "unknown_order"],
    "create_refund": ["unknown_order", "unknown_order"],
    "create_address_change": ["unknown_subscription", "unknown_subscription"],
    "cancel_address_change": ["", "already_cancelled"],
    "create_webhook": ["invalid_url", "invalid_url"],  # no DNS has the host of the example
    "resend_webhook_events": ["unknown_event", "unknown_event"],
    # the account of the test has real time
    "get_sandbox_clock": ["not_a_sandbox", "not_a_sandbox"],
    "move_sandbox_clock": ["not_a_sandbox", "not_a_sandbox"],
    "reset_sandbox": ["not_a_sandbox", "not_a_sandbox"],
    "list_sandbox_emails": ["not_a_sandbox", "not_a_sandbox"],
    "delete_webhook": ["", "not_found"],
}
