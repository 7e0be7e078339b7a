"""Write the lines of a dispatch run as a file: CSV, XLSX, PDF or ZIP.

The same run, settings and version of masthead give the same bytes.
"""
