"""Settings of all parts, read from a TOML file and validated by pydantic.

[engine]
kind = "postings"        # the search engine over the corpus

[opensearch]
hosts = ["https://search.example.com:9200"]
user = "querykin"        # its password is in the environment: QUERYKIN_OPENSEARCH_PASSWORD

[text]
language = "de"          # of the documents; recognized from the first ones if it is not given

[expansion]
window = 1000            # characters of a document around the query's terms
min_idf_coverage = 0.4   # share of a text's idf mass that its results must contain

[cooccurrence]
distance = 3             # words co-occur up to this many words apart
memory = 1024            # MiB that counting may use

[log]
min_sessions = 3         # of a query that may be offered

[measures.web-kernel]
results = 50

[storage]
cache_bytes = 20000000000  # of parts downloaded from object storage

[server]
rate = 50                # requests per second of one client
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from querykin.errors import InputError, UnknownName
from querykin.learning.trained_measure import trained_kinds
from querykin.measures.base import Measure, measures
from querykin.measures.parameters import validate_parameters
from querykin.model_files import Models
from querykin.opensearch.settings import OpenSearchSettings
from querykin.retrieval.candidate_settings import CandidateSettings
from querykin.search.engine import engines
from querykin.search.engine_settings import EngineSettings
from querykin.settings_sections import (
    CooccurrenceSettings,
    ExpansionSettings,
    LogSettings,
    ServerSettings,
    StorageSettings,
    TextSettings,
)
from querykin.storage.atomic_write import create_folder, write_text
from querykin.text.languages import parse_languages
from querykin.untrusted_json import read_regular_file
from querykin.validation import validate

WORKSPACE_SETTINGS = "settings.toml"  # of a workspace: what holds where --config says nothing
_SECTIONS = (
    "engine",
    "candidates",
    "opensearch",
    "text",
    "expansion",
    "cooccurrence",
    "log",
    "measures",
    "storage",
    "server",
)
# Names of 0.1 that are still read: (section, name) -> (section, name).
_DEPRECATED_SECTIONS = {"neighbours": "cooccurrence"}
_DEPRECATED_NAMES = {("expansion", "held_mass"): "min_idf_coverage"}


@dataclass(frozen=True)
class Settings:
    """The settings of a workspace; `measures` holds parameters that differ from the defaults."""

    engine: EngineSettings = field(default_factory=EngineSettings)
    text: TextSettings = field(default_factory=TextSettings)
    expansion: ExpansionSettings = field(default_factory=ExpansionSettings)
    cooccurrence: CooccurrenceSettings = field(default_factory=CooccurrenceSettings)
    measures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    server: ServerSettings = field(default_factory=ServerSettings)
    candidates: CandidateSettings = field(default_factory=CandidateSettings)
    opensearch: OpenSearchSettings = field(default_factory=OpenSearchSettings)
    storage: StorageSettings = field(default_factory=StorageSettings)
    log: LogSettings = field(default_factory=LogSettings)
    warnings: tuple[str, ...] = ()  # deprecated names that were read

    @classmethod
    def read(cls, path: Path, models: Models | None = None, beneath: Path | None = None) -> "Settings":
        """Read and validate a TOML file; `models` are trained measures, which have settings too.

        A section that it does not have is that of `beneath`, the settings of the workspace, if that exists.
        """
        content, warnings = dict[str, Any](), list[str]()
        file_of = dict[str, Path]()
        for file in (beneath, path) if beneath and beneath.exists() else (path,):
            found, deprecated = _renamed(_content(file), file)
            content, file_of = {**content, **found}, {**file_of, **dict.fromkeys(found, file)}
            warnings += deprecated
        for section in content:
            if section not in _SECTIONS:
                raise UnknownName(f"section of {file_of[section]}", section, _SECTIONS)
        places = {name: f"{file_of.get(name, path)} [{name}]" for name in _SECTIONS}
        given = {name: _section(places[name], content.get(name, {})) for name in _SECTIONS}
        for name, parameters in given["measures"].items():
            place = f"{file_of['measures']} [measures.{name}]"
            validate_parameters(_kind(name, models), place, _section(place, parameters))
        engine = validate(EngineSettings, places["engine"], given["engine"])
        engines[engine.kind]  # an unknown kind is an error
        text = validate(TextSettings, places["text"], given["text"])
        if text.language:
            parse_languages(text.language)  # an unknown language is an error
        return cls(
            engine,
            text,
            validate(ExpansionSettings, places["expansion"], given["expansion"]),
            validate(CooccurrenceSettings, places["cooccurrence"], given["cooccurrence"]),
            given["measures"],
            validate(ServerSettings, places["server"], given["server"]),
            validate(CandidateSettings, places["candidates"], given["candidates"]),
            validate(OpenSearchSettings, places["opensearch"], given["opensearch"]),
            validate(StorageSettings, places["storage"], given["storage"]),
            validate(LogSettings, places["log"], given["log"]),
            tuple(warnings),
        )


def workspace_settings(folder: Path, config: Path | None = None) -> Settings:
    """The settings of a workspace: those of its own file, and before them those of `config`."""
    own, models = folder / WORKSPACE_SETTINGS, Models(folder / "models")
    if config:
        return Settings.read(config, models, beneath=own)
    return Settings.read(own, models) if own.exists() else Settings()


def write_workspace_settings(folder: Path, sections: Mapping[str, Mapping[str, Any]]) -> Settings:
    """Write the settings file of a workspace that has none; returns the settings, once they are valid."""
    path = folder / WORKSPACE_SETTINGS
    if path.exists():
        raise InputError(f"{path} exists; next: edit it, or choose another --workspace")
    lines = [
        line
        for section, values in sections.items()
        for line in (f"[{section}]", *(f"{name} = {_toml(value)}" for name, value in values.items()), "")
    ]
    create_folder(folder)
    with TemporaryDirectory(prefix="querykin-") as scratch:
        draft = Path(scratch) / WORKSPACE_SETTINGS
        try:
            draft.write_text("\n".join(lines), "utf-8")
        except UnicodeEncodeError as error:
            raise InputError(
                f"settings must be UTF-8, got {error.object[max(0, error.start - 40) : error.end]!r}"
            ) from error
        settings = Settings.read(draft)
    write_text(path, "\n".join(lines))
    return settings


def _toml(value: Any) -> str:
    """A text, number, truth value or list of texts in TOML, which writes them as JSON does."""
    return json.dumps(value, ensure_ascii=False)


def read_storage_settings(path: Path) -> StorageSettings:
    """Read one section of a TOML file: it says where the trained measures are that others are about."""
    place = f"{path} [storage]"
    return validate(StorageSettings, place, _section(place, _content(path).get("storage", {})))


def _content(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_regular_file(path).decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read as TOML settings: {error}") from error


def _section(place: str, given: Any) -> Mapping[str, Any]:
    if not isinstance(given, dict):
        raise InputError(f"{place} must be a section with settings below it, got {given!r}")
    return given


def _renamed(content: dict[str, Any], path: Path) -> tuple[dict[str, Any], list[str]]:
    """The content under today's names, and a warning for each deprecated one."""
    found: dict[str, Any] = {}
    warnings = []
    for section, values in content.items():
        new = _DEPRECATED_SECTIONS.get(section, section)
        if new != section:
            warnings.append(f"{path}: [{section}] is deprecated; use [{new}]")
        if isinstance(values, dict):
            for name in [name for name in values if (new, name) in _DEPRECATED_NAMES]:
                current = _DEPRECATED_NAMES[new, name]
                warnings.append(f"{path} [{new}]: {name} is deprecated; use {current}")
                values = {
                    **{key: value for key, value in values.items() if key != name},
                    current: values[name],
                }
        found[new] = values
    return found, warnings


def _kind(measure: str, models: Models | None) -> type[Measure]:
    trained = models.names() if models else []
    if models and measure in trained and measure not in measures:
        return trained_kinds[models.read(measure).kind]
    if measure not in measures:
        raise UnknownName("measure", measure, {*measures, *trained})
    return measures[measure].kind
