"""Similarity measures: each one is a registered class in a file of its own.

Measures of the words themselves need neither a corpus nor a workspace:

>>> from querykin.measures import Jaccard
>>> Jaccard(stems=True).score("garden hose", ["hose for gardens", "garden chair"]).round(3).tolist()
[0.667, 0.333]
"""

from typing import TYPE_CHECKING

from querykin.lazy_imports import lazy_imports
from querykin.measures.base import BruteForceMeasure, Measure, MeasureEntry, measures, register
from querykin.measures.families import Family
from querykin.measures.requirements import Requirements
from querykin.measures.vector_measure import VectorMeasure

if TYPE_CHECKING:
    from querykin.measures.edit import Edit
    from querykin.measures.lexical import Exact, ExactStems, Phrase, Subset
    from querykin.measures.word_overlap import Cosine, Dice, Jaccard, Matching, Overlap

__all__ = [
    "BruteForceMeasure",
    "Cosine",
    "Dice",
    "Edit",
    "Exact",
    "ExactStems",
    "Family",
    "Jaccard",
    "Matching",
    "Measure",
    "MeasureEntry",
    "Overlap",
    "Phrase",
    "Requirements",
    "Subset",
    "VectorMeasure",
    "measures",
    "register",
]

__getattr__ = lazy_imports(
    __name__,
    {
        "Cosine": "word_overlap",
        "Dice": "word_overlap",
        "Jaccard": "word_overlap",
        "Matching": "word_overlap",
        "Overlap": "word_overlap",
        "Edit": "edit",
        "Exact": "lexical",
        "ExactStems": "lexical",
        "Phrase": "lexical",
        "Subset": "lexical",
    },
)
