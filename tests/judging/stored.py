"""What is stored: to show that something refused has left nothing behind."""

from django.conf import settings

from judging.models import Document, Grade, Qrels, Run, Topic


def everything_stored() -> tuple:
    """Rows of all evidence that files bring, and every stored file."""
    rows = [sorted(model.objects.values_list("pk", flat=True)) for model in (Document, Topic, Run, Qrels, Grade)]
    return rows, sorted(path for path in settings.MEDIA_ROOT.rglob("*") if path.is_file())
