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
from querykin.expansion import DEEPEST, HELD_MASS, WINDOW
from querykin.measures import measures

_LARGEST = 2**31 - 1
_MOST = {"results": DEEPEST, "held_mass": 1, "keep": 1}
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
        expansion = _section(f"{path} [expansion]", content.get("expansion", {}))
        chosen = _section(f"{path} [measures]", content.get("measures", {}))
        _check(f"{path} [expansion]", expansion, _EXPANSION)
        for name, parameters in chosen.items():
            defaults = {f.name: f.default for f in fields(measures[name]) if f.name != "expander"}
            place = f"{path} [measures.{name}]"
            _check(place, _section(place, parameters), defaults)
        return cls(expansion, chosen)


def _section(place: str, given: Any) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        raise InputError(f"{place} must be a section with settings below it, got {given!r}")
    return given


def _check(place: str, given: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    for name, value in given.items():
        if name not in defaults:
            raise UnknownName(f"setting in {place}", name, defaults)
        wanted = (int, float) if isinstance(defaults[name], float) else type(defaults[name])
        number = isinstance(value, wanted) and not isinstance(value, bool)
        # A count of 0 would leave every text without an opinion; a share may be 0.
        least = 1 if isinstance(defaults[name], int) else 0
        most = _MOST.get(name, _LARGEST)
        if not number or not least <= value <= most:
            raise InputError(
                f"{place}: {name} must be a number from {least} to {most}, "
                f"like {defaults[name]}, got {value!r}"
            )
