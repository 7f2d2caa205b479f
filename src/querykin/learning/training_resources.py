"""What training needs of a workspace."""

from pathlib import Path
from typing import Protocol

from querykin.corpus.corpus import Corpus
from querykin.learning.model_files import Model, Models
from querykin.measures.requirements import Requirements
from querykin.measures.resources import Resources


class TrainingResources(Resources, Protocol):
    """The resources of measures, and the models of a workspace."""

    @property
    def path(self) -> Path:
        """The folder of the workspace."""

    @property
    def corpus(self) -> Corpus:
        """The documents and their statistics."""

    @property
    def models(self) -> Models:
        """The models trained in the workspace."""

    def save_model(self, model: Model) -> None:
        """Store a trained model."""

    def requirements(self, name: str) -> Requirements:
        """What a measure depends on, with what its parts depend on."""
