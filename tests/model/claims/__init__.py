"""Tests of claims and of the limit on replacements."""
