"""Measures that were trained: their parameters are a model, and their name is its name."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

from querykin.learning.models import Model
from querykin.measures.base import Measure
from querykin.measures.sources import Sources
from querykin.registry import Registry

learned: Registry[type["Learned"]] = Registry("kind of model")


class Learned(Measure):
    """A measure made of what a learner left."""

    model: Model

    @property
    def name(self) -> str:
        """The name the model was given."""
        return self.model.name

    @classmethod
    @abstractmethod
    def of_model(cls, sources: Sources, model: Model, parameters: Mapping[str, Any]) -> Self:
        """The measure of a model of this kind."""

    @classmethod
    def made_of(cls, model: Model) -> tuple[str, ...]:
        """The names of other measures that a model of this kind needs."""
        return ()
