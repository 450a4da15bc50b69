"""Reports on evidence: asked for, computed by Celery in parts, published; all of it can be deleted and computed again."""
