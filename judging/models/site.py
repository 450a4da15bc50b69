from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging import server_keys
from judging.models.collection import Collection


def new_secret() -> str:
    return server_keys.new_nonce(32)


class Site(models.Model):
    """A search site that sends its queries and events. Who runs it sees raw records, its readers only what many did."""

    name = models.CharField(max_length=120)
    slug = models.SlugField(
        max_length=60, unique=True, help_text=gettext_lazy("Names it in addresses, such as that of its search page.")
    )
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="sites")
    members = models.ManyToManyField(
        settings.AUTH_USER_MODEL,
        blank=True,
        related_name="sites_changed",
        help_text="Researchers who may change it and see single records, too.",
    )
    readers = models.ManyToManyField(
        settings.AUTH_USER_MODEL,
        blank=True,
        related_name="sites_read",
        help_text="People who may see reports, and nothing of fewer users than ten.",
    )
    collection = models.ForeignKey(
        Collection,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="sites",
        help_text=gettext_lazy(
            "What it searches: object ids are this collection's docnos, user queries may be its topics' titles."
        ),
    )
    origins = models.TextField(
        blank=True, help_text="From which web pages browsers may send, an address a line (https://shop.example). Empty: from any."
    )
    first_ordinal = models.PositiveSmallIntegerField(
        default=1, choices=[(1, "1"), (0, "0")], help_text="The position.ordinal of the topmost result."
    )
    keep_days = models.PositiveSmallIntegerField(
        default=396,
        validators=[MinValueValidator(1), MaxValueValidator(3660)],
        help_text="For how many days queries and events are kept.",
    )
    keep_quarantine_days = models.PositiveSmallIntegerField(
        default=30,
        validators=[MinValueValidator(1), MaxValueValidator(366)],
        help_text="For how many days records that were refused are kept.",
    )
    rotate_days = models.PositiveSmallIntegerField(
        default=92,
        validators=[MinValueValidator(7), MaxValueValidator(732)],
        help_text="After how many days clients and users get new pseudonyms, which nobody can join to the old ones.",
    )
    has_page = models.BooleanField(default=False, help_text="Whether anybody may search its collection on a page of ours.")
    secret = models.CharField(
        max_length=64, default=new_secret, editable=False, help_text="Keys the hashes by which records are known."
    )
    sealed_key = models.TextField(
        blank=True, default="", db_default="", editable=False, help_text="What the secret gave by a server's key that is gone."
    )
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "id"]
        constraints = [models.UniqueConstraint(Lower("name"), name="one_site_a_name")]

    def __str__(self) -> str:
        return self.name


class WriteKey(models.Model):
    """What a site proves itself with when it sends records. It opens nothing to read. The table holds only its hash."""

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="keys")
    label = models.CharField(max_length=120, blank=True, help_text="To tell keys apart: “shop, browser”, “nightly batch”.")
    nonce = models.CharField(max_length=43, unique=True)
    digest = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    revoked = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.label or _("key %(number)s") % {"number": self.pk}


class Epoch(models.Model):
    """A stretch of time in which a client or user of a site has one pseudonym. Without its secret nobody can make that again."""

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="epochs", db_index=False)
    number = models.IntegerField(help_text="Whole spans of the site's rotation since 1970.")
    days = models.PositiveSmallIntegerField(help_text="How long the span is.")
    secret = models.CharField(max_length=64, default=new_secret, editable=False)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["site", "days", "number"], name="one_secret_an_epoch")]

    def __str__(self) -> str:
        return f"{self.site_id}: {self.number} × {self.days}"
