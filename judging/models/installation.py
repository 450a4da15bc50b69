from uuid import uuid4

from django.db import models


class Installation(models.Model):
    """The database as the file storage knows it: one row.

    The storage carries its identity and stamp (`collections/stamps.py`).
    """

    identity = models.UUIDField(default=uuid4, editable=False)
    stamp = models.CharField(max_length=32, help_text="Of the last sweep of the stored files; each has a new one.")
    former_stamp = models.CharField(max_length=32, help_text="Of the sweep before, until the storage has the new one.")
    problem = models.TextField(blank=True, help_text="Why stored files are not swept, for admins.")

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="one_installation")]

    def __str__(self) -> str:
        return str(self.identity)
