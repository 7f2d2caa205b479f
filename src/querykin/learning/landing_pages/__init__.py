"""Query / landing-page pairs scored by learned term weights (Yih 2009, section 4.2)."""

from typing import TYPE_CHECKING

from querykin.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from querykin.learning.landing_pages.pages import Page, PageScorer

__all__ = ["Page", "PageScorer"]

__getattr__ = lazy_imports(
    __name__,
    {"Page": "pages", "PageScorer": "pages"},
)
