"""Tests of the pages of reminders and holds."""
