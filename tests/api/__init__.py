"""The API from outside: one file per endpoint, one test per sentence of its law."""
