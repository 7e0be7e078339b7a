"""Tests of dispatch runs, their files, claims and delivery reports."""
