"""Tests of the pages about money."""
