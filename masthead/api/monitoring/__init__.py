"""The numbers of the service for Prometheus."""
