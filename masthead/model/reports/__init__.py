"""Reports: forecasts and trends. Pure, without a database."""
