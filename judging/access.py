"""Access rules: who may touch what. Every view and endpoint opens with one of these; what is not yours is a 404."""

from uuid import UUID

from django.db.models import F, Q, QuerySet
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
    System,
    Topic,
    Upload,
    User,
)


def researchers() -> QuerySet[User]:
    """Who can own a collection or a site, run a study, read a site's reports."""
    return User.objects.filter(Q(is_researcher=True) | Q(is_superuser=True), is_active=True).order_by("username")


def collections_for(user: User) -> QuerySet[Collection]:
    """Collections that the user may read: their own, shared ones, and those of studies they run."""
    if user.is_admin:
        return Collection.objects.all()
    if not user.may_research:
        return Collection.objects.none()
    return Collection.objects.filter(Q(owner=user) | Q(shared=True) | Q(studies__members=user)).distinct()


def studies_for(user: User) -> QuerySet[Study]:
    if user.is_admin:
        return Study.objects.all()
    if not user.may_research:
        return Study.objects.none()
    return Study.objects.filter(members=user)


def collection_for(user: User, pk: int) -> Collection:
    return get_object_or_404(collections_for(user), pk=pk)


def own_collections_for(user: User) -> QuerySet[Collection]:
    """Collections that the user may change: their own, or any for an admin."""
    return Collection.objects.all() if user.is_admin else collections_for(user).filter(owner=user)


def own_collection_for(user: User, pk: int) -> Collection:
    return get_object_or_404(own_collections_for(user), pk=pk)


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


def graded_for(user: User, pk: int) -> Study:
    """A study whose workers grade documents: where lists are compared there is nothing of what the page is about."""
    return get_object_or_404(studies_for(user).select_related("collection"), pk=pk, kind=Study.Kind.GRADED)


def runs_study(user: User, study: Study) -> bool:
    """Whether the user runs the study."""
    return studies_for(user).filter(pk=study.pk).exists()


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
    return Study.objects.filter(collection=collection, kind=Study.Kind.GRADED, members=user).order_by("-created").first()


def sees_participants(user: User, study: Study) -> bool:
    """Whether the user may know who a marketplace's participants are there: members alone, not even admins."""
    return study.members.filter(pk=user.pk).exists()


def refuse_participants(user: User, study: Study) -> None:
    if not sees_participants(user, study):
        raise Http404("Only the study's members see its participants' ids.")


def runs_for(user: User) -> QuerySet[Run]:
    return Run.objects.filter(collection__in=collections_for(user))


def qrels_for(user: User) -> QuerySet[Qrels]:
    """Qrels of readable collections; those frozen from a study only for its members.

    Whoever reads a collection adds nothing to it that others see: clicks on their site give grades to them alone.
    """
    readable = Qrels.objects.filter(collection__in=collections_for(user))
    if user.is_admin:
        return readable
    of_the_collection = Q(recipe__site__isnull=True) | Q(created_by=F("collection__owner"))
    return readable.filter((Q(study__isnull=True) & of_the_collection) | Q(study__in=studies_for(user)) | Q(created_by=user))


def uploads_for(user: User) -> QuerySet[Upload]:
    return Upload.objects.all() if user.is_admin else Upload.objects.filter(created_by=user)


def sites_for(user: User) -> QuerySet[Site]:
    """Sites whose reports the user may read: their own, and those that name them as a reader."""
    if user.is_admin:
        return Site.objects.all()
    if not user.may_research:
        return Site.objects.none()
    return Site.objects.filter(Q(owner=user) | Q(readers=user)).distinct()


def own_sites_for(user: User) -> QuerySet[Site]:
    """Sites that the user may change, and of which they see single records."""
    return Site.objects.all() if user.is_admin else sites_for(user).filter(owner=user)


def site_for(user: User, pk: int) -> Site:
    return get_object_or_404(sites_for(user).select_related("owner", "collection"), pk=pk)


def own_site_for(user: User, pk: int) -> Site:
    return get_object_or_404(own_sites_for(user).select_related("owner", "collection"), pk=pk)


def sees_records(user: User, site: Site) -> bool:
    """Whether the user sees single records and small groups; readers see nothing of fewer users than ten."""
    return user.is_admin or site.owner_id == user.pk


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
    """Hypotheses whose verdict the user may read: their own, or any for an admin. Their verdicts read what the asker may read."""
    hypotheses = Hypothesis.objects.select_related("a__collection", "a__site", "b", "created_by")
    return hypotheses if user.is_admin else hypotheses.filter(created_by=user) if user.may_research else hypotheses.none()


def hypothesis_for(user: User, pk: int) -> Hypothesis:
    return get_object_or_404(hypotheses_for(user), pk=pk)


def systems_for(user: User) -> QuerySet[System]:
    """Systems that the user may ask about: those of their own collections and sites."""
    own = Q(collection__in=own_collections_for(user)) | Q(site__in=own_sites_for(user))
    return System.objects.filter(own)
