"""The text that explains an export to the person who opens its folder."""

README = """\
This folder has everything that masthead knows about one publication.

erasures.json   who was erased, without names, so that an import does not bring them back.
manifest.json   lists the files with their rows, bytes, SHA-256 digests and columns. It is written
                last: a folder without it is not complete.
spreadsheet/    tables for Excel, LibreOffice or Numbers. A text that a spreadsheet would run as a
                formula has an apostrophe before it. Tables with more than a million rows have
                several files.
csv/            the same tables for programs, exactly as they are stored: UTF-8, columns separated
                by commas, dates as 2026-11-22, true and false, amounts as 12.00. An empty cell has
                no value. Do not open and save these files with a spreadsheet.
json/           subscribers, subscriptions, issues, copies and sources as the API of masthead
                returns them, one JSON object on each line.

Records refer to each other by id: `subscriber_id` in subscriptions.csv is the `id` of a row in
subscribers.csv.

To move to another masthead, make an account there and import this folder:

    masthead import --account NAME --preset masthead FOLDER

orders.csv alone can be imported too, into any account. Every file and column is described at
docs/moving-out.md of masthead.

The files have personal data. Keep them where only you can read them, and delete them when they
are no longer needed.
"""
