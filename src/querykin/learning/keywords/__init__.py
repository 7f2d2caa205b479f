"""Keyword extraction (Yih, Goodman & Carvalho 2006) and the measure web-relevance (Yih & Meek 2007)."""

from typing import TYPE_CHECKING

from querykin.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from querykin.learning.keywords.extraction import Keyword, Keywords, extract
    from querykin.learning.keywords.training import train_keywords

__all__ = ["Keyword", "Keywords", "extract", "train_keywords"]

__getattr__ = lazy_imports(
    __name__,
    {
        "Keyword": "extraction",
        "Keywords": "extraction",
        "extract": "extraction",
        "train_keywords": "training",
    },
)
