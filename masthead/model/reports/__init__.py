"""Reports: forecasts, the timeline of a subscriber, and trends. Pure, without a database."""
