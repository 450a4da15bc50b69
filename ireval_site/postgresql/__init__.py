"""Django's PostgreSQL backend, which asks less often whether a connection still works (`base`)."""
