"""Tests of holds: subscriptions whose copies wait."""
