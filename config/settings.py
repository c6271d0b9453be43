"""Settings. The only module that reads the environment; docs/operations.md lists each variable."""

from pathlib import Path
from typing import Any
from urllib.parse import unquote

import environ
from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP
from limits import RateLimitItem, parse_many

from config.redis import broker_url, limits_url

BASE_DIR = Path(__file__).resolve().parent.parent

env = environ.Env()

DEBUG = False
SECRET_KEY = env.str("SECRET_KEY", default="")
if len(SECRET_KEY) < 32:
    raise ImproperlyConfigured("SECRET_KEY must be set to a secret of at least 32 characters.")

ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

# --- the product -------------------------------------------------------------------------

VERSIONED_SURFACE = env.bool("MEMORY_VERSIONED_SURFACE", default=True)
"""Contract §0 "Fence": off answers 503 to all that needs versions, before any look-up."""

ERROR_REFERENCE_URL = env.str(
    "ERROR_REFERENCE_URL", default="https://docs.checkfu.com/reference/errors"
)
MAX_DOCUMENTS = env.int("MEMORY_MAX_DOCUMENTS", default=10_000)
"""Documents in one store (contract M2)."""


def _rate_limits(name: str, default: str) -> list[RateLimitItem]:
    text = env.str(name, default=default)
    try:
        return [] if text == "off" else parse_many(text)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be like 100/second;3000/minute.") from error


RATE_LIMITS = _rate_limits("RATE_LIMIT", default="6000/minute")
"""What one API key may ask (contract §0: 429 `budget.exceeded`); all of them hold."""

SIGN_IN_LIMITS = _rate_limits("SIGN_IN_LIMIT", default="10/minute;60/hour")
"""How often one user name may be tried in the Console from one address; all of them hold."""

SIGN_IN_NAME_LIMITS = _rate_limits("SIGN_IN_NAME_LIMIT", default="200/minute;2000/hour")
"""The same from all addresses together: high, as who reaches it keeps the person out as well."""

API_VERSIONS = ("2026-08-27", "2026-08-24")
RELEASE = "0.1.0"

STATE_DIR = Path(env.str("STATE_DIR", default="") or BASE_DIR / "var").absolute()
"""Where this installation keeps what is its own, the demo's secrets among it."""

# --- Django ------------------------------------------------------------------------------

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "heroicons",
    "pgtrigger",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "tenancy",
    "jobs",
    "memory",
    "proposals",
    "sessions.apps.SessionsConfig",
    "notices",
    "console",
]

MIDDLEWARE = [
    "wire.requestids.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
APPEND_SLASH = False

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

POOL_SIZE = env.int("DATABASE_POOL_SIZE", default=8)
"""Connections a process may hold; at least the server's blocking threads."""

DATABASES = {"default": env.db("DATABASE_URL")}
DATABASES["default"] |= {
    "ENGINE": "django.db.backends.postgresql",
    "CONN_HEALTH_CHECKS": True,
    "CONN_MAX_AGE": 0,
    # A socket folder is spelled percent-encoded in a URL, as libpq has it.
    "HOST": unquote(DATABASES["default"]["HOST"]),
}
DATABASES["default"].setdefault("OPTIONS", {})
DATABASES["default"]["OPTIONS"] |= {
    "application_name": "checkfu-memory",
    "options": (
        "-c lock_timeout=5s -c statement_timeout=60s"
        " -c idle_in_transaction_session_timeout=60s -c timezone=UTC"
    ),
}
if env.bool("DATABASE_PREPARED_STATEMENTS", default=True):
    # PostgreSQL plans a repeated statement once a connection: a read costs a fourth. To be switched
    # off behind a pooler that hands out connections by transaction and knows no prepared ones.
    DATABASES["default"]["OPTIONS"] |= {"server_side_binding": True, "prepare_threshold": 3}
if POOL_SIZE:
    DATABASES["default"]["OPTIONS"]["pool"] = {
        "min_size": 1,
        "max_size": POOL_SIZE,
        "timeout": 10,
        # Seconds until an attempt to connect is given up, and each request makes a new one. An
        # attempt that lasts waits twice as long each time, and goes on waiting after the outage.
        "reconnect_timeout": 5,
    }

# --- Valkey, or Redis: wakes workers, counts requests ---------------------------------------

REDIS_URL = env.str("REDIS_URL", default="redis://127.0.0.1:6379/0")
try:
    CELERY_BROKER_URL, LIMITS_URL = broker_url(REDIS_URL), limits_url(REDIS_URL)
except ValueError as error:
    raise ImproperlyConfigured(str(error)) from error

# --- Celery: carries the IDs of jobs, never the truth about them ----------------------------

CELERY_BROKER_TRANSPORT_OPTIONS = {
    "global_keyprefix": "checkfu:",
    # A message that a dead worker had taken is handed out again; the sweep is much quicker.
    "visibility_timeout": 900,
    "socket_connect_timeout": 1,
    "socket_timeout": 5,
    "max_retries": 0,  # of a request that offers a job; workers are told below
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_PUBLISH_RETRY = False  # whoever offers a job does not wait: the sweep offers it again
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_DEFAULT_QUEUE = "jobs"
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"  # intervals in seconds need no memory on disk
CELERY_BEAT_SCHEDULE = {
    "beat": {"task": "jobs.beat", "schedule": 10.0, "options": {"expires": 10}},
    "sweep": {"task": "jobs.sweep", "schedule": 15.0, "options": {"expires": 15}},
    "notices": {"task": "notices.sweep", "schedule": 15.0, "options": {"expires": 15}},
}

# --- e-mail: tells people where to look, and nothing of what is there -------------------------

CONSOLE_URL = env.str("CONSOLE_URL", default="http://localhost:8000")
"""Where people find the Console: what letters link to begins with it."""


def _mailer() -> dict[str, Any]:
    """EMAIL_URL as Django's MAILERS have it."""
    read = env.email_url("EMAIL_URL", default="consolemail://")
    options = {
        "host": read["EMAIL_HOST"],
        "port": read["EMAIL_PORT"],
        "username": read["EMAIL_HOST_USER"] or "",
        "password": read["EMAIL_HOST_PASSWORD"] or "",
        "use_tls": read.get("EMAIL_USE_TLS", False),
        "use_ssl": read.get("EMAIL_USE_SSL", False),
        "timeout": 20,
    }
    over_smtp = read["EMAIL_BACKEND"].endswith(".smtp.EmailBackend")
    given = {name: value for name, value in options.items() if value is not None}
    return {"BACKEND": read["EMAIL_BACKEND"], "OPTIONS": given if over_smtp else {}}


MAILERS = {"default": _mailer()}
DEFAULT_FROM_EMAIL = env.str("MAIL_FROM", default="Checkfu Memory <notices@localhost>")

AUTH_USER_MODEL = "tenancy.User"
LOGIN_URL = "console:sign-in"
LOGIN_REDIRECT_URL = "console:queue"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = env.path("STATIC_ROOT", default=str(BASE_DIR / "var" / "static"))
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024 * 1024
"""Bytes of one request body (contract §0)."""

FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]
"""No form takes files, and whoever sends one before signing in shall not fill the disk with it."""

# --- security ----------------------------------------------------------------------------

SECURE_COOKIES = env.bool("SECURE_COOKIES", default=True)
"""Off only where the Console is served without TLS, as on a developer's own machine."""

SESSION_COOKIE_SECURE = SECURE_COOKIES
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = SECURE_COOKIES
CSRF_FAILURE_VIEW = "console.failures.csrf_failure"
SECURE_SSL_REDIRECT = False  # TLS ends at the balancer
SECURE_HSTS_SECONDS = 31_536_000 if SECURE_COOKIES else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_COOKIES
SECURE_HSTS_PRELOAD = SECURE_COOKIES
TRUST_PROXY_HEADERS = env.bool("TRUST_PROXY_HEADERS", default=False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUST_PROXY_HEADERS else None
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
}
SILENCED_SYSTEM_CHECKS = [
    "security.W008",  # the balancer redirects to TLS, see SECURE_SSL_REDIRECT
]

# --- REST API ----------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["tenancy.authentication.BearerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["wire.rendering.JsonRenderer"],
    "DEFAULT_PARSER_CLASSES": ["wire.parsing.StrictJsonParser"],
    "DEFAULT_SCHEMA_CLASS": "wire.openapi.ContractSchema",
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "wire.rendering.AlwaysJson",
    "EXCEPTION_HANDLER": "wire.handler.exception_handler",
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
}

SPECTACULAR_SETTINGS = {
    "TITLE": "Checkfu Memory",
    "DESCRIPTION": "Versioned, reviewed and erasable memory that AI agents share.",
    "VERSION": API_VERSIONS[0],
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/v1",
    "POSTPROCESSING_HOOKS": [],  # wire.openapi names every component itself
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# --- logs: structured, with request IDs, never customer text (contract X5) -----------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"request_id": {"()": "wire.requestids.RequestIdFilter"}},
    "formatters": {
        "json": {
            "()": "wire.logs.JsonFormatter",
            "fmt": "%(levelname)s %(name)s %(message)s %(request_id)s",
            "rename_fields": {"levelname": "level", "name": "logger"},
            "timestamp": True,
        }
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "filters": ["request_id"],
            "formatter": "json",
        }
    },
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", default="INFO")},
    "loggers": {
        "django": {"handlers": [], "propagate": True},
        "django.server": {"handlers": [], "propagate": True},
        # These echo request paths and host names, which hold customer text.
        "django.request": {"level": "CRITICAL"},
        "django.security": {"level": "CRITICAL"},
        # These quote an exception's message; jobs.tasks logs its type.
        "celery.app.trace": {"level": "CRITICAL"},
        # A line for each message, sign of life included.
        "celery.beat": {"level": "WARNING"},
        "celery.worker.strategy": {"level": "WARNING"},
        # A line for each attempt to connect; wire.handler logs the outage itself.
        "psycopg.pool": {"level": "ERROR"},
    },
}
