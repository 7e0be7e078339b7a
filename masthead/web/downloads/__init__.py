"""Downloads of lists, as CSV or XLSX, with the filters of their page."""
