"""Queries of reports: forecasts, trends, renewals, and checks of the data."""
