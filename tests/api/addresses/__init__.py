"""Tests of `/v1/address-changes/`."""
