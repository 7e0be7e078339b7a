"""Tests of the rules that tell why a subscriber got an issue or did not."""
