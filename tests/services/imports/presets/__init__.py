"""Tests of presets, from files to orders and into a database."""
