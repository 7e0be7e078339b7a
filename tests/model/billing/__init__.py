"""Tests of the rules of billing."""
