"""Pages to import files: their columns, a preview, a rehearsal, the import and its undo."""
