"""`/v1/delivery-reports/`: what carriers say about copies."""
