"""The measures of a workspace: registered and trained ones by name, each built once."""

from functools import reduce
from operator import or_
from typing import Protocol

from querykin.errors import UnknownName, WorkspaceError
from querykin.learning.trained_measure import TrainedMeasure, trained_kinds
from querykin.learning.training_resources import TrainingResources
from querykin.measures.base import Measure, measures
from querykin.measures.requirements import Requirements
from querykin.model_files import Model
from querykin.progress import Progress
from querykin.settings import Settings


class MeasureResources(TrainingResources, Protocol):
    """A workspace, as measures are built from it."""

    @property
    def settings(self) -> Settings:
        """The settings, with parameters of measures."""

    @property
    def progress(self) -> Progress:
        """Receives messages."""


class MeasureCatalog:
    """Builds measures by name and keeps them."""

    def __init__(self, resources: MeasureResources) -> None:
        self._resources = resources
        self._built: dict[str, Measure] = {}

    def measure(self, name: str) -> Measure:
        """A registered or trained measure by name, built once with the parameters of the settings."""
        if name not in self._built:
            self.check_corpus(name)
            parameters = self._resources.settings.measures.get(name, {})
            if name in measures and (other := measures[name].kind.substitute(self._resources)):
                self._resources.progress.message(f"{name}: {other.reason}; {other.name} takes its place")
                self._built[name] = self.measure(other.name)
            elif name in measures:
                self._built[name] = measures[name].build(self._resources, parameters)
            else:
                model = self._resources.model(name)
                self._built[name] = self._trained_kind(name).from_model(self._resources, model, parameters)
        return self._built[name]

    def check_corpus(self, name: str) -> None:
        """Refuse a measure that needs a corpus where there is none."""
        if self.requirements(name).corpus and not len(self._resources.corpus):
            reason = "is empty"
            if self._resources.settings.engine.frequencies == "snippets":
                reason += ", since the search engine has found nothing yet"
            raise WorkspaceError(
                f"measure {name!r} needs a corpus, and the one in {self._resources.location} {reason}; "
                "next: querykin corpus add FILE"
            )

    def forget(self) -> None:
        """Build measures again when they are next used: models, counts or indexes have changed."""
        self._built.clear()

    def measure_class(self, name: str) -> type[Measure]:
        """The class of a measure."""
        return measures[name].kind if name in measures else self._trained_kind(name)

    def _trained_kind(self, name: str) -> type[TrainedMeasure]:
        models = self._resources.models
        kind = models.read(name).kind if name in models.names() else ""
        if kind not in trained_kinds:
            raise UnknownName("measure", name, [*measures, *self.trained()])
        return trained_kinds[kind]

    def trained(self) -> dict[str, Model]:
        """The trained models that are measures, by name."""
        found = {name: self._resources.models.read(name) for name in self._resources.models.names()}
        return {name: model for name, model in found.items() if model.kind in trained_kinds}

    def names(self) -> list[str]:
        """The names of all measures, registered and trained."""
        return list(dict.fromkeys([*measures, *self.trained()]))

    def requirements(self, name: str) -> Requirements:
        """What a measure depends on, with what its components depend on."""
        if name in measures:
            own = measures[name].kind.requirements()
        else:
            own = self._trained_kind(name).model_requirements(self._resources.model(name))
        return reduce(or_, map(self.requirements, own.measures), own)
