"""Settings from a TOML file: parameters of the expansion and of measures, checked when read.

[expansion]
window = 1000          # characters around the query's words
held_mass = 0.4        # share of a text's idf mass that its results must hold

[measures.web-kernel]
results = 50
"""  # fmt: skip

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from querykin.errors import InputError, UnknownName
from querykin.expansion import HELD_MASS, WINDOW
from querykin.measures import measures

_EXPANSION = {"window": WINDOW, "held_mass": HELD_MASS}


@dataclass(frozen=True)
class Config:
    """Parameters that differ from the defaults."""

    expansion: Mapping[str, Any] = field(default_factory=dict)
    measures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "Config":
        """Read and check a TOML file."""
        try:
            content = tomllib.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(f"{path} cannot be read as TOML settings: {error}") from error
        for section in content:
            if section not in ("expansion", "measures"):
                raise UnknownName(f"section of {path}", section, ("expansion", "measures"))
        expansion = content.get("expansion", {})
        _check(f"{path} [expansion]", expansion, _EXPANSION)
        for name, parameters in content.get("measures", {}).items():
            defaults = {f.name: f.default for f in fields(measures[name]) if f.name != "expander"}
            _check(f"{path} [measures.{name}]", parameters, defaults)
        return cls(expansion, content.get("measures", {}))


def _check(place: str, given: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    for name, value in given.items():
        if name not in defaults:
            raise UnknownName(f"setting in {place}", name, defaults)
        wanted = (int, float) if isinstance(defaults[name], float) else type(defaults[name])
        if not isinstance(value, wanted) or isinstance(value, bool) or value < 0:
            raise InputError(f"{place}: {name} must be a number like {defaults[name]}, got {value!r}")
