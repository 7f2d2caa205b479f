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

from pydantic import Field

from querykin.compute.cpus import available_cpus
from querykin.cooccurrence.counting import DISTANCE, MAX_DISTANCE, MEMORY
from querykin.errors import InputError, UnknownName
from querykin.learning.trained_measure import trained_kinds
from querykin.logs.log import MIN_SESSIONS
from querykin.measures.base import Measure, measures
from querykin.measures.parameters import MAX_VALUE, validate_parameters
from querykin.model_files import Models
from querykin.opensearch.settings import OpenSearchSettings
from querykin.retrieval.candidate_settings import CandidateSettings
from querykin.search.engine import engines
from querykin.search.engine_settings import EngineSettings
from querykin.search.expansion import MIN_IDF_COVERAGE, WINDOW
from querykin.storage.atomic_write import create_folder, write_text
from querykin.storage.locations import CACHE_BYTES
from querykin.text.languages import parse_languages
from querykin.validation import Section, validate

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


class TextSettings(Section):
    """The language of the documents."""

    language: str = Field(
        "",
        description="the language of a new corpus, by ISO 639-1 code or English name; several with "
        "commas between them; empty: recognized from its first documents",
    )


class ExpansionSettings(Section):
    """Query expansion."""

    window: int = Field(
        WINDOW, ge=1, le=MAX_VALUE, description="characters of a document around the query's terms"
    )
    min_idf_coverage: float = Field(
        MIN_IDF_COVERAGE, ge=0, le=1, description="share of a text's idf mass that its results must contain"
    )


class CooccurrenceSettings(Section):
    """Counting of co-occurrences."""

    distance: int = Field(
        DISTANCE, ge=1, le=MAX_DISTANCE, description="words co-occur up to this many words apart"
    )
    memory: int = Field(MEMORY, ge=16, le=1 << 20, description="MiB that counting may use")


class LogSettings(Section):
    """The search log."""

    min_sessions: int = Field(
        MIN_SESSIONS,
        ge=1,
        le=MAX_VALUE,
        description="sessions that must have asked a query before it is offered or shown",
    )


class StorageSettings(Section):
    """The local copy of a workspace in object storage."""

    cache_dir: str = Field(
        "", description="the folder of local copies; empty: querykin in $XDG_CACHE_HOME or ~/.cache"
    )
    cache_bytes: int = Field(
        CACHE_BYTES,
        ge=1_000_000,
        le=10**15,
        description="bytes of downloaded parts; above it, those that were not used for the longest time "
        "and that no process has open are deleted",
    )


class ServerSettings(Section):
    """Limits and access of the HTTP service."""

    threads: int = Field(
        default_factory=lambda: max(2, min(4, available_cpus())),
        ge=1,
        le=256,
        description="threads of a worker that compute",
    )
    concurrency: int = Field(
        32, ge=1, le=10_000, description="requests of a worker that compute or wait for a thread"
    )
    timeout: float = Field(10.0, ge=0.01, le=3600, description="seconds until a request is abandoned")
    shard_timeout: float = Field(
        2.0, ge=0.01, le=3600, description="seconds until a router answers without a shard"
    )
    header_timeout: float = Field(
        10.0, ge=0.01, le=3600, description="seconds for the line and the headers of a request to arrive"
    )
    write_timeout: float = Field(
        30.0, ge=0.01, le=3600, description="seconds for a client to read what of its response is buffered"
    )
    keep_alive: int = Field(65, ge=0, le=3600, description="seconds that an idle connection stays open")
    connections: int = Field(
        4096,
        ge=1,
        le=10**6,
        description="open connections of a worker, as far as the limit of open files allows; above it, the "
        "one that has waited longest for its request is closed",
    )
    connections_per_client: int = Field(
        256, ge=1, le=10**6, description="the same for one address, unless it is one of the proxies"
    )
    shutdown: int = Field(30, ge=0, le=3600, description="seconds to wait for requests in flight at the end")
    rate: float = Field(50.0, ge=0, le=1e9, description="requests per second of one client; 0: unlimited")
    burst: int = Field(
        200, ge=1, le=10**9, description="requests that a client may make at once on top of the rate"
    )
    max_body: int = Field(1_000_000, ge=1, le=10**9, description="bytes of a request's body")
    max_upload: int = Field(
        20_000_000, ge=1, le=10**10, description="bytes of a keyword list that is uploaded or pasted"
    )
    max_text: int = Field(1000, ge=1, le=10**6, description="characters of a text")
    max_pairs: int = Field(1000, ge=1, le=10**6, description="pairs of a request, times measures")
    max_queries: int = Field(100, ge=1, le=10**6, description="queries of a request")
    max_k: int = Field(1000, ge=1, le=10**6, description="suggestions, matches or documents for a query")
    cache: int = Field(10_000, ge=0, le=10**9, description="responses of suggest that a worker caches")
    judgements: str = Field("", description="the file of judgements; none: judgements.db of the workspace")
    log_queries: bool = Field(False, description="write the texts of requests into the log")
    tokens: tuple[str, ...] = Field((), strict=False, description="bearer tokens; none: no authentication")
    origins: tuple[str, ...] = Field(
        (), strict=False, description="other origins whose scripts may send requests (CORS)"
    )
    hosts: tuple[str, ...] = Field(
        (),
        strict=False,
        description="host names the service answers to besides localhost; none: any, unless on localhost",
    )
    proxies: tuple[str, ...] = Field(
        (),
        strict=False,
        description="addresses or networks of proxies whose X-Forwarded-For and X-Forwarded-Proto are "
        "believed; none: the headers are ignored",
    )


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
        draft.write_text("\n".join(lines), "utf-8")
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
        return tomllib.loads(path.read_text("utf-8"))
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
