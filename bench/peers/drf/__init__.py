"""Django REST Framework: key authentication, select_related, prefetch_related, orjson."""
