"""The pages that change the address of a subscriber."""
