"""How alike are two texts? Each measure is one small registered file."""

from querykin.measures import (
    combination,
    distributional,
    edit,
    embedding,
    language_model,
    latent,
    lexical,
    pmi,
    result_vectors,
    stack,
    surface,
    tfidf,
    tweak,
    web_kernel,
    web_relevance,
)
from querykin.measures.base import Measure, VectorMeasure, measures

__all__ = [
    "Measure",
    "VectorMeasure",
    "combination",
    "distributional",
    "edit",
    "embedding",
    "language_model",
    "latent",
    "lexical",
    "measures",
    "pmi",
    "result_vectors",
    "stack",
    "surface",
    "tfidf",
    "tweak",
    "web_kernel",
    "web_relevance",
]
