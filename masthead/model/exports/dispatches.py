"""The files of an export about dispatch runs, and about what came back."""

from masthead.model.exports.export_files import ExportFile, columns

DISPATCHES = (
    ExportFile(
        name="dispatches",
        table="dispatch",
        about="A dispatch run: the copies of one issue that go out together.",
        columns=columns(
            "id issue_id issue_number number status selection layout first_line lines copies "
            "replacements fingerprint date_sent created_at actor_kind actor_id "
            "marked_at undone_at discarded_at grace_copies group_id"
        ),
        texts_with_ids=("selection", "layout"),
    ),
    ExportFile(
        name="dispatch_lines",
        table="dispatch_line",
        about="A copy, a replacement or a grace copy in a run, with the address that it went to.",
        columns=columns(
            "id dispatch_id copy_id claim_id subscription_id subscriber_id issue_number medium "
            "salutation title first_name last_name company address1 address2 city state postcode "
            "country status left_reason left_at shipped_date is_grace"
        ),
    ),
    ExportFile(
        name="grace_copies",
        table="grace_copy",
        about="An issue after the last paid one that went out with a run, or is in one. If the "
        "subscription is renewed, it becomes a copy with the same id.",
        columns=columns("id subscription_id issue_number dispatch_id status date_sent"),
    ),
    ExportFile(
        name="dispatch_files",
        table="dispatch_file",
        about="An address file of a run. The file itself can be made again from the run.",
        columns=columns(
            "id dispatch_id format profile_id profile_name settings name status lines bytes "
            "totals sha256 error created_at actor_kind actor_id ready_at"
        ),
        left_out={
            "attempts": "how often the file was begun",
            "progress": "how much of the file is ready",
        },
        stays="the files can be made again from their runs",
    ),
    ExportFile(
        name="claims",
        table="claim",
        about="A subscriber says that a copy did not arrive, or arrived damaged.",
        columns=columns(
            "id copy_id subscription_id subscriber_id issue_number country reason notes "
            "wants_replacement status dispatch_id date_sent created_at actor_kind actor_id "
            "closed_at"
        ),
    ),
    ExportFile(
        name="delivery_reports",
        table="delivery_report",
        about="What the carrier said about a copy. The addresses are JSON.",
        columns=columns(
            "id kind status line_id copy_id subscription_id subscriber_id issue_number reason "
            "report_date old_address new_address created_at actor_kind actor_id resolved_at"
        ),
        texts_with_ids=("old_address", "new_address"),
    ),
    ExportFile(
        name="carrier_files",
        table="carrier_file",
        about="A file of a carrier that was imported, and what was found in it.",
        columns=columns("id kind name bytes summary created_at imported_at actor_kind actor_id"),
        stays="the files themselves stay with you",
    ),
)
