from django.contrib.staticfiles.storage import StaticFilesStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedWhenCollected(CompressedManifestStaticFilesStorage):
    """Hashed names once `collectstatic` has run; on a laptop, where nobody runs it, the plain names."""

    def url(self, name, force=False):
        if self.hashed_files:
            return super().url(name, force)
        return StaticFilesStorage.url(self, name)
