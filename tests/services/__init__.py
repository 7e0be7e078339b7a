"""Tests of the services: rules and transactions."""
