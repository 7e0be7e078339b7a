"""Tests of reports, with data created by the API and by imports."""
