"""The pages that change a subscription."""
