"""What one command starts on a laptop: web server, Celery and broker, watched over, with a SQLite that many may write to."""
