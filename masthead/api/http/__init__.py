"""HTTP for the API: middleware, requests and responses, JSON, limits."""
