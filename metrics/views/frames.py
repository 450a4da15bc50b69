"""Pages of frames with many rows."""

import polars as pl
from django.core.paginator import Page, Paginator

from judging.requests import SignedIn

A_PAGE = 50


def page_of(frame: pl.DataFrame, request: SignedIn) -> Page:
    return Paginator(range(frame.height), A_PAGE).get_page(request.GET.get("page"))


def slice_of(frame: pl.DataFrame, page: Page) -> pl.DataFrame:
    return frame.slice(max(page.start_index() - 1, 0), A_PAGE)
