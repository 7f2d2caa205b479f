"""Spelling correction of queries: words that neither the corpus nor past queries know."""

from typing import TYPE_CHECKING

from querykin.lazy_imports import lazy_imports

if TYPE_CHECKING:
    from querykin.spelling.corrector import SpellingCorrector

__all__ = ["SpellingCorrector"]

__getattr__ = lazy_imports(__name__, {"SpellingCorrector": "corrector"})
