"""The group `masthead dispatch` with its commands."""

from cyclopts import App

from masthead.cli import claims, returns
from masthead.cli.command import format_examples
from masthead.cli.dispatch import export, preview, runs

DISPATCH = App(
    name="dispatch",
    help="Send out an issue: dispatch runs.",
    help_prologue=format_examples(
        "masthead dispatch preview --account acme --issue 12",
        "masthead dispatch freeze --account acme --issue 12 --country DE --country AT",
        "masthead dispatch list --account acme --issue 12",
        "masthead dispatch show --account acme 00001...",
        "masthead dispatch export --account acme 00001... --format csv --output list.csv",
        "masthead dispatch mark --account acme 00001... --date 2026-12-01",
        "masthead dispatch undo --account acme 00001...",
        "masthead dispatch discard --account acme 00001...",
        "masthead dispatch shipped --account acme shipped.csv",
        "masthead dispatch returned --account acme returned.csv",
        "masthead dispatch claim --account acme --copy K7M2Q4D9X --reason never_arrived",
        "masthead dispatch claims --account acme --status open",
        "masthead dispatch freeze --account acme --issue 12 --only-replacements",
    ),
)

DISPATCH.command(preview.preview_run, name="preview")
DISPATCH.command(runs.freeze_run, name="freeze")
DISPATCH.command(runs.list_runs, name="list")
DISPATCH.command(runs.show_run, name="show")
DISPATCH.command(export.export_file, name="export")
DISPATCH.command(runs.mark_run, name="mark")
DISPATCH.command(runs.undo_run, name="undo")
DISPATCH.command(runs.discard_run, name="discard")
DISPATCH.command(returns.import_shipped_copies, name="shipped")
DISPATCH.command(returns.import_returned_copies, name="returned")
DISPATCH.command(claims.record_claim, name="claim")
DISPATCH.command(claims.list_claims, name="claims")
DISPATCH.command(claims.close_claim, name="close-claim")
