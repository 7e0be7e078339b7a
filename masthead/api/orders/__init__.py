"""`/v1/orders/` and the corrections of orders."""
