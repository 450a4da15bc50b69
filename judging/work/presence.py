"""The presence of an item: whether it is still in its study, and stays there until something that refers to it is stored."""

from django.db import connection

ITEM = "SELECT id FROM judging_item WHERE id = %s"


def is_there(item: int) -> bool:
    """Whether the item has not been taken back. Until the transaction ends nobody can: it is locked as references lock it."""
    locked = " FOR KEY SHARE" if connection.features.has_select_for_update else ""
    with connection.cursor() as cursor:
        cursor.execute(ITEM + locked, [item])
        return cursor.fetchone() is not None
