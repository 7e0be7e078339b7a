"""The pure rules of reports: forecasts, renewals, timelines and trends."""
