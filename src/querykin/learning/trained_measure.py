"""Trained measures: their parameters are a model file, and their name is the model's."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from querykin.io.judged_pairs import JudgedPairs
from querykin.measures.base import Measure
from querykin.measures.families import Family
from querykin.measures.requirements import Requirements
from querykin.measures.resources import Resources
from querykin.model_files import Model
from querykin.registry import Registry

# By the kind of model; a new kind is one package and one line here.
trained_kinds: Registry[type["TrainedMeasure"]] = Registry(
    "kind of model",
    {"combination": "querykin.learning.combination.measure", "tweak": "querykin.learning.tweak.measure"},
)


class TrainedMeasure(Measure):
    """A measure built from a trained model."""

    family: ClassVar[Family] = Family.LEARNED
    model: Model

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name

    @classmethod
    @abstractmethod
    def from_model(cls, resources: Resources, model: Model, parameters: Mapping[str, Any]) -> Self:
        """The measure of a model of this kind."""

    @classmethod
    def model_requirements(cls, model: Model) -> Requirements:
        """The requirements of a model of this kind."""
        return cls.requirements()


def was_trained_on(measure: Measure, judged: JudgedPairs) -> bool:
    """Whether a measure was trained on these judged pairs."""
    return (
        isinstance(measure, TrainedMeasure)
        and measure.model.training.get("fingerprint") == judged.fingerprint
    )
