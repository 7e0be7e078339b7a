"""Imports: what rows said about their subscribers, and the issues that a batch created."""

STATEMENTS = (
    "ALTER TABLE import_row ADD COLUMN said text",
    "ALTER TABLE import_batch ADD COLUMN issues text NOT NULL DEFAULT '[]'",
)
