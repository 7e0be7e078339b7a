"""The file of an export about letterheads."""

from masthead.model.exports.nouns import Noun, columns

LETTERHEADS = (
    Noun(
        name="letterheads",
        table="letterhead",
        about="A picture at the top of invoices; `content` is the file in base64.",
        key=("number",),
        columns=columns("number media_type width height content created_at"),
    ),
)
