"""Access rules: who may touch what. Every view and endpoint opens with one of these; what is not yours is a 404."""

from typing import Any, TypeVar
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db.models import F, Q, QuerySet
from django.db.models.fields.related_descriptors import ManyToManyDescriptor
from django.http import Http404
from django.shortcuts import get_object_or_404

from judging.models import (
    Attachment,
    Collection,
    Experiment,
    Hypothesis,
    Image,
    Qrels,
    Run,
    Site,
    Study,
    Subscription,
    System,
    Topic,
    Upload,
    User,
)


def accounts_for(user: User) -> QuerySet[User]:
    """Accounts that the user may see and change: all for an admin."""
    return User.objects.all() if user.is_admin else User.objects.none()


def refuse_all_but_admins(user: User) -> None:
    if not user.is_admin:
        raise Http404("That is for admins.")


def refuse_all_but_researchers(user: User) -> None:
    if not user.may_research:
        raise Http404("That is for researchers.")


def subscription_for(user: User, pk: int) -> Subscription:
    """Where the user's own news goes; nobody sees anybody else's."""
    subscriptions = Subscription.objects.filter(user=user) if user.may_research else Subscription.objects.none()
    return get_object_or_404(subscriptions, pk=pk)


def account_for(user: User, pk: int) -> User:
    return get_object_or_404(accounts_for(user), pk=pk)


Owned = TypeVar("Owned", Collection, Study, Site)


def researchers() -> QuerySet[User]:
    """Who can own a collection or a site, run a study, read a site's reports."""
    return User.objects.filter(Q(is_researcher=True) | Q(is_superuser=True), is_active=True).order_by("username")


def named_in(people: "ManyToManyDescriptor[Any, Any]", user: User) -> Q:
    """Where the user is among those people: `named_in(Site.readers, user)`. Joined instead, rows would come twice."""
    return Q(pk__in=people.through._default_manager.filter(user=user).values(people.field.m2m_field_name()))


def collections_for(user: User) -> QuerySet[Collection]:
    """Collections that the user may read: those they may change, those shared with them, and those of studies they run."""
    if user.is_admin:
        return Collection.objects.all()
    if not user.may_research:
        return Collection.objects.none()
    of_studies = Q(pk__in=studies_for(user).order_by().values("collection"))
    return Collection.objects.filter(
        Q(owner=user) | Q(shared=True) | named_in(Collection.members, user) | named_in(Collection.readers, user) | of_studies
    )


def studies_for(user: User) -> QuerySet[Study]:
    """Studies that the user runs."""
    if user.is_admin:
        return Study.objects.all()
    if not user.may_research:
        return Study.objects.none()
    return Study.objects.filter(changed_by(Study, user))


def readable_studies_for(user: User) -> QuerySet[Study]:
    """Studies of which the user may see what came out: those they run, and those that name them as a reader."""
    if user.is_admin or not user.is_active:
        return studies_for(user)
    return Study.objects.filter(Q(pk__in=studies_for(user).order_by().values("pk")) | named_in(Study.readers, user))


def runs_study(user: User, study: Study) -> bool:
    """Whether the user runs the study, or only reads it."""
    return user.is_admin or studies_for(user).filter(pk=study.pk).exists()


def collection_for(user: User, pk: int) -> Collection:
    return get_object_or_404(collections_for(user), pk=pk)


def own_collections_for(user: User) -> QuerySet[Collection]:
    """Collections that the user may change: their own, those that they are a member of, or any for an admin."""
    return collections_for(user) if user.is_admin else collections_for(user).filter(changed_by(Collection, user))


def changed_by(model: type[Collection] | type[Study] | type[Site], user: User) -> Q:
    return Q(owner=user) | named_in(model.members, user)


def own_collection_for(user: User, pk: int) -> Collection:
    return get_object_or_404(own_collections_for(user), pk=pk)


def runners(subject: Collection | Study | Site) -> QuerySet[User]:
    """Whoever runs it: its owner and its members."""
    return User.objects.filter(Q(pk=subject.owner_id) | Q(pk__in=subject.members.values("pk")))


def is_runner(user: User, subject: Collection | Study | Site) -> bool:
    """Whether the user is one of its runners; of its owner, known without a query."""
    return subject.owner_id == user.pk or subject.members.contains(user)


def may_change(user: User, subject: Collection | Site) -> bool:
    return user.is_admin or (user.may_research and is_runner(user, subject))


def may_mend(user: User | AnonymousUser, kept: Run | Qrels | Image | Attachment) -> bool:
    """Whether the user may put back what the storage has lost, and so is told where it was."""
    return user.is_authenticated and may_change(user, kept.topic.collection if isinstance(kept, Attachment) else kept.collection)


def owns(user: User, subject: Collection | Study | Site | Hypothesis) -> bool:
    """Whether the user says who else may see or change it, and may delete it or hand it over."""
    return user.is_admin or (user.may_research and subject.owner_id == user.pk)


def owned_collection_for(user: User, pk: int) -> Collection:
    return owned_by(user, own_collection_for(user, pk))


def owned_study_for(user: User, pk: int) -> Study:
    return owned_by(user, study_for(user, pk))


def owned_site_for(user: User, pk: int) -> Site:
    return owned_by(user, own_site_for(user, pk))


def owned_by(user: User, subject: Owned) -> Owned:
    if not owns(user, subject):
        raise Http404("That is for its owner.")
    return subject


def topic_for(user: User, pk: int) -> Topic:
    topics = Topic.objects.filter(collection__in=collections_for(user))
    return get_object_or_404(topics.select_related("collection"), pk=pk)


def own_topic_for(user: User, pk: int) -> Topic:
    topics = Topic.objects.filter(collection__in=own_collections_for(user))
    return get_object_or_404(topics.select_related("collection"), pk=pk)


def shown_to(user: User, collection: str) -> Q:
    """Where the collection is one that the user may read, or of whose documents they settle grades as an expert."""
    adjudicated = adjudicable_studies_for(user).values("collection")
    return Q(**{f"{collection}__in": collections_for(user)}) | Q(**{f"{collection}__in": adjudicated})


def images_for(user: User) -> QuerySet[Image]:
    return Image.objects.filter(shown_to(user, "collection"))


def attachments_for(user: User) -> QuerySet[Attachment]:
    """Attachments of topics that are shown to the user; removed ones for those alone who may put them back."""
    readable = Q(shown_to(user, "topic__collection"), removed=None)
    return Attachment.objects.filter(readable | Q(topic__collection__in=own_collections_for(user)))


def own_attachment_for(user: User, pk: UUID) -> Attachment:
    attachments = Attachment.objects.filter(topic__collection__in=own_collections_for(user))
    return get_object_or_404(attachments.select_related("topic__collection"), pk=pk)


def study_for(user: User, pk: int) -> Study:
    return get_object_or_404(studies_for(user).select_related("collection"), pk=pk)


def readable_study_for(user: User, pk: int, kind: str) -> Study:
    """A study of which the user may see what came out, of the kind that the page is about."""
    return get_object_or_404(readable_studies_for(user).select_related("collection"), pk=pk, kind=kind)


def graded_for(user: User, pk: int) -> Study:
    """A study whose workers grade documents: where lists are compared there is nothing of what the page is about."""
    return get_object_or_404(studies_for(user).select_related("collection"), pk=pk, kind=Study.Kind.GRADED)


def adjudicable_studies_for(user: User) -> QuerySet[Study]:
    """Studies whose disagreements the user may settle: graded ones that they run, and those that name them as an expert."""
    run, named = studies_for(user).order_by().values("pk"), Study.experts.through.objects.filter(user=user).values("study")
    return Study.objects.filter(Q(pk__in=run) | Q(pk__in=named), kind=Study.Kind.GRADED).exclude(state=Study.State.DRAFT)


def adjudicable_for(user: User, pk: int) -> Study:
    return get_object_or_404(adjudicable_studies_for(user).select_related("collection"), pk=pk)


def pairs_for(user: User, pk: int) -> Study:
    """A study whose workers compare lists."""
    return get_object_or_404(studies_for(user).select_related("collection"), pk=pk, kind=Study.Kind.SIDE_BY_SIDE)


def growing_studies_for(user: User) -> QuerySet[Study]:
    """Studies that the user may add documents to: launched ones whose workers grade documents, and not archived."""
    graded = studies_for(user).filter(kind=Study.Kind.GRADED, archived__isnull=True)
    return graded.exclude(state=Study.State.DRAFT)


def last_graded_study(user: User, collection: Collection) -> Study | None:
    """The study whose work and pay a new one of the collection begins with: the newest that the user runs."""
    graded = Study.objects.filter(changed_by(Study, user), collection=collection, kind=Study.Kind.GRADED)
    return graded.order_by("-created").first()


def sees_participants(user: User, study: Study) -> bool:
    """Whether the user may know who a marketplace's participants are there: who runs the study alone, not even admins."""
    return is_runner(user, study)


FOR_MEMBERS = "Only the study's members see its participants' ids."


def refuse_participants(user: User, study: Study) -> None:
    if not sees_participants(user, study):
        raise Http404(FOR_MEMBERS)


def runs_for(user: User) -> QuerySet[Run]:
    return Run.objects.filter(collection__in=collections_for(user))


def qrels_for(user: User) -> QuerySet[Qrels]:
    """Qrels of readable collections; those frozen from a study only for who may see what came out of it.

    Whoever reads a collection adds nothing to it that others see: clicks on their site give grades to them alone.
    """
    readable = Qrels.objects.filter(collection__in=collections_for(user))
    if user.is_admin:
        return readable
    of_the_collection = Q(recipe__site__isnull=True) | Q(created_by=F("collection__owner"))
    return readable.filter(
        (Q(study__isnull=True) & of_the_collection) | Q(study__in=readable_studies_for(user)) | Q(created_by=user)
    )


def uploads_for(user: User) -> QuerySet[Upload]:
    """The user's uploads into collections that they still may change; any for an admin."""
    if user.is_admin:
        return Upload.objects.all()
    return Upload.objects.filter(created_by=user, collection__in=own_collections_for(user).order_by().values("pk"))


def sites_for(user: User) -> QuerySet[Site]:
    """Sites whose reports the user may read: those they run, and those that name them as a reader."""
    if user.is_admin:
        return Site.objects.all()
    if not user.is_active:
        return Site.objects.none()
    reads = named_in(Site.readers, user)
    return Site.objects.filter(reads | changed_by(Site, user) if user.may_research else reads)


def own_sites_for(user: User) -> QuerySet[Site]:
    """Sites that the user may change, and of which they see single records."""
    if user.is_admin or not user.may_research:
        return Site.objects.all() if user.is_admin else Site.objects.none()
    return Site.objects.filter(changed_by(Site, user))


def site_for(user: User, pk: int) -> Site:
    return get_object_or_404(sites_for(user).select_related("owner", "collection"), pk=pk)


def own_site_for(user: User, pk: int) -> Site:
    return get_object_or_404(own_sites_for(user).select_related("owner", "collection"), pk=pk)


def sees_records(user: User, site: Site) -> bool:
    """Whether the user sees single records and small groups; readers see nothing of fewer users than ten."""
    return may_change(user, site)


def may_publish(user: User, collection: Collection) -> bool:
    """Whether the user's sites may let anybody search the collection: who only reads it must not give it away."""
    return user.is_admin or collection.owner_id == user.pk


def published_sites() -> QuerySet[Site]:
    """Sites that anybody may search, asked anew each time: a collection that changes hands is public no longer."""
    allowed = Q(owner=F("collection__owner")) | Q(owner__is_superuser=True, owner__is_active=True)
    return Site.objects.filter(allowed, has_page=True, collection__isnull=False)


def is_published(site: Site) -> bool:
    return published_sites().filter(pk=site.pk).exists()


def experiments_for(user: User) -> QuerySet[Experiment]:
    return Experiment.objects.filter(site__in=sites_for(user))


def experiment_for(user: User, pk: int) -> Experiment:
    return get_object_or_404(experiments_for(user).select_related("site__owner", "site__collection", "group"), pk=pk)


def own_experiments_for(user: User) -> QuerySet[Experiment]:
    return Experiment.objects.filter(site__in=own_sites_for(user))


def own_experiment_for(user: User, pk: int) -> Experiment:
    return get_object_or_404(own_experiments_for(user).select_related("site__owner", "site__collection", "group"), pk=pk)


def hypotheses_for(user: User) -> QuerySet[Hypothesis]:
    """Hypotheses whose verdict the user may read: their own, and those that name them as a reader; any for an admin.

    Their verdicts read what the owner may read.
    """
    hypotheses = Hypothesis.objects.select_related("a__collection", "a__site", "b", "created_by", "owner")
    if user.is_admin:
        return hypotheses
    if not user.is_active:
        return hypotheses.none()
    reads = named_in(Hypothesis.readers, user)
    return hypotheses.filter(reads | Q(owner=user) if user.may_research else reads)


def hypothesis_for(user: User, pk: int) -> Hypothesis:
    return get_object_or_404(hypotheses_for(user), pk=pk)


def own_hypotheses_for(user: User) -> QuerySet[Hypothesis]:
    """Hypotheses that the user owns, or any for an admin: who may have them decided anew, and share the verdict."""
    hypotheses = hypotheses_for(user)
    return hypotheses if user.is_admin else hypotheses.filter(owner=user) if user.may_research else hypotheses.none()


def own_hypothesis_for(user: User, pk: int) -> Hypothesis:
    return get_object_or_404(own_hypotheses_for(user), pk=pk)


def systems_for(user: User) -> QuerySet[System]:
    """Systems that the user may ask about: those of their own collections and sites."""
    own = Q(collection__in=own_collections_for(user)) | Q(site__in=own_sites_for(user))
    return System.objects.filter(own)
