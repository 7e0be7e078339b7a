"""The settings of the Django version: only the apps and middleware that it needs."""

import os
from urllib.parse import urlsplit

_url = os.environ.get("MASTHEAD_DATABASE_URL", "sqlite:///:memory:")
_parts = urlsplit(_url)

SECRET_KEY = "of no use here"  # noqa: S105 - nothing is signed
ALLOWED_HOSTS = ["*"]
DEBUG = False
USE_TZ = True
INSTALLED_APPS = ["bench.peers.drf"]
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]  # sends the length of responses
ROOT_URLCONF = "bench.peers.drf.views"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": _url.removeprefix("sqlite:///"),
        "CONN_MAX_AGE": None,  # connections stay open
        "OPTIONS": {
            "timeout": 30,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL",
        },
    }
    if _url.startswith("sqlite:")
    else {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": _parts.path.removeprefix("/"),
        "USER": _parts.username,
        "HOST": _parts.hostname,
        "PORT": _parts.port,
        "CONN_MAX_AGE": None,
    }
}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["bench.peers.drf.authentication.KeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["bench.peers.drf.authentication.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "UNAUTHENTICATED_USER": None,
}
