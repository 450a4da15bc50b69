"""The processes that one command starts and supervises on a laptop: web server, Celery, broker, and a SQLite for many writers."""
