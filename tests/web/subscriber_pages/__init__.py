"""Tests of the pages for subscribers."""
