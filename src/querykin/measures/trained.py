"""Measures that were trained: their parameters are a model, and their name is its name."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

from querykin.learning.model_files import Model
from querykin.measures.base import Measure
from querykin.measures.resources import Resources
from querykin.registry import Registry

trained_kinds: Registry[type["TrainedMeasure"]] = Registry(
    "kind of model",
    {"combination": "querykin.learning.combination.measure", "tweak": "querykin.learning.tweak.measure"},
)


class TrainedMeasure(Measure):
    """A measure made of what a learner left."""

    model: Model

    @property
    def name(self) -> str:
        """The name the model was given."""
        return self.model.name

    @classmethod
    @abstractmethod
    def of_model(cls, sources: Resources, model: Model, parameters: Mapping[str, Any]) -> Self:
        """The measure of a model of this kind."""

    @classmethod
    def made_of(cls, model: Model) -> tuple[str, ...]:
        """The names of other measures that a model of this kind needs."""
        return ()
