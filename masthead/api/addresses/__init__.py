"""`/v1/address-changes/`."""
