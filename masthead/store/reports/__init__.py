"""Reports: forecasts, trends, and the copies to send."""
