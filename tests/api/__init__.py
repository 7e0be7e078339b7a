"""The API over HTTP: one file per endpoint, one test per sentence of the specification."""
