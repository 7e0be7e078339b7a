"""`/v1/dispatches/`: send out an issue in dispatch runs."""
