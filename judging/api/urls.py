from rest_framework.routers import BaseRouter

from judging.api.additions import AdditionViewSet
from judging.api.arrivals import ArrivalViewSet
from judging.api.attachments import AttachmentViewSet
from judging.api.audit import AuditViewSet
from judging.api.channels import ChannelViewSet
from judging.api.checks import CheckViewSet
from judging.api.collections import CollectionViewSet, PageViewSet
from judging.api.documents import DocumentViewSet
from judging.api.enquiries import EnquiryViewSet
from judging.api.exclusions import ExclusionViewSet
from judging.api.experiment_service import AssignmentViewSet, InterleavingViewSet
from judging.api.experiments import ExperimentViewSet
from judging.api.ids import ID
from judging.api.images import ImageViewSet
from judging.api.invites import InviteViewSet
from judging.api.judgements import JudgementViewSet
from judging.api.logs import LogViewSet
from judging.api.machines import MachineViewSet
from judging.api.near_duplicates import NearDuplicatesViewSet
from judging.api.own_runs import OwnRunViewSet
from judging.api.pay import BonusViewSet, PayViewSet
from judging.api.qrels import QrelsViewSet
from judging.api.rules import RuleViewSet
from judging.api.runs import RunViewSet
from judging.api.site_privacy import EraseViewSet
from judging.api.site_records import QuarantineViewSet, RecordsViewSet
from judging.api.sites import SiteViewSet, WriteKeyViewSet
from judging.api.studies import StudyViewSet
from judging.api.tokens import TokenViewSet
from judging.api.topics import TopicViewSet
from judging.api.uploads import UploadViewSet
from judging.api.users import UserViewSet
from judging.api.work import WorkViewSet
from judging.api.workers import WorkerViewSet

OF_A_COLLECTION = rf"collections/(?P<collection>{ID})"
OF_A_SITE = rf"sites/(?P<site>{ID})"
OF_A_STUDY = rf"studies/(?P<study>{ID})"


def register(router: BaseRouter) -> None:
    # Addresses are tried in this order, and these are asked for with every search of every site.
    router.register("log", LogViewSet, basename="log")
    router.register("assignments", AssignmentViewSet, basename="assignment")
    router.register("interleavings", InterleavingViewSet, basename="interleaving")
    router.register("users", UserViewSet, basename="user")
    router.register("tokens", TokenViewSet, basename="token")
    router.register("collections", CollectionViewSet)
    router.register(rf"{OF_A_COLLECTION}/topics", TopicViewSet)
    router.register(rf"{OF_A_COLLECTION}/topics/(?P<topic>{ID})/attachments", AttachmentViewSet)
    router.register(rf"{OF_A_COLLECTION}/documents", DocumentViewSet)
    router.register(rf"{OF_A_COLLECTION}/images", ImageViewSet)
    router.register(rf"{OF_A_COLLECTION}/near-duplicates", NearDuplicatesViewSet)
    router.register(rf"{OF_A_COLLECTION}/own-runs", OwnRunViewSet)
    router.register(rf"{OF_A_COLLECTION}/pages", PageViewSet, basename="page")
    router.register("runs", RunViewSet)
    router.register("qrels", QrelsViewSet)
    router.register("uploads", UploadViewSet)
    router.register("studies", StudyViewSet)
    router.register(rf"{OF_A_STUDY}/additions", AdditionViewSet)
    router.register(rf"{OF_A_STUDY}/invites", InviteViewSet)
    router.register(rf"{OF_A_STUDY}/channels", ChannelViewSet)
    router.register(rf"{OF_A_STUDY}/arrivals", ArrivalViewSet)
    router.register(rf"{OF_A_STUDY}/rules", RuleViewSet)
    router.register(rf"{OF_A_STUDY}/workers", WorkerViewSet)
    router.register(rf"{OF_A_STUDY}/judgements", JudgementViewSet)
    router.register(rf"{OF_A_STUDY}/pay", PayViewSet, basename="pay")
    router.register(rf"{OF_A_STUDY}/bonuses", BonusViewSet)
    router.register(rf"{OF_A_STUDY}/workers/(?P<worker>{ID})/exclusions", ExclusionViewSet)
    router.register(rf"{OF_A_STUDY}/enquiries", EnquiryViewSet)
    router.register(rf"{OF_A_STUDY}/checks", CheckViewSet, basename="check")
    router.register(rf"{OF_A_STUDY}/machines", MachineViewSet, basename="machine")
    router.register(rf"{OF_A_STUDY}/history", AuditViewSet)
    router.register("sites", SiteViewSet)
    router.register(rf"{OF_A_SITE}/keys", WriteKeyViewSet)
    router.register(rf"{OF_A_SITE}/records", RecordsViewSet, basename="record")
    router.register(rf"{OF_A_SITE}/quarantine", QuarantineViewSet)
    router.register(rf"{OF_A_SITE}/erase", EraseViewSet, basename="erase")
    router.register("experiments", ExperimentViewSet)
    router.register("work", WorkViewSet, basename="work")
