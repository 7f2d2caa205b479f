"""The interface of a workspace that training depends on."""

from typing import Protocol

from querykin.corpus.corpus import Corpus
from querykin.measures.requirements import Requirements
from querykin.measures.resources import Resources
from querykin.model_files import Model, Models


class TrainingResources(Resources, Protocol):
    """The resources of measures, and the models of a workspace."""

    @property
    def location(self) -> str:
        """Where the workspace is, for messages."""

    @property
    def corpus(self) -> Corpus:
        """The documents and their statistics."""

    @property
    def models(self) -> Models:
        """The models trained in the workspace."""

    def save_model(self, model: Model) -> None:
        """Store a trained model."""

    def requirements(self, name: str) -> Requirements:
        """The requirements of a measure, including those of its components."""
