"""The work on imports: place rows, rehearse, run and undo."""
