"""Tests: The files of carriers."""
