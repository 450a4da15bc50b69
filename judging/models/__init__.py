from judging.models.arrival import Arrival
from judging.models.audit import AuditEntry
from judging.models.bonus import Bonus
from judging.models.channel import Channel, Notice
from judging.models.collection import Collection, Document, Topic
from judging.models.comparison import Comparison, Listing, Preference
from judging.models.exclusion import Exclusion
from judging.models.invite import Invite
from judging.models.judgement import Judgement
from judging.models.outbox import Outbox
from judging.models.qrels import Qrels
from judging.models.rule import Rule
from judging.models.run import Run
from judging.models.slot import Item, Slot
from judging.models.study import Study
from judging.models.token import Token
from judging.models.upload import Upload
from judging.models.user import User
from judging.models.worker import Worker

__all__ = [
    "Arrival",
    "AuditEntry",
    "Bonus",
    "Channel",
    "Collection",
    "Comparison",
    "Document",
    "Exclusion",
    "Invite",
    "Item",
    "Judgement",
    "Listing",
    "Notice",
    "Outbox",
    "Preference",
    "Qrels",
    "Rule",
    "Run",
    "Slot",
    "Study",
    "Token",
    "Topic",
    "Upload",
    "User",
    "Worker",
]
