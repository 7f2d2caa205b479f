"""Similarity measures: each one is a registered class in a file of its own."""

from querykin.measures.base import Measure, VectorMeasure, measures

__all__ = ["Measure", "VectorMeasure", "measures"]
