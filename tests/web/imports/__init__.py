"""Tests of the pages about imports."""
