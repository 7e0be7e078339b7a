"""Reports: forecasts, trends, renewals, copies to send, and checks of the data."""
