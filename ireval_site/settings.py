"""One settings file, driven by the environment; docs/reference/settings.md lists the variables.

Nothing set: SQLite, files under var/, http on this machine only. DATABASE_URL: PostgreSQL. REDIS_URL: Celery's broker.
IREVAL_URL: the public address; with https:// cookies are secure and plain http is redirected.
"""

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONCE, NONE, SELF

from ireval_site import environment, languages
from ireval_site.laptop import sqlite

sqlite.use_best_sqlite()

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("IREVAL_DATA", BASE_DIR / "var")).resolve()
DATABASE_URL = os.environ.get("DATABASE_URL", "")
REPLICA_URL = os.environ.get("REPLICA_URL", "")
REDIS_URL = os.environ.get("REDIS_URL", "")
PUBLIC_URL = environment.public_address("IREVAL_URL")
HTTPS = PUBLIC_URL.startswith("https://")
TRUSTED_PROXIES = environment.networks("IREVAL_TRUSTED_PROXIES")  # nobody else's X-Forwarded-For and -Proto are believed
DEMO = environment.flag("IREVAL_DEMO")

DEBUG = environment.debugging(PUBLIC_URL)
SECRET_KEY = environment.secret_key(DATA_DIR, production=bool(DATABASE_URL or PUBLIC_URL))
SECRET_KEY_FALLBACKS = environment.former_keys("SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
if PUBLIC_URL:
    ALLOWED_HOSTS.append(urlsplit(PUBLIC_URL).hostname or "")
    CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "django_filters",
    "csp",
    "rest_framework",
    "knox",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "ireval_site",  # what pages share: styles, the icon, the script of each page
    "judging",
    "metrics",
]

MIDDLEWARE = [
    "ireval_site.request_ids.with_request_id",
    "ireval_site.prometheus.timed",
    "ireval_site.addresses.only_proxies_forward",
    "ireval_site.middleware.watched_by_any_name",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "ireval_site.middleware.PolicyBuiltOnce",
    "ireval_site.middleware.everybody_reads_their_language",
    "ireval_site.middleware.secret_addresses_are_not_told",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "ireval_site.middleware.parts_of_pages_vary",
    "ireval_site.middleware.whole_pages_ask_to_sign_in",
    "ireval_site.middleware.explain_wrong_methods",
    "ireval_site.middleware.RefusalsExplained",
]

ROOT_URLCONF = "ireval_site.urls"
WSGI_APPLICATION = "ireval_site.wsgi.application"

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
    }
]

DATABASES: dict[str, Any]
if DATABASE_URL:
    DATABASES = {"default": environment.postgresql(DATABASE_URL)}
    # Planning what every judgement runs took PostgreSQL longer than running it: a statement asked five times is kept planned.
    DATABASES["default"]["OPTIONS"].update(server_side_binding=True, prepare_threshold=5)
    if REPLICA_URL:
        # Reports of click logs read here what may be a moment old. Nothing is written to it, so tests make none of their own.
        DATABASES["replica"] = environment.postgresql(REPLICA_URL)
        DATABASES["replica"]["TEST"] = {"MIRROR": "default"}
else:
    DATABASES = {"default": sqlite.database(DATA_DIR / "ireval.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "judging.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {"NAME": "judging.accounts.closure.TokensEndWithThePassword"},
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
# Who may make an account. Workers who come by a link or from a marketplace need none, whatever is set here.
SIGNUP = environment.choice("IREVAL_SIGNUP", ("invitation", "open", "closed"))
MAIL_SERVER = environment.mail_server("IREVAL_SMTP", PUBLIC_URL)
SENDS_MAIL = bool(MAIL_SERVER)  # without it links are shown to admins
globals().update(MAIL_SERVER)
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = os.environ.get("IREVAL_MAIL_FROM", f"ireval@{urlsplit(PUBLIC_URL).hostname or 'localhost'}")
WEBHOOKS_MAY_BE_PRIVATE = environment.flag("IREVAL_WEBHOOKS_PRIVATE")  # else nobody has this server post to what is inside
PASSWORD_RESET_TIMEOUT = 86_400
ACCOUNT_ADAPTER = "judging.accounts.adapters.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*" if SIGNUP == "open" else "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "optional"
ACCOUNT_UNIQUE_EMAIL = False  # nobody signs in by it; else signing up would tell who has an account
ACCOUNT_CHANGE_EMAIL = True  # one address a person
ACCOUNT_FORMS = {"add_email": "judging.forms.accounts.AddressForm"}
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 900
ACCOUNT_RATE_LIMITS = MFA_RATE_LIMITS = False  # ours are shared by all processes: judging/accounts/passwords.py
MFA_ADAPTER = "judging.accounts.adapters.SecondStepAdapter"
MFA_FORMS = {
    "authenticate": "judging.forms.accounts.SecondStepForm",
    "reauthenticate": "judging.forms.accounts.SecondStepAgainForm",
    "activate_totp": "judging.forms.accounts.ActivateForm",
}
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_TOLERANCE = 1  # phones' clocks
MFA_TOTP_ISSUER = "ireval"
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = ["^healthz$", "^readyz$", "^metrics$"]  # asked for from inside, without TLS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
# Subdomains may be somebody else's, and browsers that have the list built in forget nobody: only for who asks for it.
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS and environment.flag("IREVAL_HSTS_PRELOAD")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

# A folder of locale/ is one more language.
LANGUAGE_CODE = "en-gb"
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGES = [(LANGUAGE_CODE, "English"), *languages.translated(LOCALE_PATHS[0])]
FORMAT_MODULE_PATH = "ireval_site.formats"
LANGUAGE_COOKIE_AGE = 31_536_000
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = HTTPS
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = Path(os.environ.get("IREVAL_STATIC", DATA_DIR / "static"))
WHITENOISE_USE_FINDERS = True
MEDIA_ROOT = DATA_DIR / "files"
# Where the launcher had static files compressed; while they are being worked on, they are served from where they are edited.
PACKED = Path(os.environ["IREVAL_PACKED"]) if "IREVAL_PACKED" in os.environ else None
STATICFILES_DIRS = [PACKED] if PACKED and not DEBUG else []
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "ireval_site.static.LoadedFiles",
]
COPIES_MAX_BYTES = environment.number("IREVAL_COPIES_MAX_MB", 4096) * 2**20  # of a bucket's files, on each host
STORAGES = {
    "default": environment.file_storage("IREVAL_FILES"),
    "staticfiles": {"BACKEND": "ireval_site.static.HashedWhenCollected"},
}

# Uploads: what one request may carry, and what a whole file may.
DATA_UPLOAD_MAX_MEMORY_SIZE = 9 * 2**20
UPLOAD_CHUNK_BYTES = 4 * 2**20
UPLOAD_MAX_BYTES = environment.number("IREVAL_UPLOAD_MAX_MB", 2048) * 2**20
UNPACKED_MAX_BYTES = environment.number("IREVAL_UNPACKED_MAX_MB", 16384) * 2**20
RUN_MAX_BYTES = environment.number("IREVAL_RUN_MAX_MB", 2048) * 2**20  # runs and qrels are read whole

BACKUP_TO = Path(os.environ["IREVAL_BACKUP_TO"]).resolve() if os.environ.get("IREVAL_BACKUP_TO") else None
BACKUP_KEEP = environment.numbers("IREVAL_BACKUP_KEEP", (7, 4, 12))  # of so many days, weeks and months the last one each

LOG_PER_SECOND = environment.number("IREVAL_LOG_PER_SECOND", 30_000)  # records that one write key may send; 0: any number
# Records of days that ended so many days ago leave the database for files, where a site has many.
LOG_ARCHIVE_DAYS = environment.number("IREVAL_LOG_ARCHIVE_DAYS", 7)
LOG_ENGINE = environment.log_engine("IREVAL_LOG_ENGINE")  # a cluster that computes reports of logs, instead of Celery workers

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "ireval_site.tokens.Tokens",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PAGINATION_CLASS": "ireval_site.pagination.Pages",
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["judging.api.parsers.BoundedJSON"],
    "EXCEPTION_HANDLER": "judging.api.errors.explain",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_VERSIONING_CLASS": "rest_framework.versioning.URLPathVersioning",
    "DEFAULT_VERSION": "v1",
    "ALLOWED_VERSIONS": ["v1"],
}
KNOX_TOKEN_MODEL = "judging.Token"  # noqa: S105  the name of a model
MIGRATION_MODULES = {"knox": None}  # they would make a table for the tokens that ours replace
REST_KNOX = {"TOKEN_TTL": None, "TOKEN_PREFIX": "ireval_"}
SPECTACULAR_SETTINGS = {
    "TITLE": "ireval",
    "DESCRIPTION": "Collections, runs, studies, judgements, qrels and reports. "
    "Send a token from your account page with each request: `Authorization: Token ireval_…`.",
    "VERSION": "0.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "DEFAULT_GENERATOR_CLASS": "ireval_site.schema.Generator",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "ENUM_NAME_OVERRIDES": {
        "StudyState": "judging.models.Study.State",
        "UploadState": "judging.models.Upload.State",
        "SearchState": "judging.models.NearDuplicates.State",
        "ReportKind": "metrics.models.Report.Kind",
        "ReportState": "metrics.models.Report.State",
        "UploadKind": "judging.models.Upload.Kind",
        "CannotJudge": "judging.models.Judgement.CannotJudge",
        "Standing": "judging.models.Worker.Standing",
        "SetAside": "judging.api.exclusions.SET_ASIDE",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "ireval_site.schema.with_errors",
        "ireval_site.schema.with_summaries",
    ],
    # Endpoints, by what they are about, their fields with them. Of more than 150 lines Swagger draws those in view alone, and no
    # browser finds the others: each resource is opened by who wants it.
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "defaultModelsExpandDepth": -1, "docExpansion": "none", "filter": True},
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# Without a broker named, messages wait in the outbox until a process that has one sweeps it.
CELERY_BROKER_URL = REDIS_URL or "memory://"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a broker may be away for a day
CELERY_WORKER_CONSUMER = "ireval_site.consumer:PromptConsumer"
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 3600,
    "unacked_restore_interval": 1,
    "unacked_restore_throttle": 1,
    "socket_timeout": 5,
    "socket_connect_timeout": 2,
    "health_check_interval": 10,
    "max_retries": 0,  # of whoever sends: a request would wait for six seconds, and the outbox is the retry
}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_TIME_LIMIT = 3000  # seconds; below the visibility timeout, or Redis would hand a running task out again
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_PUBLISH_RETRY = False  # the outbox is the retry
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "ireval_site.beat:Scheduler"  # nothing on disk: every entry is an interval
# What waited longer than it `expires` is dropped, so that few sweeps follow each other when workers come back. The moment is the
# beat's, read by a worker's clock: half a minute lets hosts differ.
CELERY_BEAT_SCHEDULE = {
    "sweep-outbox": {"task": "judging.tasks.sweep_outbox", "schedule": 3.0, "options": {"expires": 30}},
    "sweep-uploads": {"task": "judging.tasks.sweep_uploads", "schedule": 10.0, "options": {"expires": 30}},
    "sweep-slots": {"task": "judging.tasks.sweep_slots", "schedule": 60.0, "options": {"expires": 60}},
    "sweep-rules": {"task": "judging.tasks.sweep_rules", "schedule": 60.0, "options": {"expires": 60}},
    "sweep-files": {"task": "judging.tasks.sweep_files", "schedule": 900.0, "options": {"expires": 900}},
    "sweep-messages": {"task": "judging.tasks.sweep_messages", "schedule": 30.0, "options": {"expires": 30}},
    "sweep-studies": {"task": "judging.tasks.sweep_studies", "schedule": 60.0, "options": {"expires": 60}},
    "sweep-traces": {"task": "judging.tasks.sweep_traces", "schedule": 300.0, "options": {"expires": 300}},
    "sweep-logs": {"task": "judging.tasks.sweep_logs", "schedule": 3600.0, "options": {"expires": 3600}},
    "sweep-backups": {"task": "judging.tasks.sweep_backups", "schedule": 900.0, "options": {"expires": 900}},
    "sweep-archive": {"task": "judging.tasks.sweep_archive", "schedule": 3600.0, "options": {"expires": 3600}},
    "sweep-log-reports": {"task": "metrics.tasks.sweep_log_reports", "schedule": 3600.0, "options": {"expires": 3600}},
    "renew-reports": {"task": "metrics.tasks.renew_reports", "schedule": 900.0, "options": {"expires": 900}},
    "resume-reports": {"task": "metrics.tasks.resume_reports", "schedule": 10.0, "options": {"expires": 30}},
}

METRICS_TOKEN = environment.token("IREVAL_METRICS_TOKEN")  # without it nothing is measured, and there is no page of it
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"redact": {"()": "ireval_site.redaction.Redact"}, "origin": {"()": "ireval_site.log_lines.Origin"}},
    "formatters": {
        "text": {"format": "{asctime} {levelname} {request_id} {name} {message}", "style": "{"},
        "json": {"()": "ireval_site.log_lines.Json"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": environment.choice("IREVAL_LOG_FORMAT", ("text", "json")),
            "filters": ["redact", "origin"],
        }
    },
    # These bring handlers of their own, which would write, or mail, what the filter takes out.
    "loggers": {
        **{name: {"handlers": [], "propagate": True} for name in ("django", "django.server", "granian.access", "_granian")},
        "botocore": {"level": "WARNING"},  # says where it has its address from, for each connection
    },
    "root": {"handlers": ["console"], "level": environment.log_level("IREVAL_LOG_LEVEL")},
}
if SENTRY_DSN := os.environ.get("SENTRY_DSN", ""):
    from ireval_site import sentry

    sentry.start(SENTRY_DSN)

# Subdomains and preloading are asked for with IREVAL_HSTS_PRELOAD; without it they are left out on purpose.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
