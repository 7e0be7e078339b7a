"""The OpenAPI document of the API, and the page that shows it."""
