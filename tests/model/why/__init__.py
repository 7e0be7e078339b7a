"""Tests of the rules that tell why a reader got an issue or did not."""
