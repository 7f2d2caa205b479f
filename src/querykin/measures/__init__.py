"""Similarity measures: each one is a registered class in a file of its own."""

from querykin.measures.base import BruteForceMeasure, Measure, MeasureEntry, measures, register
from querykin.measures.requirements import Requirements
from querykin.measures.vector_measure import VectorMeasure

__all__ = [
    "BruteForceMeasure",
    "Measure",
    "MeasureEntry",
    "Requirements",
    "VectorMeasure",
    "measures",
    "register",
]
