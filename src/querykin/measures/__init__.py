"""How alike are two texts? Each measure is one small registered file."""

from querykin.measures import (
    edit,
    embedding,
    language_model,
    lexical,
    result_vectors,
    stack,
    surface,
    tfidf,
    web_kernel,
)
from querykin.measures.base import Measure, VectorMeasure, measures

__all__ = [
    "Measure",
    "VectorMeasure",
    "edit",
    "embedding",
    "language_model",
    "lexical",
    "measures",
    "result_vectors",
    "stack",
    "surface",
    "tfidf",
    "web_kernel",
]
