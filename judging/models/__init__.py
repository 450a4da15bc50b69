from judging.models.account import Invitation, LinkRequest
from judging.models.addition import Addition
from judging.models.adjudication import Adjudication
from judging.models.archive_file import ArchiveFile
from judging.models.arrival import Arrival
from judging.models.attachment import Attachment
from judging.models.audit_entry import AuditEntry
from judging.models.bonus import Bonus
from judging.models.channel import Channel, Notice
from judging.models.collection import Collection, Document, Topic
from judging.models.comparison import Comparison, Listing, Preference
from judging.models.enquiry import Enquiry
from judging.models.exclusion import Exclusion
from judging.models.execution import Execution, ParkedTask, TaskEnd
from judging.models.experiment import Allotment, Arm, Experiment, Group
from judging.models.grade import Grade
from judging.models.hypothesis import Hypothesis
from judging.models.image import Image
from judging.models.installation import Installation
from judging.models.invite import Invite
from judging.models.judgement import Judgement
from judging.models.log import Agent, BotFilter, Event, Quarantined, Query, Seen
from judging.models.markup import Markup
from judging.models.near_duplicates import NearDuplicates
from judging.models.outbox import Outbox
from judging.models.own_run import OwnRun
from judging.models.qrels import Qrels
from judging.models.question import Question
from judging.models.rule import Rule
from judging.models.run import Run
from judging.models.site import Epoch, Site, WriteKey
from judging.models.slot import Item, Slot
from judging.models.study import Study
from judging.models.subscription import Message, Subscription
from judging.models.system import System, Version, scope_fields
from judging.models.token import Token
from judging.models.upload import Upload
from judging.models.user import User
from judging.models.worker import Worker

__all__ = [
    "Addition",
    "Adjudication",
    "Agent",
    "Allotment",
    "ArchiveFile",
    "Arm",
    "Arrival",
    "Attachment",
    "AuditEntry",
    "Bonus",
    "BotFilter",
    "Channel",
    "Collection",
    "Comparison",
    "Document",
    "Enquiry",
    "Epoch",
    "Event",
    "Exclusion",
    "Execution",
    "Experiment",
    "Grade",
    "Group",
    "Hypothesis",
    "Image",
    "Installation",
    "Invitation",
    "Invite",
    "Item",
    "Judgement",
    "LinkRequest",
    "Listing",
    "Markup",
    "Message",
    "NearDuplicates",
    "Notice",
    "Outbox",
    "OwnRun",
    "ParkedTask",
    "Preference",
    "Qrels",
    "Quarantined",
    "Query",
    "Question",
    "Rule",
    "Run",
    "Seen",
    "Site",
    "Slot",
    "Study",
    "Subscription",
    "System",
    "TaskEnd",
    "Token",
    "Topic",
    "Upload",
    "User",
    "Version",
    "Worker",
    "WriteKey",
    "scope_fields",
]
