"""Pages that let data out: files of lists, and the export of everything."""
