"""Lists whose rows can be searched, filtered, sorted and paged, all of it by the address, so that a link shows the same.

A view names in a few lines what its list offers; `_list_form.html`, `_list_head.html` and `_pagination.html` draw it:

    STUDIES = RowList("studies", [Column("Study", "name"), Column("State")], search=Search("Name", ["name__icontains"]))
    listed = STUDIES.page(studies_for(request.user), request.GET)

django-filter and django-tables2 would do this together, with a class for each list and templates of their own.

What an address asks for in vain is ignored. Counting stops at MOST rows, and so do the pages: whoever looks for more narrows
the list down or turns its order round.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import F, Model, Q, QuerySet
from django.db.models.expressions import Expression, OrderBy, Subquery
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

MOST = 10_000
LONGEST = 200  # characters that somebody may look for
ALL = _("All")

Row = TypeVar("Row", bound=Model)
Narrow = Callable[[Any, str], Any]  # of a queryset and what was chosen, the rows of it
Words = str | Promise  # in the reader's language when they are shown
Option = tuple[Any, Words]


@dataclass(frozen=True)
class Column:
    """A column: its `key` in the address and the field or expression `by` which it sorts, if it does.

    An expression costs nothing while nobody sorts by it.
    """

    label: Words
    key: str = ""
    by: str | Expression | Subquery = ""
    num: bool = False
    hidden: bool = False  # its label is for who cannot see the column
    gaps: bool = False  # where it may be NULL: such rows come last in both directions, in every database


@dataclass(frozen=True)
class Search:
    """A field for words, and where they are looked for: lookups of which one must hold, or a function of rows and words."""

    label: Words
    within: Sequence[str] | Narrow

    def narrow(self, rows: QuerySet[Row], words: str) -> QuerySet[Row]:
        if callable(self.within):
            return self.within(rows, words)
        return rows.filter(Q(*((lookup, words) for lookup in self.within), _connector=Q.OR))


@dataclass(frozen=True)
class Filter:
    """A choice among options, or without options a field to type into. `within` is a lookup or a function of rows and value.

    A text that a function cannot understand it lets pass. Options may be known to the request alone: `page` takes them.
    """

    name: str
    label: Words
    within: str | Narrow
    options: Iterable[Option] | None = None
    all: Words = ALL
    always: bool = False  # asks `within` also where nothing was chosen
    linked: bool = False  # comes from links alone: the page says what it means, and the form keeps it

    def narrow(self, rows: QuerySet[Row], value: str) -> QuerySet[Row]:
        return self.within(rows, value) if callable(self.within) else rows.filter(**{self.within: value})


@dataclass(frozen=True)
class ShownFilter:
    filter: Filter
    value: str
    options: list[tuple[str, Words]] | None


@dataclass(frozen=True)
class RowList:
    """What a list offers. `order` is how it is sorted unless the address says otherwise: the key of a column or a field, with “-”
    before it where it falls."""

    noun: Words
    columns: Sequence[Column]
    order: str
    search: Search | None = None
    filters: Sequence[Filter] = ()
    a_page: int = 50
    anchor: str = ""  # where it stands on a page that holds more than the list

    def page(
        self, rows: QuerySet[Row], query: QueryDict, *, whole: QuerySet[Row] | None = None, **options: Iterable[Option]
    ) -> "ListPage[Row]":
        """The rows that the address asks for. `options` of filters by their names, where they are not the same for everybody.

        `whole` are the rows with all that the page shows of them, read by their keys. Where there are a million, joining more
        than the filters need cost seconds.
        """
        shown = [shown_filter(each, query, options.get(each.name, each.options)) for each in self.filters]
        words = words_in(query.get("q", "")) if self.search else ""
        matching = rows
        for each in shown:
            if each.value or each.filter.always:
                matching = each.filter.narrow(matching, each.value)
        if words and self.search:
            matching = self.search.narrow(matching, words)
        return ListPage(self, rows, matching, query, shown, words, whole)

    def sorts(self, key: str) -> Column | None:
        """The column that sorts by this key."""
        return next((column for column in self.columns if column.key and column.key == key.removeprefix("-")), None)


def shown_filter(offered: Filter, query: QueryDict, options: Iterable[Option] | None) -> ShownFilter:
    value = words_in(query.get(offered.name, ""))
    if options is None:
        return ShownFilter(offered, value, None)
    choices = [(str(key), label) for key, label in options]
    return ShownFilter(offered, value if value in dict(choices) else "", choices)


def people_of(rows: QuerySet[Row], field: str, reader: Any) -> list[tuple[int, str]]:
    """Whom the rows name in a field, as options of a filter, the reader first; none where there is nothing to choose."""
    named = rows.order_by().values_list(field, f"{field}__username").distinct()
    options = sorted(named, key=lambda option: (option[0] != reader.pk, option[1]))
    return [(pk, gettext("You") if pk == reader.pk else name) for pk, name in options] if len(options) > 1 else []


def words_in(text: str) -> str:
    """What to look for, in a length and of characters that every database takes."""
    return text.replace("\0", "").strip()[:LONGEST]


@dataclass(frozen=True)
class ListPage(Sequence[Row]):
    """A page of a list, as the templates of lists draw it. `matching` are all rows that match, `everything` those of the list."""

    of: RowList
    everything: QuerySet[Row]
    matching: QuerySet[Row]
    query: QueryDict
    filters: list[ShownFilter] = field(default_factory=list)
    words: str = ""
    whole: QuerySet[Row] | None = None

    def __getitem__(self, place: Any) -> Any:
        return self.page[place]

    def __len__(self) -> int:
        return len(self.page)

    @cached_property
    def sort(self) -> str:
        asked = self.query.get("sort", "")
        return asked if self.of.sorts(asked) else self.of.order

    @cached_property
    def page(self) -> Page:
        rows = self.matching.order_by(*self.fields)
        number = self.query.get("page")
        if self.whole is None:
            return CappedPaginator(rows, self.of.a_page).get_page(number)
        keys_found = rows.values_list("pk", flat=True)
        # To count what matches can take as long as to find it, so both are done in one go.
        page = CappedPaginator(list(keys_found[: MOST + 1]) if self.is_narrowed else keys_found, self.of.a_page).get_page(number)
        keys = list(page.object_list)
        by_key = {row.pk: row for row in self.whole.filter(pk__in=keys).order_by()}
        page.object_list = [by_key[key] for key in keys if key in by_key]
        return page

    @property
    def fields(self) -> list[str | OrderBy]:
        """The fields to sort by; where the first says nothing, what came first comes first."""
        column, falls = self.of.sorts(self.sort), self.sort.startswith("-")
        by = (column.by or column.key) if column else self.sort.removeprefix("-")
        first = in_order(by, falls=falls, gaps=column is not None and column.gaps)
        return [first] if by == "pk" else [first, in_order("pk", falls=falls)]

    @property
    def noun(self) -> str:
        return str(self.of.noun)

    @property
    def columns(self) -> Sequence[Column]:
        return self.of.columns

    @property
    def filters_shown(self) -> list[ShownFilter]:
        """The filters that have options to choose from."""
        return [each for each in self.filters if each.options != [] and not each.filter.linked]

    @property
    def kept(self) -> list[tuple[str, str]]:
        """What the form sends along besides its fields: what came by a link, and the order unless it is the usual one."""
        linked = [(each.filter.name, each.value) for each in self.filters if each.filter.linked and each.value]
        return linked if self.sort == self.of.order else [*linked, ("sort", self.sort)]

    @property
    def can_be_narrowed(self) -> bool:
        """Whether a search saves looking through the rows: there are more than a page of them, or it has been narrowed down."""
        return self.is_narrowed or self.page.paginator.count > self.of.a_page

    @property
    def is_narrowed(self) -> bool:
        return bool(self.words or any(each.value for each in self.filters))

    @cached_property
    def state(self) -> dict[str, str]:
        """What the address says of search and filters, without what means nothing."""
        chosen = {each.filter.name: each.value for each in self.filters if each.value}
        return chosen | ({"q": self.words} if self.words else {})

    @property
    def address(self) -> str:
        """The list as it is shown, as a query string, but for the page."""
        query = QueryDict(mutable=True)
        query.update(self.state | ({"sort": self.sort} if self.sort != self.of.order else {}))
        return f"?{query.urlencode()}"


def in_order(by: str | Expression | Subquery, *, falls: bool, gaps: bool = False) -> str | OrderBy:
    """The order by a field or an expression. Only where there are gaps it says where they go: else an index may serve it."""
    if isinstance(by, str) and not gaps:
        return f"-{by}" if falls else by
    expression = F(by) if isinstance(by, str) else by
    return OrderBy(expression, descending=falls, nulls_last=gaps or None)


class CappedPaginator(Paginator):
    """Counts no further than MOST rows: counting a million took a second, and nobody turns 20,000 pages."""

    def __init__(self, rows: QuerySet[Any] | list[Any], a_page: int):
        super().__init__(rows, a_page)
        self.rows = rows

    @cached_property
    def counted(self) -> int:
        return len(self.rows) if isinstance(self.rows, list) else self.rows.order_by()[: MOST + 1].count()

    @cached_property
    def count(self) -> int:
        return min(self.counted, MOST)

    @property
    def is_capped(self) -> bool:
        return self.counted > MOST
