"""How alike are two texts? Each measure is one small registered file."""

from querykin.measures import result_vectors, surface, tfidf, web_kernel
from querykin.measures.base import Measure, VectorMeasure, measures

__all__ = ["Measure", "VectorMeasure", "measures", "result_vectors", "surface", "tfidf", "web_kernel"]
