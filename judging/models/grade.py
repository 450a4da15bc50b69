from django.db import models

from judging.models.qrels import Qrels

LONGEST_ID = 200


class Grade(models.Model):
    """One settled grade: a row of a qrels version, never changed.

    The primary key is the order in which one topic's grades are read. An `id` of its own cost a third more time and space.
    """

    pk = models.CompositePrimaryKey("qrels_id", "topic", "subtopic", "docno")
    qrels = models.ForeignKey(Qrels, on_delete=models.CASCADE, related_name="grades", db_index=False)
    topic = models.CharField(max_length=LONGEST_ID, help_text="The collection's own id of the topic.")
    subtopic = models.CharField(max_length=LONGEST_ID, blank=True, help_text="Empty where grades are by topic alone.")
    docno = models.CharField(max_length=LONGEST_ID, help_text="The collection's own id of the document.")
    grade = models.IntegerField()
    votes = models.PositiveIntegerField(null=True, help_text="From how many votes it was settled, where it was by votes.")
    confidence = models.FloatField(null=True, help_text="How sure the grade is, by the method's own account.")
    uncertainty = models.JSONField(
        null=True,
        help_text="What else is known of that: how likely each grade is (p0, p1 …); of clicks their estimate.",
    )

    def __str__(self) -> str:
        return f"{self.topic} {self.docno}: {self.grade}"
