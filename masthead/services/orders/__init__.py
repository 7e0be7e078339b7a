"""Places orders: read the order context, make the order plan, write the rows."""
