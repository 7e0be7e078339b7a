"""The REST API: routes, authentication, handlers and the OpenAPI document."""
