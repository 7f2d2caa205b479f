"""Settings from a TOML file: parameters of the expansion, of counting and of measures, checked when read.

[expansion]
window = 1000          # characters around the query's words
held_mass = 0.4        # share of a text's idf mass that its results must hold

[neighbours]
distance = 3           # words are neighbours up to so many words apart
memory = 1024          # MiB that counting them may take

[measures.web-kernel]
results = 50

[server]
rate = 50              # requests a second of one client
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from querykin.cooccurrence.counting import DISTANCE, MAX_DISTANCE, MEMORY
from querykin.errors import InputError, UnknownName
from querykin.learning.model_files import Models
from querykin.measures import Measure, measures
from querykin.measures.base import check_choices
from querykin.measures.trained import trained_kinds
from querykin.search.expansion import MIN_IDF_COVERAGE, WINDOW

_LARGEST = 2**31 - 1
_EXPANSION = {"window": (WINDOW, 1, _LARGEST), "held_mass": (MIN_IDF_COVERAGE, 0, 1)}
_NEIGHBOURS = {"distance": (DISTANCE, 1, MAX_DISTANCE), "memory": (MEMORY, 16, 1 << 20)}
_SECTIONS = ("expansion", "neighbours", "measures", "server")
Allowed = Mapping[str, tuple[Any, float, float]]  # default, least and most
_KINDS = {bool: "true or false", str: "a text", tuple: 'a list of texts, like ["one", "two"]'}


@dataclass(frozen=True)
class Config:
    """Parameters that differ from the defaults."""

    expansion: Mapping[str, Any] = field(default_factory=dict)
    measures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    cooccurrence: Mapping[str, Any] = field(default_factory=dict)
    server: Mapping[str, Any] = field(default_factory=dict)  # checked by the service, when it starts

    @property
    def distance(self) -> int:
        """Up to how many words apart two words are neighbours."""
        return int(self.cooccurrence.get("distance", DISTANCE))

    @property
    def counting_room(self) -> int:
        """How many bytes counting neighbours may take."""
        return int(self.cooccurrence.get("memory", MEMORY)) << 20

    @classmethod
    def read(cls, path: Path, models: Models | None = None) -> "Config":
        """Read and check a TOML file; measures that were trained have settings too."""
        try:
            content = tomllib.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(f"{path} cannot be read as TOML settings: {error}") from error
        for section in content:
            if section not in _SECTIONS:
                raise UnknownName(f"section of {path}", section, _SECTIONS)
        expansion, cooccurrence, chosen, server = (
            _section(f"{path} [{section}]", content.get(section, {})) for section in _SECTIONS
        )
        check_settings(f"{path} [expansion]", expansion, _EXPANSION)
        check_settings(f"{path} [neighbours]", cooccurrence, _NEIGHBOURS)
        for name, parameters in chosen.items():
            place = f"{path} [measures.{name}]"
            check_settings(place, _section(place, parameters), _parameters(name, models))
            check_choices(place, _kind(name, models), parameters)
        return cls(expansion, chosen, cooccurrence, server)


def _section(place: str, given: Any) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        raise InputError(f"{place} must be a section with settings below it, got {given!r}")
    return given


def _parameters(measure: str, models: Models | None) -> Allowed:
    found = [f for f in fields(_kind(measure, models)) if "meaning" in f.metadata]
    return {f.name: (f.default, f.metadata["least"], f.metadata["most"]) for f in found}


def _kind(measure: str, models: Models | None) -> type[Measure]:
    trained = models.names() if models else []
    if models and measure in trained and measure not in list(measures):
        return trained_kinds[models.read(measure).kind]
    if measure not in list(measures):
        raise UnknownName("measure", measure, {*measures, *trained})
    return measures[measure]


def check_settings(place: str, given: Mapping[str, Any], allowed: Allowed) -> None:
    """Complain about names that are not there and values that cannot be."""
    for name, value in given.items():
        if name not in allowed:
            raise UnknownName(f"setting in {place}", name, allowed)
        default, least, most = allowed[name]
        if isinstance(default, bool | str | tuple):
            if not _like(default, value):
                kind = _KINDS[type(default)]
                raise InputError(f"{place}: {name} must be {kind}, got {value!r}")
            continue
        wanted = (int, float) if isinstance(default, float) else int
        number = isinstance(value, wanted) and not isinstance(value, bool)
        if not number or not least <= value <= most:
            raise InputError(
                f"{place}: {name} must be a number from {least} to {most}, like {default}, got {value!r}"
            )


def _like(default: bool | str | tuple[str, ...], value: Any) -> bool:
    if isinstance(default, tuple):
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return type(value) is type(default)
