"""The Django version as a WSGI application."""

import os
from collections.abc import Callable
from typing import Any

from django.core.wsgi import get_wsgi_application

from masthead.supervision import follow_supervisor


def create_app() -> Callable[..., Any]:
    """The application of a worker."""
    follow_supervisor()
    os.environ["DJANGO_SETTINGS_MODULE"] = "bench.peers.drf.settings"
    return get_wsgi_application()
